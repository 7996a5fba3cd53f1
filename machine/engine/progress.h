/*
 * Which blocks begin where, and which get further steps. Models of progress (Sorensen, Evrard and Donaldson,
 * "GPU Schedulers: How Fair Is Fair Enough?", CONCUR 2018; the blocks of a grid are the threads of that
 * paper) say which steps are promised. machine_set_progress() of machine/machine.h chooses a model. Steps
 * that the model does not promise are withheld by chance.
 */
#ifndef MACHINE_PROGRESS_H
#define MACHINE_PROGRESS_H

#include "machine/state.h"

/* ---- progress ---- */

/* Doubles the limit of machine_set_resident_threads() if blocks wait to begin and the resident blocks change
 * nothing, or are stuck. Returns whether it did, so that more blocks may begin. */
bool progress_widens(const struct run *run, bool is_stuck);

/* Returns the number of the kernel's block that begins next, on a machine with one device. */
unsigned progress_next_block(struct kernel *kernel);

/* Called after a dispatch: the progress model may give the warp's block no further steps. */
void progress_withhold(struct warp *warp);

/* Called when a block has ended. Returns the block that may make steps again because of this, or NULL. */
struct block *progress_resume(struct run *run);

static inline bool progress_is_withheld(const struct warp *warp)
{
    return warp->held_until == NEVER;
}

/* ---- places ---- */

/* A multiprocessor takes blocks of several kernels within its limits on threads, shared memory, registers and
 * blocks, as the occupancy calculator counts them for one kernel. A kernel whose stream has a higher priority
 * comes first; among equal priorities, the kernel that was launched first. */

/* Returns whether the kernel has begun and has blocks left that belong to the multiprocessor's device. */
bool places_wanted(const struct kernel *kernel, const struct sm *sm);

/* Returns how many more blocks of the kernel the multiprocessor can take in addition to its present
 * blocks. */
size_t places_free(const struct sm *sm, const struct kernel *kernel);

/* Returns the first kernel that has begun and has blocks left, one of which fits on the multiprocessor,
 * or NULL if there is none. */
struct kernel *places_next(struct run *run, const struct sm *sm);

/* Returns the first kernel that has not begun and may begin, or NULL. A cooperative kernel may begin only
 * if there are places for all its blocks. */
struct kernel *places_next_to_begin(struct run *run);

#endif
