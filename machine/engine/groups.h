/*
 * The groups of a warp: lanes that are at the same request, and may make it at the same time.
 */
#ifndef MACHINE_GROUPS_H
#define MACHINE_GROUPS_H

#include "machine/time/scoreboard.h"

/* Lanes of a warp that may run on, and the request that they have made. */
struct resumption {
    lane_set lanes;
    struct outcome last;
};

/* Notes the time of the warp's next event; called whenever a group of the warp has changed. */
void groups_update_times(struct warp *warp);

/* Puts a group whose request has been dispatched into memory until it takes effect. The lanes of an atomic
 * take effect one after another, or several at once. */
void groups_enter_memory(struct warp *warp, struct group *group);

/* Takes the groups whose requests take effect now or before out of the warp's groups, and returns how many
 * there are. */
unsigned groups_leave_memory(struct warp *warp, uint64_t now,
                             struct resumption resumptions[MACHINE_MAX_WARP]);

/* Puts lanes that have reached their next request into new groups, or notes that they have exited. `last`
 * is the request that they have made. */
void groups_form(struct warp *warp, lane_set lanes, const struct outcome *last);

#endif
