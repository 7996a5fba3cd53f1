/*
 * Runs of a function's instructions as nvcc would have them: between branches, of which it makes none where so few
 * instructions are skipped that it rather runs them under a condition.
 */
#ifndef MACHINE_RUNS_H
#define MACHINE_RUNS_H

#include "machine/code/kernel_code.h"

/* Instructions in a run: scripts/count-stalls has the time of each in shorter runs and in long ones. */
#define SHORT_RUN 32

/* At most so many run under a condition: more than nine in ten of the groups that nvcc 13 makes of swat, nw, bitonic, sum,
 * pairhmm and micro-barrier for sm_90; one in ten of its branches forward skips fewer. */
#define PREDICATED 8

/* A GPU has such an instruction, too. */
static inline bool is_counted(const struct kernel_instruction *instruction)
{
    return instruction->read.computes || instruction->callee == CALLS_VALUE ||
           makes_request(instruction->callee);
}

/* Notes of each instruction of the function whether it stands in a long run. */
void runs_find(const struct kernel_function *function);

#endif
