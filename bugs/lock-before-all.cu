/* ROCm/triton#745: stream-K publishes its lock when the first warp has stored its part of the tile, and not
 * when all warps have. */
// expect: right
// expect -DBROKEN: race "w->data[thread], thread"
#include "bug.h"

BUG(2, 128)
{
    if (block == 0) {
        w->data[thread] = thread;
#ifndef BROKEN
        __syncthreads();
#endif
        if (thread == 0) {
            __threadfence();
            atomicExch(&w->lock, 1);
        }
    } else {
        if (thread == 0) {
            WAIT_UNTIL(look(&w->lock))
            __threadfence();
        }
        __syncthreads();
        expect(w->data[thread], thread, wrong);
    }
}
