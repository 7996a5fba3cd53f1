/*
 * Where lanes of a warp that took different ways come together again. A GPU's compiler has them wait for each other
 * there (BSSY and BSYNC of sm_70 and later): at the first place that all ways from a branch come to, its immediate
 * post-dominator. Here only where there is neither a loop nor a call of a function between, so that who waits does
 * not wait long.
 */
#ifndef MACHINE_JOINS_H
#define MACHINE_JOINS_H

#include "machine/code/kernel_code.h"

/* Finds the joins of a function. */
void joins_find(const struct kernel_function *function);

/* Does a join begin with the block that has this instruction behind its hook? The instruction's number is the join's. */
bool is_join(size_t number);

/* The join that all ways from this instruction lead to, by no loop and no call; NO_INSTRUCTION: there is none. */
size_t join_after(size_t number);

/* The most instructions that nvcc predicates: this includes more than nine in ten of the groups that nvcc 13
 * predicates in swat, nw, bitonic, sum, pairhmm and micro-barrier for sm_90; one in ten of its forward
 * branches skips fewer. */
#define PREDICATED 8

/* Is this a branch that skips few instructions only, or the end of what it skips? nvcc does not branch there, but
 * predicates them. */
bool is_predicated(size_t number);

#endif
