/* Dao-AILab/flash-attention#2462: a proxy fence was proposed, but another one already covers the stores; both
 * forms are right. */
// expect: right
// expect -DBROKEN: right
#include "bug.h"
#include "copies.h"

BUG(1, 64)
{
    __shared__ alignas(16) unsigned tile[64];
    tile[thread] = thread + 1;
#ifndef BROKEN
    FENCE_PROXY(".shared::cta"); // the additional fence that was proposed
#endif
    __syncthreads();
    if (thread == 0) {
        FENCE_PROXY(".shared::cta"); // this fence covers all stores that the barrier orders before it
        BULK_STORE(w->data, tile, BYTES);
        BULK_WAIT();
    }
    __syncthreads();
    expect(w->data[thread], thread + 1, wrong);
}
