/*
 * A deadlock on this machine: every lane that has not exited waits at a barrier, or polls, that is, it
 * repeats the same few loads while no lane writes, exits or passes a barrier.
 */
#ifndef MACHINE_DEADLOCK_H
#define MACHINE_DEADLOCK_H

#include "machine/state.h"

/* Called when these lanes load, or try an atomic or a lock. */
void deadlock_remember_loads(struct warp *warp, lane_set lanes);

/* Can nothing change any more? `next` is the multiprocessor whose event comes first. Lanes are looked at
 * only when nothing has changed for long. */
bool deadlock_suspected(struct run *run, const struct sm *next);

/* Writes the text of machine_deadlock_report. */
void deadlock_describe(const struct run *run);

#endif
