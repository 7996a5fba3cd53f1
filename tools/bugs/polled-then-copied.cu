/* deepseek-ai/DeepEP#621, #632, #642: a thread polls a flag by ordinary loads, and a bulk copy loads the data
 * that the flag announces; a proxy fence between the two is missing. */
// expect: right
// expect -DBROKEN: race "BULK_LOAD(stage, w->data" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG(2, 64)
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (block == 0) {
        w->data[thread] = thread + 1;
        __syncthreads();
        if (thread == 0)
            set_release(&w->flag, 1);
        return;
    }
    if (thread == 0) {
        MBARRIER_INIT(&bar, 1);
        FENCE_INIT();
        WAIT_UNTIL(look_acquire(&w->flag))
#ifndef BROKEN
        FENCE_PROXY(".global");
#endif
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->data, BYTES, &bar);
    }
    __syncthreads();
    WAIT_UNTIL(passed(&bar, 0))
    expect(stage[thread], thread + 1, wrong);
}
