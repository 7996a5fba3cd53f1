/* sgl-project/sglang#29508: the colour of a flag is a parameter that a CUDA graph has frozen; each replay
 * finds the flag as the replay before it left it, and does not wait. */
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
