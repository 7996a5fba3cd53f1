/* vllm-project/vllm#57059, #57182: all accesses of the barrier at the start of an all-reduce are relaxed, so
 * a rank may read inputs that another rank has not completely written. */
// expect: right
// expect -DBROKEN: race "sum += w->data[peer * 32 + thread]"
#include "bug.h"

BUG(3, 32)
{
    w->data[block * 32 + thread] = block + 1;
    __syncthreads();
    if (thread < 3) {
#ifdef BROKEN
        asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(&w->flags[thread * 3 + block]), "r"(1)
                     : "memory");
        unsigned seen;
        do
            asm volatile("ld.relaxed.sys.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&w->flags[block * 3 + thread]));
        while (!seen);
#else
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&w->flags[thread * 3 + block]), "r"(1)
                     : "memory");
        unsigned seen;
        do
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&w->flags[block * 3 + thread]));
        while (!seen);
#endif
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned peer = 0; peer < 3; peer++)
        sum += w->data[peer * 32 + thread];
    expect(sum, 6, wrong);
}
