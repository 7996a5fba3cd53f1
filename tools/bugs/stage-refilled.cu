/* NVIDIA/TransformerEngine#2695: threads read a buffer in shared memory, and a bulk copy refills it after a
 * barrier, without a proxy fence. PTX requires such a fence also between a read and a later write in another
 * proxy. Much code has none, so gpusync-check reports it as a note only. */
// expect: right
// expect -DBROKEN: note "BULK_LOAD(stage, w->other" "no proxy fence"
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
    WAIT_UNTIL(passed(&bar, 0))
    unsigned first = stage[thread];
#ifndef BROKEN
    FENCE_PROXY(".shared::cta");
#endif
    __syncthreads();
    if (thread == 0) {
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->other, BYTES, &bar);
    }
    WAIT_UNTIL(passed(&bar, 1))
    expect(first + stage[thread], 0, wrong);
}
