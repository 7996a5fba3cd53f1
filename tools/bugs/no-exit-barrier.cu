/* ROCm/aiter#3514, #3515: a one-stage all-reduce has no barrier at its end; a fast rank overwrites, for the
 * next round, data that a slow rank still reads. */
// expect: right
// expect -DBROKEN: race "w->data[block * 32 + thread] = round"
#include "bug.h"

__device__ __forceinline__ void meet(words *w, unsigned block, unsigned thread, unsigned number,
                                     unsigned long long *wrong)
{
    __syncthreads();
    if (thread == 0) {
        set_release(&w->flags[block], number);
        WAIT_UNTIL(look_acquire(&w->flags[1 - block]) >= number)
    }
    __syncthreads();
}

BUG(2, 32)
{
    for (unsigned round = 1; round <= 3; round++) {
        w->data[block * 32 + thread] = round;
        meet(w, block, thread, 2 * round - 1, wrong);
        expect(w->data[(1 - block) * 32 + thread], round, wrong);
#ifndef BROKEN
        meet(w, block, thread, 2 * round, wrong);
#endif
    }
}
