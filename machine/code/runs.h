/*
 * Runs of a function's instructions as in nvcc's code: between branches. nvcc does not branch around a few
 * instructions, but predicates them.
 */
#ifndef MACHINE_RUNS_H
#define MACHINE_RUNS_H

#include "machine/code/kernel_code.h"

/* Instructions in a short run: scripts/count-stalls measures the time of an instruction in shorter runs and
 * in long ones. */
#define SHORT_RUN 32

/* The most instructions that nvcc predicates: this includes more than nine in ten of the groups that nvcc 13
 * predicates in swat, nw, bitonic, sum, pairhmm and micro-barrier for sm_90; one in ten of its forward
 * branches skips fewer. */
#define PREDICATED 8

/* Does a GPU execute such an instruction, too? */
static inline bool is_counted(const struct kernel_instruction *instruction)
{
    return instruction->read.computes || instruction->callee == CALLS_VALUE ||
           makes_request(instruction->callee);
}

/* Notes for each instruction of the function whether it is in a long run. */
void runs_find(const struct kernel_function *function);

#endif
