/* NVIDIA/TensorRT-LLM#8612: a relaxed red instruction increments the flag of an all-reduce, so the data
 * written before it may become visible after the flag. */
// expect: right
// expect -DBROKEN: race "w->data[thread], 7"
#include "bug.h"

BUG(2, 64)
{
    if (block == 0) {
        w->data[thread] = 7;
        __syncthreads();
        if (thread == 0) {
#ifdef BROKEN
            asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(&w->count), "r"(1) : "memory");
#else
            asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(&w->count), "r"(1) : "memory");
#endif
        }
    } else {
        if (thread == 0)
            WAIT_UNTIL(look_acquire(&w->count) == 1)
        __syncthreads();
        expect(w->data[thread], 7, wrong);
    }
}
