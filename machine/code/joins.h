/*
 * Joins are places where lanes of a warp that went different ways come together again. A GPU's compiler lets
 * lanes wait for each other there (BSSY and BSYNC of sm_70 and later): at the branch's immediate
 * post-dominator, the first place to which all ways from the branch lead. Such a place counts as a join here
 * only if there is neither a loop nor a call of a function on the ways to it, so that no lane waits long.
 */
#ifndef MACHINE_JOINS_H
#define MACHINE_JOINS_H

#include "machine/code/kernel_code.h"

/* Finds the joins of the function's code. */
void joins_find(const struct kernel_function *function);

/* Returns whether instruction `number`, which follows the call of a basic block's hook, is in a basic block
 * with which a join begins. If so, `number` is also the number of the join. */
bool is_join(size_t number);

/* Returns the join to which all ways from this instruction lead without a loop or a call, or
 * NO_INSTRUCTION if there is none. */
size_t join_after(size_t number);

/* The largest number of instructions that nvcc predicates instead of branching around them. The limit
 * covers more than nine in ten of the predicated groups of instructions in nvcc 13's code for swat, nw,
 * bitonic, sum, pairhmm and micro-barrier (sm_90). Yet one in ten of the forward branches in this code
 * skips fewer. */
#define PREDICATED 8

/* Does nvcc predicate instead of branching here? True for a branch that skips only a few instructions, and
 * for the jump at the end of such instructions. */
bool is_predicated(size_t number);

#endif
