/* The groups of a warp: lanes that are at the same instruction and may make their requests at the same
 * time. */
#ifndef MACHINE_GROUPS_H
#define MACHINE_GROUPS_H

#include "machine/state.h"
#include "machine/time/scoreboard.h"

/* Lanes that may run on, and the outcome of the request that they have made. */
struct resumption {
    lane_set lanes;
    struct outcome last;
};

/* Computes the time of the warp's next event; called whenever a group of the warp has changed. */
void groups_update_times(struct warp *warp);

/* Puts a group whose request has been dispatched into the warp's groups, where it stays until the request
 * takes effect. The lanes of an atomic take effect one after another, or several at once, and are split into
 * groups accordingly. */
void groups_enter_memory(struct warp *warp, struct group *group);

/* Removes the groups whose requests take effect at `now` or earlier from the warp's groups. Returns how
 * many groups it removed. */
unsigned groups_leave_memory(struct warp *warp, uint64_t now,
                             struct resumption resumptions[MACHINE_MAX_WARP]);

/* Puts lanes that have reached their next requests into new groups, or notes that they have exited. `last`
 * is the outcome of the request that they have just made. */
void groups_form(struct warp *warp, lane_set lanes, const struct outcome *last);

/*
 * Warps whose lanes are together. Most warps never part: all lanes are at one request, with equal times. Then
 * the machine keeps one entry for all of them, because its speed depends on how much memory a request
 * touches. A function that needs the entries of all lanes must call together_end() first.
 */

/* Gives each lane an entry of its own. Does nothing if the lanes are not together. */
void together_end(struct warp *warp);

/* Calls together_end() for all warps. */
void together_end_all(struct run *run);

/* A lane's state is compared only after this number of polls, because the comparison takes longer than a
 * poll. */
#define REPEATS_BEFORE_STATES 150

/* Returns whether the warp has polled for so long that the states of its lanes are compared. Then each lane
 * needs an entry of its own. */
bool together_polls_too_long(const struct warp *warp);

#endif
