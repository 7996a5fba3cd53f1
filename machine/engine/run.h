/* The resources that kernels in progress share (a run): multiprocessors, places for blocks, warps, stacks
 * and shared memory. */
#ifndef MACHINE_RUN_H
#define MACHINE_RUN_H

#include "machine/state.h"

/* run_open() allocates all resources for a first kernel and for kernels that overlap with it. run_close()
 * frees them and the kernels that are still in progress. */
void run_open(struct run *run, const struct kernel *first);
void run_close(struct run *run);

/* number of kernels that have ended so far, in all runs */
extern uint64_t run_ended_kernels;

/* Puts the kernel's next block on the multiprocessor, with stacks and shared memory and with its warps at
 * their first instruction. Returns the block. */
struct block *run_place_block(struct kernel *kernel, struct sm *sm, uint64_t now);

/* Removes the block at index `at` of sm->blocks, whose threads have all exited. Ends its kernel if it
 * was the kernel's last block. The progress model may give steps to another block in its place. Returns
 * the time at which the removed block ended. */
uint64_t run_retire_block(struct run *run, struct sm *sm, unsigned at);

/* The function that ends a run from outside, at its next event (machine_interrupt() in machine/machine.h) */
extern void (*volatile interrupt_stop)(void);

static inline void interrupt_if_due(void)
{
    if (__builtin_expect(interrupt_stop != NULL, 0))
        interrupt_stop();
}

#endif
