/*
 * How many instructions a GPU would run between two requests of a thread: one for each of x86-64 that computes in the
 * compiled C++ (docs/machine.md has the error of that). The compiler calls a hook in each basic block; what the block has is
 * read from the program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/state.h"

/* Reads the program's code, once, if the machine's instructions take time. */
void instructions_open(void);

/* How many of those counted the machine knows of, and how long a warp takes for them alone, in time units. */
static inline unsigned instructions_count(unsigned counted)
{
    return the_machine.description.instruction_per_1000 ? counted : 0;
}
static inline uint64_t instructions_time(unsigned counted)
{
    return (uint64_t)counted * (unsigned)the_machine.description.instruction_per_1000 / 1000;
}

#endif
