/* ROCm/triton#745: a stream-K kernel sets its lock when the first warp has stored its part of the tile; it
 * should first wait for all warps. */
// expect: right
// expect -DBROKEN: race "w->data[thread], thread" "mend: __syncthreads() between the access at"
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
