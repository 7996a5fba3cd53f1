"""gpusync: what does it cost to synchronize inside a GPU, and is a kernel right?

The command `gpusync` has the documentation (gpusync help). `include` is the folder of the headers, for
nvcc -I: python3 -c 'import gpusync; print(gpusync.include)'. `check_ptx` and `predict_ptx` take a kernel's PTX, which
Triton, NVRTC, CuTe and others make, and arrays of numpy; neither needs a compiler or a GPU.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

_top = os.path.dirname(os.path.abspath(__file__))
_command = os.path.join(_top, "lib", "gpusync", "scripts", "gpusync")
if not os.path.exists(_command):  # in the sources of the suite
    _command = os.path.join(_top, "..", "gpusync")
include = os.path.join(_top, "include")


class Error(Exception):
    """The command did not take its input. The message is that of the command."""


def launch(kernel, grid, block, *arguments, shared=0, cooperative=False):
    """Describes a launch for check_ptx and predict_ptx.

    `grid` and `block` are a number or up to three. `shared` is the size of dynamic shared memory in bytes. An argument
    is an array of numpy (or another array with dtype.name, size and tobytes()), whose elements are copied to the
    device; a number of numpy; an int, which is an i32; a float, which is an f32; or None, a null pointer. An array
    that is an argument twice is one array on the device. Structs and tensor maps are not supported.
    """
    extents = [list(extent) if isinstance(extent, (tuple, list)) else [extent] for extent in (grid, block)]
    return {"kernel": kernel, "grid": extents[0], "block": extents[1], "shared": shared, "cooperative": cooperative, "arguments": arguments}


def _type_of(argument):
    name = argument.dtype.name
    return re.sub("^bfloat", "bf", re.sub("^float", "f", re.sub("^uint", "u", re.sub("^int", "i", re.sub("^bool.*", "u8", name)))))


def _described(argument, folder, known):
    if argument is None:
        return {"type": "u64"}
    if isinstance(argument, (int, float)) and not hasattr(argument, "dtype"):
        return {"type": "f32" if isinstance(argument, float) else "i32", "value": argument}
    if not getattr(argument, "shape", ()):
        return {"type": _type_of(argument), "value": argument.item()}
    if id(argument) in known:
        return {"name": known[id(argument)]}
    known[id(argument)] = name = f"array {len(known) + 1}"
    path = os.path.join(folder, f"{len(known)}.bin")
    with open(path, "wb") as file:
        file.write(argument.tobytes())
    return {"type": _type_of(argument), "count": argument.size, "name": name, "file": path}


def _run(tool, ptx, launches, options, name, folder):
    """Runs the tool on the PTX; returns its ended process."""
    known, path, described = {}, os.path.join(folder, os.path.basename(name)), os.path.join(folder, "launches.json")
    with open(path, "w") as file:
        file.write(ptx)
    with open(described, "w") as file:
        json.dump([dict(one, arguments=[_described(a, folder, known) for a in one["arguments"]]) for one in launches], file)
    ended = subprocess.run(["bash", _command, tool, path, "--launch", described, *options], capture_output=True, text=True)
    if ended.returncode in (2, 3):
        raise Error((ended.stderr.strip() or ended.stdout.strip()).replace(folder + "/", ""))
    return ended


def check_ptx(ptx, launches, *options, name="kernel.ptx"):
    """Looks for races, accesses outside of arrays, hangs and the like in the launches of a text of PTX.

    `launches` is a list of what launch() returns, and `options` are those of `gpusync check`, such as "--runs", "50".
    `name` is the file that findings name where the PTX has no lines of a source. Returns the document that
    `gpusync check --json` writes, as a dict, with the text for people as ["text"]; ["status"] is 0 if nothing was found,
    1 after a race, a wrong access or a wrong end, 4 after a deadlock and 5 if the check did not finish. Raises Error if
    the PTX or a launch cannot be read.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "findings.json")
        ended = _run("check", ptx, launches, ("--json", path, *options), name, folder)
        with open(path) as file:
            return dict(json.load(file), text=ended.stdout.replace(folder + "/", ""))


def predict_ptx(ptx, launches, *options, device="h100", name="kernel.ptx"):
    """Predicts how long the kernels of a text of PTX take on a GPU that is not here.

    The parameters are those of check_ptx, with options of `gpusync predict`; `device` is a preset or a description.
    Returns a list with a dict for each kernel and shape: "kernel", "grid", "block" (in threads), "us" for one launch
    without its launch time, and "low" and "high", the interval in which 80 % of blindly predicted points were.
    """
    with tempfile.TemporaryDirectory() as folder:
        ended = _run("predict", ptx, launches, ("--device", device, *options), name, folder)
    found = re.findall(r": (\S+), (\d+) x (\d+): ([\d.]+) us each(?: \(([\d.]+) to ([\d.]+)\))?", ended.stderr)
    if ended.returncode or not found:
        raise Error(ended.stderr.strip())
    return [
        {"kernel": kernel, "grid": int(grid), "block": int(block), "us": float(us), "low": float(low or us), "high": float(high or us)}
        for kernel, grid, block, us, low, high in found
    ]


def main():
    """Becomes the command gpusync with the arguments of this program."""
    try:
        os.execvp("bash", ["bash", _command, *sys.argv[1:]])
    except OSError:
        print("gpusync: there is no bash here, which runs this command", file=sys.stderr)
        sys.exit(3)
