/* Requests on their way to memory. */
#ifndef MACHINE_REQUESTS_H
#define MACHINE_REQUESTS_H

#include "machine/state.h"

/* Sends the request of a dispatched group on its way: it has its cost from now on, and is among the warp's
 * groups until it takes effect. */
void requests_start(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

#endif
