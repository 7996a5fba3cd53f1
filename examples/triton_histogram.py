# SPDX-License-Identifier: MIT
"""Checks a kernel of Triton without a GPU: its programs count in the same bins, and no atomic orders them.

Needs Triton, numpy and the wheel of gpusync (`make wheel`). Ends with 1, because the race is found; with the word
`atomic` as its argument, it checks the mended kernel and ends with 0.
"""
import sys

import gpusync
import numpy
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def histogram(values, bins, n, atomic: tl.constexpr, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    mask = at < n
    value = tl.load(values + at, mask=mask, other=0)
    if atomic:
        tl.atomic_add(bins + value, 1, mask=mask)
    else:
        count = tl.load(bins + value, mask=mask)
        tl.store(bins + value, count + 1, mask=mask)


source = ASTSource(
    fn=histogram,
    signature={"values": "*i32", "bins": "*i32", "n": "i32", "atomic": "constexpr", "block": "constexpr"},
    constexprs={"atomic": sys.argv[1:] == ["atomic"], "block": 128},
)
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32))
values, bins = numpy.arange(512, dtype=numpy.int32) % 16, numpy.zeros(16, numpy.int32)
# The last two parameters are Triton's own scratch memory, which this kernel does not need.
launch = gpusync.launch("histogram", 4, 32 * kernel.metadata.num_warps, values, bins, 512, None, None)
found = gpusync.check_ptx(kernel.asm["ptx"], [launch])
print(found["text"])
sys.exit(found["status"])
