/* Starts requests: dispatches them, so that they are under way to memory. */
#ifndef MACHINE_REQUESTS_H
#define MACHINE_REQUESTS_H

#include "machine/state.h"

/* Dispatches the group's request: sets its times by its cost, and keeps it among the warp's groups until
 * it takes effect. */
void requests_start(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

#endif
