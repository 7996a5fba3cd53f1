/* Runs are the pieces into which the branches of nvcc's code divide a function's instructions. nvcc does
 * not branch around a few instructions, but predicates them (machine/code/joins.h). */
#ifndef MACHINE_RUNS_H
#define MACHINE_RUNS_H

#include "machine/code/kernel_code.h"

/* The largest number of instructions in a short run. scripts/count-stalls measures the time of an
 * instruction in short runs and in long ones. */
#define SHORT_RUN 32

/* Notes for each instruction of the function whether it is in a long run. */
void runs_find(const struct kernel_function *function);

#endif
