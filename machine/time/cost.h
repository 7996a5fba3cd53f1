/* The cost of a request: the times at which it takes effect and is complete. */
#ifndef MACHINE_COST_H
#define MACHINE_COST_H

#include "machine/state.h"

/* Called before a launch: forgets all requests in flight. */
void cost_reset(void);

/* Sets the times at which the group's request, which is dispatched now, takes effect and is complete.
 * Counts the request in the counters. In an atomic, each lane has its own time of effect. */
void cost_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

/* Returns the time from the dispatch of an atomic on this address until the memory begins to serve it. */
uint64_t cost_way_of_atomic(const struct warp *warp, uintptr_t address);

#endif
