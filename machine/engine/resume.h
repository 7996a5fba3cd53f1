/* Lets lanes of a warp run on, each from its request to its next one. */
#ifndef MACHINE_RESUME_H
#define MACHINE_RESUME_H

#include "machine/engine/groups.h"

/* Lets the lanes of these resumptions execute their requests and run on. Afterwards the lanes are in new
 * groups or have exited. The caller has removed them from all of the warp's groups and sets. */
void resume_lanes(struct warp *warp, const struct resumption *resumptions, unsigned count);

#endif
