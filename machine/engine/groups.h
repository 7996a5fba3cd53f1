/*
 * The groups of a warp: lanes that stand at one request, and may make it at the same time.
 */
#ifndef MACHINE_GROUPS_H
#define MACHINE_GROUPS_H

#include "machine/time/scoreboard.h"

/* To be called whenever a group of the warp has changed: notes when the warp has something to do next. */
void groups_update_times(struct warp *warp);

/* Puts lanes that have run on since their request was made into new groups, or notes that they have exited. */
void groups_form(struct warp *warp, lane_set lanes, const struct outcome *last);

/* The same of a group whose request to memory took effect. */
void groups_form_after_access(struct warp *warp, const struct group *group);

#endif
