/* The schedule: chooses which warp, and which lanes of it, are dispatched if several could be. */
#ifndef MACHINE_POLICY_H
#define MACHINE_POLICY_H

#include "machine/state.h"

/* Returns a ready warp of the multiprocessor, as the schedule chooses, or NULL if no warp is ready. */
struct warp *policy_choose_warp(struct sm *sm, uint64_t now);

/* Will this ready warp's next dispatch take an issue slot? */
bool policy_needs_slot(const struct warp *warp, uint64_t now);

/* Chooses lanes of the warp that are ready at one instruction, and takes them out of the warp's groups
 * into `group`, whose times of effect are not set. `needs_slot` tells whether the dispatch takes an issue
 * slot. Returns false if the schedule delays the lanes, which then stay among the warp's groups. */
bool policy_take_group(struct warp *warp, uint64_t now, struct group *group, bool *needs_slot);

/* Called before a warp's first instruction: the schedule may delay the warp's beginning. */
void policy_start(struct warp *warp, uint64_t now);

/* Called after a dispatch in an issue slot: the schedule may hold the warp back, or give its block no
 * further steps. */
void policy_hold_back(struct warp *warp, uint64_t now);

#endif
