/* The schedule: which warp and lanes are next if several could be. */
#ifndef MACHINE_POLICY_H
#define MACHINE_POLICY_H

#include "machine/state.h"

/* A warp that may be dispatched now, or NULL. */
struct warp *policy_choose_warp(struct sm *sm, uint64_t now);

/* Does what leads in this ready warp take a slot of dispatch? */
bool policy_needs_slot(const struct warp *warp, uint64_t now);

/*
 * Takes the ready lanes that are dispatched together, those at one instruction, out of the warp's groups.
 * Returns their group, without the times of its effect.
 */
struct group policy_choose_lanes(struct warp *warp, uint64_t now);

/* Does the group, chosen to be dispatched, come later? Its time is then put off. */
bool policy_puts_off(struct group *group, uint64_t now);

/* Before a warp's first instruction: it may begin late. */
void policy_start(struct warp *warp, uint64_t now);

/* After a dispatch: the adversary of a machine with several multiprocessors may hold the warp back. */
void policy_hold_back(struct warp *warp, uint64_t now);

#endif
