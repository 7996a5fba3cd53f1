/* Kernels in progress, and the resources that they share (a run): multiprocessors, places for blocks, warps
 * and shared memory. */
#ifndef MACHINE_RUN_H
#define MACHINE_RUN_H

#include "machine/state.h"

/* Frees a run's resources, and the kernels that are still in progress. */
void run_close(struct run *run);

/* number of kernels that have ended so far, in all runs */
extern uint64_t run_ended_kernels;

/* Puts the kernel's next block on the multiprocessor, with shared memory and with its warps at their
 * first instruction. Returns the block. */
struct block *run_place_block(struct kernel *kernel, struct sm *sm, uint64_t now);

/* Removes the block at index `at` of sm->blocks, whose threads have all exited. Ends its kernel if it
 * was the kernel's last block. The progress model may give steps to another block in its place. Returns
 * the time at which the removed block ended. */
uint64_t run_retire_block(struct run *run, struct sm *sm, unsigned at);

/* Makes a kernel from the launch and reads the kernel's code. Opens a run for the kernel, unless a run of
 * overlapping kernels is open. `order` is the launch's place among the tasks of all streams, or NULL if
 * streams are not queues (machine/cuda/queues.h); it must live until the kernel is added. */
struct kernel kernels_prepare(struct run *run, const struct machine_launch *launch,
                              const struct machine_stream *stream, const struct task_order *order);

/* Adds the prepared kernel to the run. The kernel's blocks may begin from now on. */
struct kernel *kernels_add(struct run *run, const struct kernel *prepared);

/* Returns the kernel in progress of the stream, or of any stream if `stream` is NULL. Returns NULL if
 * there is none. */
struct kernel *kernels_of(struct run *run, const struct machine_stream *stream);

/* The function that ends a run from outside, at its next event (machine_interrupt() in machine/machine.h) */
extern void (*volatile interrupt_stop)(void);

static inline void interrupt_if_due(void)
{
    if (__builtin_expect(interrupt_stop != NULL, 0))
        interrupt_stop();
}

#endif
