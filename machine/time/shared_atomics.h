/* The time of atomics on shared memory, on a machine that knows how the lanes of a warp take turns there
 * (shared_atomic_lane). */
#ifndef MACHINE_SHARED_ATOMICS_H
#define MACHINE_SHARED_ATOMICS_H

#include "machine/state.h"

/* Sets for each lane of the group the time at which its atomic on shared memory takes effect
 * (lane_more.effect_at), and for the group the time at which all are complete. The atomic is dispatched
 * now. */
void shared_atomics_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

/* Returns whether the lanes wait for the atomic although nothing uses its result, because it is a loop. */
bool shared_atomics_loop(const struct warp *warp, lane_set lanes);

#endif
