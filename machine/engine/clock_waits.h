/*
 * Skips what lanes do while they only wait for the clock. If all lanes of a multiprocessor read the clock in
 * loops, and the multiprocessor returns to an earlier state, apart from the time, then this period repeats
 * until a loop ends. All repetitions but the last are skipped at once. The results are equal, to the time
 * unit, to those of a simulation of each period. The environment variable GPUSYNC_EACH_CLOCK_READING turns
 * the skipping off, so that tests can compare the two.
 */
#ifndef MACHINE_CLOCK_WAITS_H
#define MACHINE_CLOCK_WAITS_H

#include "machine/state.h"

/* Called when the event loop begins: may a multiprocessor go ahead of the others until the loop ends? */
void clock_waits_allow(struct run *run);
void clock_waits_forbid(void);

/* Called before and after a multiprocessor handles an event. clock_waits_step_ends() may advance its
 * time. */
void clock_waits_step_begins(struct sm *sm);
void clock_waits_step_ends(struct run *run, struct sm *sm);

/* Called when the multiprocessor has dispatched a group. `ran` says whether only this group's lanes have
 * run. */
void clock_waits_dispatched(struct sm *sm, const struct warp *warp, const struct group *group, bool ran,
                            uint64_t now);

/* clock_waits_ran() is called when lanes of a watched multiprocessor have run on to their next requests,
 * before these are put into groups. clock_waits_block() is called when such lanes begin a basic block, and
 * returns whether they may go on; if not, their state is restored. clock_waits_watch is true while such lanes
 * run. */
extern bool clock_waits_watch;
void clock_waits_ran(const struct warp *warp, lane_set lanes);
bool clock_waits_block(const void *block);

#endif
