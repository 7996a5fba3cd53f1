/*
 * Which blocks get to begin and to go on, if not all do: models of progress (Sorensen, Evrard and Donaldson, "GPU
 * Schedulers: How Fair Is Fair Enough?", CONCUR 2018), with the blocks of a grid as their threads. machine_set_progress of
 * machine/machine.h chooses one. What a model does not promise, it withholds by chance.
 */
#ifndef MACHINE_PROGRESS_H
#define MACHINE_PROGRESS_H

#include "machine/state.h"

/* May another block begin? */
bool progress_has_place(const struct run *run);

/* The number of the kernel's block that begins next, of those on one device. */
unsigned progress_next_block(struct kernel *kernel);

/* After a dispatch: its block may get no more steps. */
void progress_withhold(struct warp *warp);

/* A block has ended. The one that goes on because of that, or NULL. */
struct block *progress_resume(struct run *run);

static inline bool progress_is_withheld(const struct warp *warp)
{
    return warp->held_until == NEVER;
}

#endif
