/*
 * How many instructions a GPU would run between two requests of a thread: one for each of x86-64 that computes in the
 * compiled C++ (docs/machine.md has the error of that). The compiler calls a hook in each basic block; what the block has is
 * read from the program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/code/dependence.h"
#include "machine/state.h"

#define PARTS_OF_A_UNIT 64

/* Reads the kernel's code, once, if the machine needs to know of it. */
void instructions_read(const struct machine_launch *launch);

/* Of the request that is made there (the caller's return address): what it needs, and the work behind it, up to the next
 * request or block. */
struct dependence dependence_of(const void *instruction);
struct work work_behind(const void *instruction);

/* A hook there has made no request after all: the work behind it is done at once. */
void instructions_go_on(const void *instruction);

/* So many time units more, behind what it waits for. */
static inline void work_wait(struct work *work, int time)
{
    work->bound += (uint32_t)time * PARTS_OF_A_UNIT;
}

/* The larger of both, of each kind. */
static inline void work_most(struct work *most, const struct work *work)
{
    most->instructions = work->instructions > most->instructions ? work->instructions : most->instructions;
    most->parameters = work->parameters > most->parameters ? work->parameters : most->parameters;
    most->free = work->free > most->free ? work->free : most->free;
    most->bound = work->bound > most->bound ? work->bound : most->bound;
}

#endif
