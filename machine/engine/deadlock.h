/*
 * A deadlock on this machine: every lane that has not exited waits at a barrier or polls. A lane polls if it
 * returns to an earlier state of its own while no lane changes memory, exits or passes a barrier.
 */
#ifndef MACHINE_DEADLOCK_H
#define MACHINE_DEADLOCK_H

#include "machine/state.h"

/* Called when these lanes load, do an atomic or try a lock bit: notes repeated loads. */
void deadlock_remember_loads(struct warp *warp, lane_set lanes);

/* Returns what the lane reads from a clock at this time. A loop that reads it may end by itself, after a
 * time-out; so if nothing but the time changes any more, all clocks are set forward and stop. */
uint64_t deadlock_clock(struct lane_more *more, uint64_t time);

/* deadlock_before_stores() and deadlock_after_stores() are called before and after these lanes make their
 * stores, if deadlock_watches_stores(). A store of the value that memory already has changes nothing; any
 * other store calls note_change(). */
bool deadlock_watches_stores(void);
void deadlock_before_stores(const struct warp *warp, lane_set lanes);
void deadlock_after_stores(void);

/* Returns whether nothing can change any more. `next` is the multiprocessor whose event comes first. Lanes
 * are examined only if nothing has changed for long. */
bool deadlock_suspected(struct run *run, const struct sm *next);

/* Writes the text that machine_deadlock_report() returns. */
void deadlock_describe(const struct run *run);

#endif
