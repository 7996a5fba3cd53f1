/*
 * Models of progress: which blocks begin and go on, if not all do (Sorensen, Evrard and Donaldson, "GPU
 * Schedulers: How Fair Is Fair Enough?", CONCUR 2018; the blocks of a grid are the threads of that paper).
 * machine_set_progress of machine/machine.h chooses a model. What the model does not promise is withheld by
 * chance.
 */
#ifndef MACHINE_PROGRESS_H
#define MACHINE_PROGRESS_H

#include "machine/state.h"

/* May another block begin? */
bool progress_has_place(const struct run *run);

/* The number of the kernel's block that begins next, on a machine with one device. */
unsigned progress_next_block(struct kernel *kernel);

/* Called after a dispatch: the warp's block may get no more steps. */
void progress_withhold(struct warp *warp);

/* Called when a block has ended. Returns the block that gets steps again because of that, or NULL. */
struct block *progress_resume(struct run *run);

static inline bool progress_is_withheld(const struct warp *warp)
{
    return warp->held_until == NEVER;
}

#endif
