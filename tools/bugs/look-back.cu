/* JuliaGPU/AcceleratedKernels.jl#98: a scan by decoupled look-back reads a tile's flag by an atomic, and then
 * the tile's aggregate by an ordinary load, without a fence between the two. */
// expect: right
// expect -DBROKEN: race "before += w->data[tile]"
#include "bug.h"

BUG(4, 32)
{
    if (thread != 0)
        return;
    w->data[block] = block + 1; /* stores the tile's aggregate */
#ifndef BROKEN
    __threadfence();
#endif
    atomicExch(&w->flags[block], 1);
    unsigned before = 0;
    for (int tile = (int)block - 1; tile >= 0; tile--) {
        WAIT_UNTIL(atomicAdd(&w->flags[tile], 0))
#ifndef BROKEN
        __threadfence();
#endif
        before += w->data[tile];
    }
    expect(before, block * (block + 1) / 2, wrong);
}
