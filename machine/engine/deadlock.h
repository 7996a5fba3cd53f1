/*
 * A deadlock on this machine: every lane that has not exited waits at a barrier, or polls, that is, it
 * repeats the same few loads while no lane writes, exits or passes a barrier.
 */
#ifndef MACHINE_DEADLOCK_H
#define MACHINE_DEADLOCK_H

#include "machine/state.h"

/* Called when these lanes load, do an atomic or try a lock bit: notes repeated loads. */
void deadlock_remember_loads(struct warp *warp, lane_set lanes);

/* Returns whether nothing can change any more. `next` is the multiprocessor whose event comes first. Lanes
 * are examined only if nothing has changed for long. */
bool deadlock_suspected(struct run *run, const struct sm *next);

/* Writes the text that machine_deadlock_report() returns. */
void deadlock_describe(const struct run *run);

#endif
