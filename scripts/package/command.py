"""gpusync: what does it cost to synchronize inside a GPU, and is a kernel right?

The command `gpusync` has the documentation (gpusync help). `include` is the folder of the headers, for
nvcc -I: python3 -c 'import gpusync; print(gpusync.include)'.
"""
import os
import sys

_top = os.path.dirname(os.path.abspath(__file__))
include = os.path.join(_top, "include")


def main():
    """Becomes the command gpusync with the arguments of this program."""
    command = os.path.join(_top, "lib", "gpusync", "scripts", "gpusync")
    try:
        os.execvp("bash", ["bash", command, *sys.argv[1:]])
    except OSError:
        print("gpusync: there is no bash here, which runs this command", file=sys.stderr)
        sys.exit(3)
