/* The cost of a request: when it takes effect and when it is complete. */
#ifndef MACHINE_COST_H
#define MACHINE_COST_H

#include "machine/state.h"

/* Called before a launch: no request is in flight. */
void cost_reset(void);

/* Sets the times at which the group's request, dispatched now, takes effect and is complete, and counts the
 * request. In an atomic, each lane has its own time of effect. */
void cost_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

#endif
