// A window of one step, far from the step that must fall into it: drawn schedules miss it, and the sweep of
// all schedules with one delay has it. With -DPAIR, the mistake needs two delays, of which the second is the
// longer one: blocks 0 and 1 must wait between their two steps until block 2 has looked, and block 0 must go
// on first.
#include "tools/bugs/bug.h"

__device__ void write_often(words *w)
{
    for (int i = 0; i < 3000; i++)
        *(volatile unsigned *)&w->other[0] = i;
}

#ifdef PAIR
BUG(3, 1)
{
    unsigned *first = w->flags, *second = w->flags + 1, *third = w->flags + 2, *fourth = w->flags + 3;
    if (block == 0) {
        atomicExch(first, 1);
        atomicExch(second, 1);
    } else if (block == 1) {
        atomicExch(third, 1);
        atomicExch(fourth, 1);
        bool has_seen = atomicAdd(&w->count, 0), has_second = atomicAdd(second, 0);
        expect(has_seen && has_second, false, wrong);
    } else {
        write_often(w);
        bool has_first = atomicAdd(first, 0), has_second = atomicAdd(second, 0),
             has_third = atomicAdd(third, 0), has_fourth = atomicAdd(fourth, 0);
        if (has_first && !has_second && has_third && !has_fourth)
            atomicExch(&w->count, 1);
    }
}
#else
BUG(2, 1)
{
    if (block == 0) {
        atomicExch(&w->flags[0], 1);
        atomicExch(&w->flags[1], 1);
        return;
    }
    write_often(w);
    expect(atomicAdd(&w->flags[0], 0) && !atomicAdd(&w->flags[1], 0), false, wrong);
}
#endif
