/* flashinfer-ai/flashinfer#2558: griddepcontrol.wait is in an asm statement without "memory" at its end, so
 * the compiler may move later reads in front of it. (On the memory machine, a wait without "memory" orders
 * nothing.) */
// expect: right
// expect -DBROKEN: race "unsigned value = w->data[thread]" "the kernel before" "among its clobbers"
#include "bug.h"

#ifdef BROKEN
#define WAIT_FOR_KERNEL_BEFORE() asm volatile("griddepcontrol.wait;")
#else
#define WAIT_FOR_KERNEL_BEFORE() asm volatile("griddepcontrol.wait;" ::: "memory")
#endif

BUG_OF_TWO_KERNELS(64)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    w->data[thread] = thread + 1;
}
SECOND_KERNEL()
{
    WAIT_FOR_KERNEL_BEFORE();
    unsigned value = w->data[thread];
    expect(value, thread + 1, wrong);
}
