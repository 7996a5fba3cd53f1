/* ROCm/aiter#4007: in a persistent top-k, no fence lies between a block's atomics on the histogram and its
 * arrival; blocks see different histograms and take different branches. */
// expect: right
// expect -DBROKEN: race "sum += w->data[bin]"
#include "bug.h"

BUG(3, 32)
{
    atomicAdd(&w->data[thread % 8], 1);
    __syncthreads();
    if (thread == 0) {
#ifndef BROKEN
        __threadfence();
#endif
        atomicAdd(&w->count, 1);
        WAIT_UNTIL(look(&w->count) == 3)
#ifndef BROKEN
        __threadfence();
#endif
        unsigned sum = 0;
        for (unsigned bin = 0; bin < 8; bin++)
            sum += w->data[bin];
        expect(sum, 96, wrong);
    }
}
