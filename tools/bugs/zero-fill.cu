/* MoonshotAI/FlashKDA#25: the proxy fence is in the path that loads a tile, and not in the path that fills
 * the rest of the tile with zeros. */
// expect: right
// expect -DBROKEN: race "BULK_STORE(w->data" "tile[thread] = 0" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(1, 64)
{
    __shared__ alignas(16) unsigned tile[64];
    if (thread < 48) {
        tile[thread] = thread + 1;
        FENCE_PROXY(".shared::cta");
    } else {
        tile[thread] = 0;
#ifndef BROKEN
        FENCE_PROXY(".shared::cta");
#endif
    }
    __syncthreads();
    if (thread == 0) {
        BULK_STORE(w->data, tile, BYTES);
        BULK_WAIT();
    }
    __syncthreads();
    expect(w->data[thread], thread < 48 ? thread + 1 : 0, wrong);
}
