/* ORNL/HeCBench#292: an entry is written plainly, and a relaxed compare-and-swap publishes its index. This
 * works on one GPU, and fails on another GPU that has several dies. */
// expect: right
// expect -DBROKEN: race "w->data[index], index + 100"
#include "bug.h"

BUG(4, 32)
{
    if (thread != 0)
        return;
    if (block < 3) {
        unsigned index = block + 1;
        w->data[index] = index + 100;
#ifndef BROKEN
        __threadfence();
#endif
        atomicCAS(&w->flag, 0, index);
    } else {
        unsigned index = 0;
        WAIT_UNTIL((index = look(&w->flag)))
        __threadfence();
        expect(w->data[index], index + 100, wrong);
    }
}
