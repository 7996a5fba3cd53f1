/* What a request costs: when it takes effect and when it is complete. */
#ifndef MACHINE_COST_H
#define MACHINE_COST_H

#include "machine/state.h"

/* Before a launch: nothing is under way. */
void cost_reset(void);

/* Sets when the group's request, dispatched now, takes effect and is complete, and counts it. Of an
 * atomic, each lane has its own time of effect. */
void cost_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

#endif
