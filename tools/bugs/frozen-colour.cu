/* sgl-project/sglang#29508: readers of a flag wait for a value that must change with each launch, but a CUDA
 * graph freezes it; in a replay, the flag has this value from the last replay, so nobody waits. */
// expect: right
// expect -DBROKEN: race "w->data[thread], launch + 1"
#include "bug.h"

#ifdef BROKEN
#define COLOUR 1u
#else
#define COLOUR ((unsigned)launch + 1)
#endif

BUG(2, 32, 2)
{
    if (block == 0) {
        w->data[thread] = launch + 1;
        __syncthreads();
        if (thread == 0)
            set_release(&w->flag, COLOUR);
    } else {
        if (thread == 0)
            WAIT_UNTIL(look_acquire(&w->flag) == COLOUR)
        __syncthreads();
        expect(w->data[thread], launch + 1, wrong);
    }
}
