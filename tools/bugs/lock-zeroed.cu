/* triton-lang/triton#10594: a kernel zeroes the locks of its own tiles when it begins, but another block may
 * already have set one of these locks. */
// expect: right
// expect -DBROKEN: hang "w->lock = 0"
#include "bug.h"

BUG(2, 32)
{
    if (thread != 0)
        return;
    if (block == 0) {
#ifdef BROKEN
        w->lock = 0;
#endif
        WAIT_UNTIL(look_acquire(&w->lock))
        expect(w->data[0], 4, wrong);
    } else {
        w->data[0] = 4;
        set_release(&w->lock, 1);
    }
}
