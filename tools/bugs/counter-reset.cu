/* tile-ai/tilelang#2319: the last thread to arrive resets a barrier's counter to 0, and the others wait for
 * the 0. A thread that polls late misses the 0 if another thread has already arrived at the next barrier, and
 * waits for ever. The mended form also counts generations. */
// expect: right
// expect -DBROKEN: hang "at a load, polling"
#include "bug.h"

BUG(3, 32)
{
    if (thread != 0)
        return;
    for (int round = 0; round < 3; round++) {
#ifdef BROKEN
        if (atomicAdd(&w->count, 1) == 2)
            atomicExch(&w->count, 0);
        else
            WAIT_UNTIL(look(&w->count) == 0)
#else
        unsigned generation = look(&w->flag);
        __threadfence();
        if (atomicAdd(&w->count, 1) == 2) {
            set(&w->count, 0);
            __threadfence();
            set(&w->flag, generation + 1);
        } else {
            WAIT_UNTIL(look(&w->flag) != generation)
        }
        __threadfence();
#endif
    }
}
