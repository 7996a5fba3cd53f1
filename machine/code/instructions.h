/*
 * How many instructions a GPU would execute between two requests of a thread: one for each x86-64 instruction
 * that computes in the compiled C++ (docs/machine.md has the error of this estimate). The compiler calls a
 * hook in each basic block; the block's instructions are read from the program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/code/dependence.h"
#include "machine/state.h"

#define PARTS_OF_A_UNIT 64

/* Reads the kernel's code, once, if the machine's description needs it. */
void instructions_read(const struct machine_launch *launch);

/* For the request made at this place (the caller's return address): the requests that it depends on, and the
 * work after it, up to the next request or basic block. */
struct dependence dependence_of(const void *instruction);
struct work work_after(const void *instruction);

/* What is known of the place after a call of a hook, close together, because the machine's speed depends
 * on it. */
struct hook_site {
    struct dependence dependence;
    struct work work;
    bool is_exit; /* the hook's block begins where a loop ends */
    bool is_join; /* the hook's block begins at a join (machine/code/joins.h) */
};
extern struct hook_site *hook_sites; /* by the number of the instruction after the call */

/* The hook at this place has made no request after all: the work after it is done at once. */
void instructions_go_on(const void *instruction);

/* The sum of two times in parts of a time unit, or of two numbers of instructions; the largest number, if
 * there is no room for the sum. */
static inline uint32_t work_sum(uint32_t a, uint32_t b)
{
    return a + b >= a ? a + b : UINT32_MAX;
}

static inline void work_add_more(struct work *work, const struct work *more)
{
    work->instructions = work_sum(work->instructions, more->instructions);
    work->free = work_sum(work->free, more->free);
    work->bound = work_sum(work->bound, more->bound);
}

/* Adds this number of time units after the results that the work waits for. */
static inline void work_wait(struct work *work, int time)
{
    work->bound += (uint32_t)time * PARTS_OF_A_UNIT;
}

/* Takes the larger of the two, for each kind of work. */
static inline void work_most(struct work *most, const struct work *work)
{
    most->instructions = work->instructions > most->instructions ? work->instructions : most->instructions;
    most->free = work->free > most->free ? work->free : most->free;
    most->bound = work->bound > most->bound ? work->bound : most->bound;
}

#endif
