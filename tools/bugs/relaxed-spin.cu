/* NVIDIA/cutlass#3117, #3118: a thread spins with relaxed loads, but the data that the flag announces need an
 * acquire. (In CUTLASS the loads of the data bypass the first-level cache, so its authors consider the code
 * right; in this program they are plain loads.) */
// expect: right
// expect -DBROKEN: race "w->data[thread], 9"
#include "bug.h"

#ifdef BROKEN
#define SEE look
#else
#define SEE look_acquire
#endif

BUG(2, 32)
{
    if (block == 0) {
        w->data[thread] = 9;
        __syncthreads();
        if (thread == 0)
            set_release(&w->flag, 1);
    } else {
        if (thread == 0)
            WAIT_UNTIL(SEE(&w->flag))
        __syncthreads();
        expect(w->data[thread], 9, wrong);
    }
}
