/* Two blocks hand over data to each other, and all of their threads execute each fence. With -DBROKEN the
 * first fence is missing, so that nothing releases what the second block wrote. Threads that do not poll may
 * execute the last fence early; then this fence happens to order that write. */
// expect: right
// expect -DBROKEN --runs 200: race "w->other[own] = w->data[other]" "w->data[own] = 1"
#include "tools/bugs/bug.h"

BUG(2, 64)
{
    volatile unsigned *flag = &w->flag;
    unsigned own = block * 64 + thread, other = (1 - block) * 64 + (thread ^ 1);
    w->data[own] = 1;
#ifndef BROKEN
    __threadfence();
#endif
    __syncthreads();
    if (block == 0) {
        if (thread == 1)
            while (*flag == 0) {
            }
        __threadfence();
        __syncthreads();
        if (thread == 1)
            *flag = 0;
    } else {
        if (thread == 0) {
            *flag = 1;
            while (*flag == 1) {
            }
        }
        __threadfence();
        __syncthreads();
    }
    w->other[own] = w->data[other];
}
