/* triton-lang/triton#11498: one thread initializes the mbarrier, and another executes fence.mbarrier_init,
 * which covers only mbarriers that its own thread has initialized. */
// expect: right
// expect -DBROKEN: race "BULK_LOAD(stage, w->data" "MBARRIER_INIT(&bar" "no proxy fence"
#include "bug.h"
#include "copies.h"

#ifdef BROKEN
#define FENCER 32
#else
#define FENCER 0
#endif

BUG(1, 64)
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (thread == 0)
        MBARRIER_INIT(&bar, 1);
    if (FENCER != 0)
        __syncthreads();
    if (thread == FENCER)
        FENCE_INIT();
    __syncthreads();
    if (thread == FENCER) {
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->data, BYTES, &bar);
    }
    WAIT_UNTIL(passed(&bar, 0))
    expect(stage[thread], 0, wrong);
}
