/* The resources of a run of kernels: multiprocessors, places for blocks, their warps, stacks and shared
 * memory. */
#ifndef MACHINE_RUN_H
#define MACHINE_RUN_H

#include "machine/state.h"

/* run_open allocates all resources for a first kernel and the kernels that overlap with it. run_close
 * frees them, with the kernels that are left. */
void run_open(struct run *run, const struct kernel *first);
void run_close(struct run *run);

/* Puts the kernel's next block on the multiprocessor, with its warps at their first instruction and all
 * that its threads need. Returns the block. */
struct block *run_place_block(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now);

/* Removes a block whose threads have all exited and that has the place `at` in sm->blocks, and ends its
 * kernel if it was the last one. Another block may get steps because of that. Returns the time at which
 * the block ended. */
uint64_t run_retire_block(struct run *run, struct sm *sm, unsigned at);

#endif
