/*
 * Finds the earlier memory requests of a thread on which a request depends: for its address, for the value
 * that it stores, or for the decision whether it is executed. A forward data-flow analysis of the compiled
 * code follows the content of registers and stack words over all paths through a function. The analysis is
 * conservative: a request that may depend on another one counts as dependent. The analysis does not follow
 * values through memory that other threads can see, or through variables whose address is taken.
 */
#ifndef MACHINE_DEPENDENCE_H
#define MACHINE_DEPENDENCE_H

#include "machine/code/kernel_code.h"

/* The requests of a function are numbered modulo this number. A set of requests is a word with one bit for
 * each number. */
#define REQUEST_NUMBERS 64
#define ALL_REQUESTS (~UINT64_C(0))

/* The dependences of the memory request for which the compiled code calls a hook (machine/cuda/hooks.c). A
 * function's own arguments count as dependent on all requests, and so does the result of a called function
 * that does not belong to the machine. */
struct dependence {
    /* the earlier requests on which this request depends, or which decide whether the hook's basic block
     * is executed */
    uint64_t needs;
    /* For a basic block's hook: the earlier requests that decide the branches which came after the last
     * request and can lead out of a loop. Other branches are left out, because their ways meet again
     * (machine/code/joins.h). */
    uint64_t leaves;
    unsigned number; /* the number of the hook's own request */
};

/* Finds the dependences of all calls of hooks in a function whose joins have been found. Stores each in `of`,
 * indexed by the number of the instruction after the call. */
void dependences_find(const struct kernel_function *function, struct dependence *of);

#endif
