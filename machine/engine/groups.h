/*
 * The groups of a warp: lanes that are at the same request, and may make it at the same time.
 */
#ifndef MACHINE_GROUPS_H
#define MACHINE_GROUPS_H

#include "machine/time/scoreboard.h"

/* To be called whenever a group of the warp has changed: notes the time of the warp's next event. */
void groups_update_times(struct warp *warp);

/* Puts lanes that have reached their next request into new groups, or notes that they have exited. */
void groups_form(struct warp *warp, lane_set lanes, const struct outcome *last);

/* Like groups_form, for a group whose request to memory took effect. */
void groups_form_after_access(struct warp *warp, const struct group *group);

#endif
