/*
 * The resources of a run of kernels: multiprocessors, places for blocks, their warps, stacks and
 * shared memory.
 */
#ifndef MACHINE_RUN_H
#define MACHINE_RUN_H

#include "machine/state.h"

/* Allocates all of them, for a first kernel and the kernels that overlap with it; and frees them, with the
 * kernels that are left. */
void run_open(struct run *run, const struct kernel *first);
void run_close(struct run *run);

/* Puts the kernel's next block on the multiprocessor, with its warps at their first instruction and all that its threads
 * need. Returns the block. */
struct block *run_place_block(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now);

/* Removes the block that has the place `at` in sm->blocks. */
void run_remove_block(struct sm *sm, unsigned at);

/* Frees what a kernel without blocks has of its own, and its place among the run's kernels. */
void run_end_kernel(struct kernel *kernel);

#endif
