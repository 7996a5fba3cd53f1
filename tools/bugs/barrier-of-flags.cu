/* NVIDIA/nvshmem#36: in a barrier, each participant sets a flag for each other one, instead of counting
 * arrivals; no fence orders its earlier writes before the flags. */
// expect: right
// expect -DBROKEN: race "w->data[member], member"
#include "bug.h"

BUG(4, 32)
{
    if (thread == 0)
        w->data[block] = block;
    __syncthreads();
#ifndef BROKEN
    __threadfence();
#endif
    if (thread < 4)
        set(&w->flags[thread * 4 + block], 1);
    if (thread < 4) {
        WAIT_UNTIL(look(&w->flags[block * 4 + thread]))
#ifndef BROKEN
        __threadfence();
#endif
    }
    __syncthreads();
    unsigned member = thread % 4;
    expect(w->data[member], member, wrong);
}
