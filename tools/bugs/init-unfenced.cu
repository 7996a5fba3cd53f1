/* MoonshotAI/FlashKDA#24: an mbarrier is initialized, and a bulk copy signals it, without fence.mbarrier_init
 * between them. */
// expect: right
// expect -DBROKEN: race "BULK_LOAD(stage, w->data" "MBARRIER_INIT(&bar" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(1, 64)
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (thread == 0) {
        MBARRIER_INIT(&bar, 1);
#ifndef BROKEN
        FENCE_INIT();
#endif
    }
    __syncthreads();
    if (thread == 0) {
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->data, BYTES, &bar);
    }
    WAIT_UNTIL(passed(&bar, 0))
    expect(stage[thread], 0, wrong);
}
