/*
 * How many instructions a GPU would run between two requests of a thread: as many as the compiled C++ has there that
 * compute (docs/machine.md has the error of that). The compiler calls a hook in each basic block; what the block has is
 * read from the program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/state.h"

#define PARTS_OF_AN_INSTRUCTION 4 /* in which they are counted */

/* Reads the program's code, once, if the machine's instructions take time. */
void instructions_open(void);

/* How many they are, and how long a warp takes for them alone, in time units; of so many parts. */
static inline unsigned instructions_count(unsigned parts)
{
    return the_machine.description.instruction_per_1000 ? parts / PARTS_OF_AN_INSTRUCTION : 0;
}
static inline uint64_t instructions_time(unsigned parts)
{
    return (uint64_t)parts * (unsigned)the_machine.description.instruction_per_1000 /
           (1000 * PARTS_OF_AN_INSTRUCTION);
}

#endif
