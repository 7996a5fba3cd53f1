# SPDX-License-Identifier: MIT
"""Builds centred.cu as an extension of PyTorch and checks what it computes.

    python3 examples/pytorch/centred.py          where there is a GPU
    TORCH_CUDA_ARCH_LIST=9.0 python3 examples/pytorch/centred.py    elsewhere: it is built, and not run

GPUSYNC_INCLUDE: the folder that sync/ is in, such as PREFIX/include/gpusync; else this tree.
"""
import os
import pathlib
import sys

import torch
from torch.utils.cpp_extension import load

here = pathlib.Path(__file__).resolve().parent
include = os.environ.get("GPUSYNC_INCLUDE", str(here.parent.parent))
extension = load(
    name="gpusync_centred",
    sources=[str(here / "centred.cu")],
    extra_include_paths=[include],
)
if not torch.cuda.is_available():
    print("centred: built; there is no GPU to run it on")
    sys.exit(0)

numbers = torch.rand(1_000_003, device="cuda")
worst = (extension.centred(numbers) - (numbers - numbers.mean())).abs().max().item()
print(f"centred: differs from PyTorch's own by {worst:.1e} at most")
sys.exit(worst > 1e-5)
