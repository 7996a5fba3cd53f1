/* deepseek-ai/DeepEP#703: the fence comes after the compare-and-swap that publishes the data, when it
 * should come before it. */
// expect: right
// expect -DBROKEN: race "w->data[0], 5"
#include "bug.h"

BUG(2, 32)
{
    if (thread != 0)
        return;
    if (block == 0) {
        w->data[0] = 5;
#ifdef BROKEN
        atomicCAS(&w->flag, 0, 1);
        __threadfence();
#else
        __threadfence();
        atomicCAS(&w->flag, 0, 1);
#endif
    } else {
        WAIT_UNTIL(look_acquire(&w->flag))
        expect(w->data[0], 5, wrong);
    }
}
