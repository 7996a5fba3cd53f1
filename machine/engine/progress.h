/*
 * Models of progress: which blocks begin and which get further steps (Sorensen, Evrard and Donaldson, "GPU
 * Schedulers: How Fair Is Fair Enough?", CONCUR 2018; the blocks of a grid are the threads of that paper).
 * machine_set_progress() of machine/machine.h chooses a model. Steps that the model does not promise are
 * withheld by chance.
 */
#ifndef MACHINE_PROGRESS_H
#define MACHINE_PROGRESS_H

#include "machine/state.h"

/* Returns whether the progress model's limit on resident blocks allows another block. */
bool progress_has_place(const struct run *run);

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

#endif
