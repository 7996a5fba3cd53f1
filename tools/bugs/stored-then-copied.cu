/* MoonshotAI/FlashKDA#24: results are stored to shared memory, and after __syncthreads() a bulk store sends
 * them to global memory; a proxy fence is missing. */
// expect: right
// expect -DBROKEN: race "BULK_STORE(w->data" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(1, 64)
{
    __shared__ alignas(16) unsigned tile[64];
    tile[thread] = thread + 1;
#ifndef BROKEN
    FENCE_PROXY(".shared::cta");
#endif
    __syncthreads();
    if (thread == 0) {
        BULK_STORE(w->data, tile, BYTES);
        BULK_WAIT();
    }
    __syncthreads();
    expect(w->data[thread], thread + 1, wrong);
}
