/* ROCm/aiter#4786: a flag is polled at a scope that does not include the thread that sets it. (In aiter the
 * scope is the device and another device sets the flag; in this program the scope is the block and another
 * block sets the flag.) */
// expect: right
// expect -DBROKEN: race "w->data[thread], 3"
#include "bug.h"

#ifdef BROKEN
#define SCOPE "cta"
#else
#define SCOPE "gpu"
#endif

BUG(2, 32)
{
    if (block == 0) {
        w->data[thread] = 3;
        __syncthreads();
        if (thread == 0)
            set_release(&w->flag, 1);
    } else {
        if (thread == 0) {
            unsigned seen;
            do
                asm volatile("ld.acquire." SCOPE ".global.u32 %0, [%1];"
                             : "=r"(seen)
                             : "l"(&w->flag)
                             : "memory");
            while (!seen);
        }
        __syncthreads();
        expect(w->data[thread], 3, wrong);
    }
}
