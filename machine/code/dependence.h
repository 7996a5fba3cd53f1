/*
 * Which requests of a thread need the result of which before them: for their address, for what they store, or to know
 * whether they come at all. Found in the compiled code, by following what registers and stack words hold over all ways
 * through a function (a forward data-flow analysis, which takes what may be for what is). Not followed: values that go
 * through memory that others can see, or through variables whose address is taken.
 */
#ifndef MACHINE_DEPENDENCE_H
#define MACHINE_DEPENDENCE_H

#include "machine/code/kernel_code.h"

/* The requests of a function have numbers from 0 to 63, over and over, in sets of them a bit each. */
#define REQUEST_NUMBERS 64
#define ALL_REQUESTS (~UINT64_C(0))

/* For each call of a hook, by the number of the instruction behind it: the request's own number, and those that it needs;
 * of a block's hook, those that it takes to know that the block is run. What a function needs when it begins, and what it
 * returns if it is none of the machine's, counts as all. */
struct dependence {
    uint64_t needs;
    unsigned number;
};
void dependences_find(const struct kernel_function *function, struct dependence *of);

#endif
