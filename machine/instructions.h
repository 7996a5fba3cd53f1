/*
 * How many instructions a GPU would run between two requests of a thread: one for each of x86-64 that computes in the
 * compiled C++ (docs/machine.md has the error of that). The compiler calls a hook in each basic block; what the block has is
 * read from the program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/state.h"

#define SHORT_RUN                                                                                            \
    32 /* instructions in a row: scripts/count-stalls has the time of each in shorter ones and in long ones */

/* Reads the program's code, once, if the machine's instructions take time. */
void instructions_open(void);

/* How many of those counted the machine knows of, and how long a warp takes for them alone, in time units,
 * with so many quarters of branches back to code before. */
static inline unsigned instructions_count(unsigned counted)
{
    return the_machine.description.instruction_per_1000 ? counted : 0;
}
static inline uint64_t instructions_time(unsigned counted, unsigned quarter_branches)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t first = counted < SHORT_RUN ? counted : SHORT_RUN, more = counted - first;
    return (first * (unsigned)d->instruction_per_1000 + more * (unsigned)d->long_instruction_per_1000) /
               1000 +
           (uint64_t)quarter_branches * (unsigned)d->branch_latency / 4;
}

#endif
