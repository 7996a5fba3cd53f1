/*
 * Estimates how many instructions a GPU would execute between two memory requests of a thread. Each x86-64
 * instruction of the compiled C++ that computes counts as one (docs/machine.md has the error of this
 * estimate). The compiler calls a hook in each basic block; the block's instructions are read from the
 * program's own code.
 */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/code/atomic_use.h"
#include "machine/code/dependence.h"
#include "machine/code/kernel_code.h"
#include "machine/ptx.h"
#include "machine/state.h"

#define PARTS_OF_A_UNIT 64

/* Reads the kernel's code, unless it has been read before or the machine's description does not need it. */
void instructions_read(const struct machine_launch *launch);

/* Reads the kernel's code, whether or not the machine's description needs it. */
void instructions_read_all(const struct machine_launch *launch);

/* Returns the earlier requests on which the memory request depends whose hook returns to this instruction. */
struct dependence dependence_of(const void *instruction);

/* What is known of the code after a call of a hook (machine/cuda/hooks.c). The members are in one struct,
 * because the machine's speed depends on it. */
struct hook_site {
    struct dependence dependence;
    struct work work;
    bool is_exit;          /* does a loop end just before the hook's basic block? */
    bool is_join;          /* does the hook's basic block begin at a join (machine/code/joins.h)? */
    struct atomic_use use; /* for a hook that makes a request: how the request's result is used */
    size_t next_join;      /* of an instruction of PTX: see next_join_of() */
};
/* The sites, indexed by the number of the instruction after the hook's call. */
extern struct hook_site *hook_sites;

/* Returns the site of the request whose hook returns to this instruction, or of the
 * instruction of PTX; NULL if there is none. An odd address stands for a fence around the access of an
 * instruction. */
static inline const struct hook_site *hook_site_of(const void *instruction)
{
    size_t number = kernel_instruction_at(instruction);
    if (number != NO_INSTRUCTION)
        return &hook_sites[number];
    bool is_ptx = instructions_are_ptx && instruction && (uintptr_t)instruction % sizeof(void *) == 0;
    return is_ptx ? *(const struct hook_site *const *)instruction : NULL;
}

/* Returns the work from the memory request whose hook returns to this instruction to the next request or
 * basic block. */
static inline struct work work_after(const void *instruction)
{
    const struct hook_site *site = hook_site_of(instruction);
    return site ? site->work : (struct work){0};
}

/* Returns the number of an instruction for next_join_of(), which returns the next join on all ways from
 * there or from a join, or NO_INSTRUCTION. */
size_t place_of_instruction(const void *instruction);
size_t next_join_of(size_t place);

/* Returns how the result of an atomic operation is used whose hook returns to this instruction. */
struct atomic_use atomic_use_after(const void *instruction);

/* Called if the hook that returns to this instruction makes no memory request: the work after the hook's call
 * is added to the lane's work at once. */
void instructions_go_on(const void *instruction);

/* Returns the sum of two times in parts of a time unit, or of two numbers of instructions. If the sum
 * would overflow, returns the largest number. */
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

/* Adds this number of time units to the work that waits for results of requests. */
static inline void work_wait(struct work *work, int time)
{
    work->bound += (uint32_t)time * PARTS_OF_A_UNIT;
}

/* Raises each number in `most` to the one in `work` if that is larger. */
static inline void work_most(struct work *most, const struct work *work)
{
    most->instructions = work->instructions > most->instructions ? work->instructions : most->instructions;
    most->free = work->free > most->free ? work->free : most->free;
    most->bound = work->bound > most->bound ? work->bound : most->bound;
}

#endif
