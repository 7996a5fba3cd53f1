/* facebookexperimental/triton#908, #1024: a copy goes to all blocks of a cluster, and only the first block
 * tells its mbarrier how many bytes to expect; the others wait for an arrival that never comes. */
// expect: right
// expect -DBROKEN: hang "WAIT_UNTIL(passed(&bar, 0))"
#include "bug.h"
#include "copies.h"

BUG_IN_CLUSTERS(2, 64)
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (thread == 0) {
        MBARRIER_INIT(&bar, 1);
        FENCE_INIT();
#ifdef BROKEN
        if (block == 0)
#endif
            EXPECT_BYTES(&bar, BYTES);
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (block == 0 && thread == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, "
                     "[%3], %4;" ::"r"(SHARED(stage)),
                     "l"(w->data), "r"(BYTES), "r"(SHARED(&bar)), "h"((unsigned short)3)
                     : "memory");
    WAIT_UNTIL(passed(&bar, 0))
    expect(stage[thread], 0, wrong);
}
