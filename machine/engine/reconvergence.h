/*
 * Lanes of a warp that have come to a join (machine/code/joins.h) wait for those that are still on their way
 * to it, and go on together, as independent threads do in nvcc's code. They do so only if warps run in turn
 * and memory is coherent: otherwise the machine looks for orders that a program must not rely on, and lanes
 * go on as they like.
 */
#ifndef MACHINE_RECONVERGENCE_H
#define MACHINE_RECONVERGENCE_H

#include "machine/state.h"

/* Do lanes wait at joins? Lockstep warps wait where the code says so (rendezvous.h). */
bool reconvergence_is_on(void);

/* Called in a running lane that has come to this join. */
void reconvergence_pass(struct warp *warp, unsigned lane, size_t join);

/* Called before lanes of the warp run. */
void reconvergence_begin(struct warp *warp);

/* Called when lanes that were at one instruction have run: notes in warp->held which of them wait for
 * others. */
void reconvergence_end(struct warp *warp, lane_set lanes);

/* Called when the groups of the lanes that have run are formed: lets those lanes go on that need not wait
 * any more. */
void reconvergence_open(struct warp *warp);

/* Lets all lanes of the run go on that wait at joins, because the others may wait for them at a barrier.
 * Returns false if there are none, or if they have gone on before and nothing has changed since. */
bool reconvergence_give_up(struct run *run);

#endif
