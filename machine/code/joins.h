/*
 * Where lanes of a warp that took different ways come together again. A GPU's compiler has them wait for each
 * other there (BSSY and BSYNC of sm_70 and later): at the first place that all ways from a branch come to,
 * the branch's immediate post-dominator. Such a place counts as a join here only if there is neither a loop
 * nor a call of a function on the ways to it, so that nobody waits long.
 */
#ifndef MACHINE_JOINS_H
#define MACHINE_JOINS_H

#include "machine/code/kernel_code.h"

/* Finds the joins of a function. */
void joins_find(const struct kernel_function *function);

/* Does a join begin with the block that has this instruction after its hook? The instruction's number is
 * the join's number. */
bool is_join(size_t number);

/* The join that all ways from this instruction lead to without a loop or a call, or NO_INSTRUCTION if
 * there is none. */
size_t join_after(size_t number);

/* The most instructions that nvcc predicates: this includes more than nine in ten of the groups that nvcc 13
 * predicates in swat, nw, bitonic, sum, pairhmm and micro-barrier for sm_90; one in ten of its forward
 * branches skips fewer. */
#define PREDICATED 8

/* Is this a branch that skips few instructions only, or the end of these instructions? nvcc does not
 * branch there, but predicates them. */
bool is_predicated(size_t number);

#endif
