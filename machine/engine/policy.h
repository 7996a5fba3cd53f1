/* The schedule: which warp and lanes are next if several could be. */
#ifndef MACHINE_POLICY_H
#define MACHINE_POLICY_H

#include "machine/state.h"

/* A warp that may be dispatched now, or NULL. */
struct warp *policy_choose_warp(struct sm *sm, uint64_t now);

/* Does the group that leads in this ready warp take an issue slot? */
bool policy_needs_slot(const struct warp *warp, uint64_t now);

/* Takes the ready lanes that are dispatched together, those at one instruction, out of the warp's groups.
 * Their group has no times of its effect yet. `needs_slot` says whether the dispatch takes an issue slot.
 * Returns false if the schedule puts the group off, which stays among the warp's groups. */
bool policy_take_group(struct warp *warp, uint64_t now, struct group *group, bool *needs_slot);

/* Called before a warp's first instruction: the schedule may let it begin late. */
void policy_start(struct warp *warp, uint64_t now);

/* After a dispatch in a slot: the schedule may hold the warp back, or withhold all further steps from its
 * block. */
void policy_hold_back(struct warp *warp, uint64_t now);

#endif
