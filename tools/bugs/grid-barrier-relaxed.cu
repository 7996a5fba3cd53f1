/* microsoft/mscclpp#497, #499: a barrier of the grid uses a relaxed flag, without fences before and after. */
// expect: right
// expect -DBROKEN: race "w->data[(block + 1) % 4 * 32 + thread], 1"
#include "bug.h"

BUG(4, 32)
{
    w->data[block * 32 + thread] = 1;
    __syncthreads();
    if (thread == 0) {
#ifndef BROKEN
        __threadfence();
#endif
        if (atomicAdd(&w->count, 1) == 3) {
#ifndef BROKEN
            __threadfence();
#endif
            set(&w->flag, 1);
        }
        WAIT_UNTIL(look(&w->flag))
#ifndef BROKEN
        __threadfence();
#endif
    }
    __syncthreads();
    expect(w->data[(block + 1) % 4 * 32 + thread], 1, wrong);
}
