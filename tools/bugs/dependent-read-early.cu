/* NVIDIA/cccl#3131, #5297: a dependent kernel reads data first, and then waits for the end of the kernel that
 * writes these data; it should wait first. */
// expect: right
// expect -DBROKEN: race "early = w->data[thread]" "the kernel before"
#include "bug.h"

BUG_OF_TWO_KERNELS(64)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    w->data[thread] = thread + 1;
}
SECOND_KERNEL()
{
#ifdef BROKEN
    unsigned early = w->data[thread];
    asm volatile("griddepcontrol.wait;" ::: "memory");
#else
    asm volatile("griddepcontrol.wait;" ::: "memory");
    unsigned early = w->data[thread];
#endif
    expect(early, thread + 1, wrong);
}
