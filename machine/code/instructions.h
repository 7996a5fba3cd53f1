/* What the rest of the machine knows of an instruction of a kernel: on which earlier requests it depends,
 * the work after it, and where the lanes of its warp meet again. An instruction is named by the address of
 * its code, which begins with a pointer to its site (machine/ptx/code.h). */
#ifndef MACHINE_INSTRUCTIONS_H
#define MACHINE_INSTRUCTIONS_H

#include "machine/ptx.h"
#include "machine/state.h"

#define PARTS_OF_A_UNIT 64

/* The requests of a function are numbered modulo this number. A set of requests is a word with one bit for
 * each number. */
#define REQUEST_NUMBERS 64
#define ALL_REQUESTS (~UINT64_C(0))

/* The earlier requests of a thread on which a request depends: for its address, for the value that it
 * stores, or for the decision whether it is executed. A function's own arguments count as dependent on all
 * requests, and so does the result of a called function. */
struct dependence {
    /* the earlier requests on which this request depends, or which decide whether this basic block is
     * executed */
    uint64_t needs;
    /* For a basic block: the earlier requests that decide branches out of loops since the last request. Other
     * branches are left out, because their sides meet again. */
    uint64_t leaves;
    /* For a basic block: the requests whose results instructions before it have used. A warp issues its
     * instructions in order, so later instructions wait for these results, too. (Within a block ptxas moves
     * loads in front of such instructions.) */
    uint64_t used;
    unsigned number; /* the number of the instruction's own request */
};

struct site {
    struct dependence dependence;
    struct work work; /* from this request, or the beginning of the block, to the next request or block */
    bool is_exit;     /* does a loop end just before the basic block that begins here? */
    bool is_join;     /* do paths meet again where this basic block begins? */
    size_t next_join; /* see next_join_of() */
};

/* Returns the site of an instruction; NULL if it belongs to no kernel. An odd address stands for a fence
 * around the access of an instruction. */
static inline const struct site *site_at(const void *instruction)
{
    bool has_site = instruction && (uintptr_t)instruction % sizeof(void *) == 0;
    return has_site ? *(const struct site *const *)instruction : NULL;
}

/* Returns the earlier requests on which the request of this instruction depends. */
static inline struct dependence dependence_of(const void *instruction)
{
    const struct site *site = site_at(instruction);
    return site ? site->dependence : (struct dependence){.needs = ALL_REQUESTS};
}

/* Returns the work from the request of this instruction to the next request or basic block. */
static inline struct work work_after(const void *instruction)
{
    const struct site *site = site_at(instruction);
    return site ? site->work : (struct work){0};
}

/* Joins are named by the address of the first instruction of their basic block. */
#define NO_JOIN SIZE_MAX

/* Returns the first join to which all paths from an instruction or a join lead, or NO_JOIN. */
static inline size_t next_join_of(size_t place)
{
    const struct site *site = site_at((const void *)place);
    return site ? site->next_join : NO_JOIN;
}

/* Returns the sum of two times in parts of a time unit, or of two numbers of instructions. If the sum
 * would overflow, returns the largest number. */
static inline uint32_t work_sum(uint32_t a, uint32_t b)
{
    return a + b >= a ? a + b : UINT32_MAX;
}

static inline void work_add_more(struct work *work, const struct work *more)
{
    work->unit = more->instructions > work->instructions ? more->unit : work->unit;
    work->instructions = work_sum(work->instructions, more->instructions);
    work->free = work_sum(work->free, more->free);
    work->bound = work_sum(work->bound, more->bound);
}

/* Adds this number of time units to the work that waits for results of requests. */
static inline void work_wait(struct work *work, int time)
{
    work->bound += (uint32_t)time * PARTS_OF_A_UNIT;
}

/* Sets each number in `most` to the larger one of itself and the same number in `work`. */
static inline void work_most(struct work *most, const struct work *work)
{
    most->unit = work->instructions > most->instructions ? work->unit : most->unit;
    most->instructions = work->instructions > most->instructions ? work->instructions : most->instructions;
    most->free = work->free > most->free ? work->free : most->free;
    most->bound = work->bound > most->bound ? work->bound : most->bound;
}

#endif
