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

/* Can all blocks of the kernel be resident? */
bool run_has_room_for_all(const struct run *run, const struct kernel *kernel);

/* The lowest of the kernel's places on the multiprocessor that no block has. */
unsigned run_free_place(const struct sm *sm, const struct kernel *kernel);

/* Creates the block's warps and puts them on its multiprocessor; removes a block, given by
 * its place in sm->blocks. */
void run_form_warps(struct sm *sm, struct block *block);
void run_remove_block(struct sm *sm, unsigned at);

void run_end_kernel(struct kernel *kernel);

#endif
