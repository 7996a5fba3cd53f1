/* Who is next, where several could be: the schedule. */
#ifndef MACHINE_POLICY_H
#define MACHINE_POLICY_H

#include "machine/state.h"

/* The multiprocessor whose event comes first; among equals the lowest, or any where chance or
 * malice rules. */
struct sm *policy_next_sm(struct run *run);

/* A warp that may be dispatched now, or NULL. */
struct warp *policy_choose_warp(struct sm *sm, uint64_t now);

/*
 * Takes the ready lanes that are dispatched together out of the warp's groups: those that stand at
 * one instruction. Their group is returned, but for the times of its effect.
 */
struct group policy_choose_lanes(struct warp *warp, uint64_t now);

/* After a dispatch: the adversary of a machine with several multiprocessors may hold the warp back. */
void policy_hold_back(struct warp *warp, uint64_t now);

#endif
