/* NVIDIA/cccl#7538: a wait with a time limit returns whether the phase is complete, and the caller ignores
 * what it returns. */
// expect: right
// expect -DBROKEN: race "expect(stage[thread], 0, wrong)" "a copy of block 0"
#include "bug.h"
#include "copies.h"

BUG(1, 64)
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (thread == 0) {
        MBARRIER_INIT(&bar, 1);
        FENCE_INIT();
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->data, BYTES, &bar);
    }
    __syncthreads();
#ifdef BROKEN
    for (int left = 4; left && !passed(&bar, 0); left--) {
    }
#else
    WAIT_UNTIL(passed(&bar, 0))
#endif
    expect(stage[thread], 0, wrong);
}
