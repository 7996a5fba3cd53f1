/*
 * A deadlock on this machine: every lane that has not exited waits at a barrier, or polls, that is,
 * repeats the same few loads, again and again while nobody writes, exits or passes a barrier.
 */
#ifndef MACHINE_DEADLOCK_H
#define MACHINE_DEADLOCK_H

#include "machine/state.h"

/* These lanes load, or try an atomic or a lock. */
void deadlock_remember_loads(struct warp *warp, lane_set lanes);

/* Exact, but walks over all lanes: the scheduler asks only when nothing has changed for long. */
bool deadlock_suspected(const struct run *run);

/* Writes machine_deadlock_report's text. */
void deadlock_describe(const struct run *run);

#endif
