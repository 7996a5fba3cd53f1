/*
 * Why a deadlock does not end, and what would mend it. This needs the writes of each word and the last read
 * of each thread, so only the run that explains a deadlock or a wrong answer notes them
 * (machine_explain_hangs()). Of a wrong answer it tells whether a ticket is left from an earlier launch.
 */
#ifndef MACHINE_HANG_CAUSES_H
#define MACHINE_HANG_CAUSES_H

#include "machine/state.h"

extern bool hang_causes_are_noted;

/* Called before and after the requests of these lanes take effect. */
void hang_causes_before(struct warp *warp, lane_set lanes);
void hang_causes_after(void);

/* Writes what would mend the deadlock in which all threads of the run are; "" if nothing is known. */
void hang_causes_tell(const struct run *run, char *text, size_t size);

#endif
