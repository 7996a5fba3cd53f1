/* vllm-project/vllm#2760: the second stage of a two-stage all-reduce reads the other blocks' sums after a
 * flag that is stored without a release and loaded without an acquire. */
// expect: right
// expect -DBROKEN: race "w->other[part], 2"
#include "bug.h"

#ifdef BROKEN
#define ANNOUNCE set
#define SEE look
#else
#define ANNOUNCE set_release
#define SEE look_acquire
#endif

BUG(2, 32)
{
    /* Stage 1: the block stores its part of the sum. */
    w->other[block * 32 + thread] = 2;
    __syncthreads();
    if (thread == 0) {
        ANNOUNCE(&w->flags[block], 1);
        WAIT_UNTIL(SEE(&w->flags[1 - block]))
    }
    __syncthreads();
    /* Stage 2: the block reads the other block's part. */
    unsigned part = (1 - block) * 32 + thread;
    expect(w->other[part], 2, wrong);
}
