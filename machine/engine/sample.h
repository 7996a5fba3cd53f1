/*
 * A sample of a program's work, for programs that are too large (machine_set_sample() of machine/machine.h).
 * Repeated launches and blocks of large grids are left out. The other blocks have the same input as in the
 * whole program, because a thread ends before it uses data that a left-out block would have written.
 */
#ifndef MACHINE_SAMPLE_H
#define MACHINE_SAMPLE_H

#include "machine/memory/arrays.h"
#include "machine/state.h"

/* The number of steps that a block's warps make on average before the block is ended; 0 means all. */
extern unsigned sample_steps;
/* Called when a warp makes a step. After the last step that its block may make, the block's threads end when
 * their requests are complete. All that the kernel has written becomes doubtful, because the block might have
 * changed it. */
void sample_step(struct warp *warp);

/* Counts the launch. Returns whether it is left out, because enough launches of the kernel were made. */
bool sample_leaves_out(const struct machine_launch *launch);

/* Called when a kernel is made: chooses the number of its blocks that are run. */
void sample_begin(struct kernel *kernel);

/* Called when the kernel has ended. */
void sample_end(const struct kernel *kernel);

/* Called when a stream has copied these bytes, after blocks were left out. If the host has read data that are
 * not known, its next launches may depend on them; then the function returns true, and these launches are
 * left out. */
bool sample_copies(uintptr_t to, uintptr_t from, size_t bytes, bool to_host);

/* Returns the number of the block that begins next, for a kernel whose grid is not run whole. */
unsigned sample_next_block(struct kernel *kernel);

/* Called when nothing can change any more. The reason may be that running blocks wait for left-out blocks, so
 * more blocks may begin; returns whether they may. */
bool sample_widens(struct run *run);

/* Have blocks been left out? Have threads ended because of that, so that others may wait for them in vain? */
bool sample_has_gaps(void);
bool sample_has_ended_threads(void);

/* Called when the block reads bytes that are not known to be written. If a left-out block might have written
 * them, the block's threads end when their requests are complete. */
void sample_reads(struct block *block, enum content content, const void *instruction);
void sample_end_block(struct block *block);

/* Returns which of these lanes end now. */
lane_set sample_take_ended(struct warp *warp, lane_set lanes);

#endif
