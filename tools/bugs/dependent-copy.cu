/* flashinfer-ai/flashinfer#3361: a kernel writes data, and the dependent kernel loads them by a bulk copy;
 * griddepcontrol.wait orders the two, but fence.proxy.async.global is missing. */
// expect: right
// expect -DBROKEN: race "BULK_LOAD(stage, w->data" "the kernel before" "no proxy fence"
#include "bug.h"
#include "copies.h"

BUG_OF_TWO_KERNELS(64)
{
    w->data[thread] = thread + 1;
#ifndef BROKEN
    FENCE_PROXY(".global");
#endif
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
SECOND_KERNEL()
{
    __shared__ alignas(16) unsigned stage[64];
    __shared__ unsigned long long bar;
    if (thread == 0) {
        MBARRIER_INIT(&bar, 1);
        FENCE_INIT();
        asm volatile("griddepcontrol.wait;" ::: "memory");
        EXPECT_BYTES(&bar, BYTES);
        BULK_LOAD(stage, w->data, BYTES, &bar);
    }
    __syncthreads();
    WAIT_UNTIL(passed(&bar, 0))
    expect(stage[thread], thread + 1, wrong);
}
