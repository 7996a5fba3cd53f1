/*
 * Lanes of a warp that have come to a join (machine/ptx/graph.h) wait for those that are still on their way
 * to it, and go on together, as independent threads do in nvcc's code. They do so only if warps run in turn
 * and memory is coherent. Under other schedules, and on weak memory, lanes do not wait at joins, because the
 * machine then looks for orders on which a program must not rely.
 */
#ifndef MACHINE_RECONVERGENCE_H
#define MACHINE_RECONVERGENCE_H

#include "machine/state.h"

/* Returns whether lanes wait at joins. Lockstep warps instead wait at convergence points (rendezvous.h). */
bool reconvergence_is_on(void);

/* Notes that the running lane, which calls this function, has come to the join. */
void reconvergence_pass(struct warp *warp, lane_set lanes, size_t join);

/* Called before lanes of the warp run: forgets which joins its lanes have passed. */
void reconvergence_begin(struct warp *warp);

/* Called after lanes that were at one instruction have run: notes in warp->held which of them wait for
 * other lanes. */
void reconvergence_end(struct warp *warp, lane_set lanes);

/* Called when lanes that have run are put into groups: releases those lanes that need not wait at their
 * joins any longer. */
void reconvergence_open(struct warp *warp);

/* Releases all lanes of the run that wait at joins, because other lanes may wait for them at a barrier.
 * Returns false if no lane waits at a join, or if nothing has changed since the last release. */
bool reconvergence_give_up(struct run *run);

#endif
