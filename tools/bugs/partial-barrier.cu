/* flashinfer-ai/flashinfer#3424 (a reviewer's finding): one block zeroes words to which all blocks add, and
 * only some of the blocks wait until the words are zeroed. */
// expect: right
// expect -DBROKEN: race "w->data[thread] = 0"
#include "bug.h"

#ifdef BROKEN
#define WAITS (block < 2)
#else
#define WAITS true
#endif

BUG(4, 32)
{
    if (block == 0) {
        w->data[thread] = 0;
        __syncthreads();
        if (thread == 0)
            set_release(&w->flag, 1);
    } else if (WAITS) {
        if (thread == 0)
            WAIT_UNTIL(look_acquire(&w->flag))
        __syncthreads();
    }
    atomicAdd(&w->data[thread], 1);
}
