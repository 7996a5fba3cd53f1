/* Runs are sequences of a function's instructions that no branch of nvcc's code divides: a run ends
 * after a branch and before a branch's target. nvcc does not branch around a few instructions, but
 * predicates them (machine/code/joins.h). */
#ifndef MACHINE_RUNS_H
#define MACHINE_RUNS_H

#include "machine/code/kernel_code.h"

/* The largest number of instructions in a short run. scripts/count-stalls measures the time of an
 * instruction in short runs and in long ones. */
#define SHORT_RUN 32

/* Notes for each instruction of the function whether it is in a run of more than SHORT_RUN instructions. */
void runs_find(const struct kernel_function *function);

#endif
