/*
 * Which earlier requests of its thread a request depends on: for its address, for the value that it stores,
 * or for the decision whether it is executed. A forward data-flow analysis of the compiled code finds this:
 * it follows the content of registers and stack words over all paths through a function, and is conservative
 * (what may depend counts as dependent). It does not follow values through memory that other threads can see,
 * or through variables whose address is taken.
 */
#ifndef MACHINE_DEPENDENCE_H
#define MACHINE_DEPENDENCE_H

#include "machine/code/kernel_code.h"

/* The requests of a function are numbered modulo 64; a set of requests is a word with one bit for each. */
#define REQUEST_NUMBERS 64
#define ALL_REQUESTS (~UINT64_C(0))

/* For each call of a hook, by the number of the instruction after it: the request's own number, and the
 * requests that it depends on; for a basic block's hook, the requests that decide whether the block is
 * executed. What a function depends on when it begins, and what it returns if it is not one of the machine's
 * functions, counts as all requests. */
struct dependence {
    uint64_t needs;
    unsigned number;
};
void dependences_find(const struct kernel_function *function, struct dependence *of);

#endif
