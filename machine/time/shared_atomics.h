/* The time of atomics on shared memory, on a machine that knows how the lanes of a warp take turns there
 * (shared_atomic_lane). */
#ifndef MACHINE_SHARED_ATOMICS_H
#define MACHINE_SHARED_ATOMICS_H

#include "machine/state.h"

/* Sets the times at which the group's atomics on shared memory take effect (struct group, `parts`), and the
 * time at which all are complete. The atomics are dispatched now. */
void shared_atomics_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

/* Returns whether the lanes wait for the atomic although nothing uses its result, because it is a loop. */
bool shared_atomics_loop(const struct warp *warp, lane_set lanes);

#endif
