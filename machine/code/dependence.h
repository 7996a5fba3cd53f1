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

/* The dependences of a call of a hook, which is identified by the number of the instruction after it. What
 * a function depends on when it begins, and what a function that is not the machine's returns, counts as
 * all requests. */
struct dependence {
    /* Requests that the request depends on; or that decide whether the hook's basic block is executed */
    uint64_t needs;
    unsigned number; /* the request's own number */
};

/* Finds the dependences of a function's calls, and stores them in `of` by the numbers of the instructions
 * after them. */
void dependences_find(const struct kernel_function *function, struct dependence *of);

#endif
