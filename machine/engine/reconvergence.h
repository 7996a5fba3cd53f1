/*
 * Lanes of a warp that have come to a join (machine/code/joins.h) wait for those that are still on their way to it, and
 * go on together, as independent threads do in the code that nvcc makes for them. Only in turn and with coherent
 * memory: elsewhere the machine looks for orders that a program must not rely on, and lanes go on as they like.
 */
#ifndef MACHINE_RECONVERGENCE_H
#define MACHINE_RECONVERGENCE_H

#include "machine/state.h"

/* Do lanes wait at joins? Lockstep warps wait where the code says so (rendezvous.h). */
bool reconvergence_is_on(void);

/* Called in a lane, in the block that begins with this join. */
void reconvergence_pass(struct warp *warp, unsigned lane, size_t join);

/* To be called before lanes run. */
void reconvergence_begin(struct warp *warp);

/* To be called when they have run, for lanes that were at one instruction: notes which are to wait, in warp->held. */
void reconvergence_end(struct warp *warp, lane_set lanes);

/* To be called when these lanes' groups are formed: lets those go on for whom nobody is missing any more. */
void reconvergence_open(struct warp *warp);

/* Lets all lanes of the run go on that wait at joins, because the others may wait for them at a barrier. Returns false if
 * there are none, or if they have gone on before and nothing has changed since. */
bool reconvergence_give_up(struct run *run);

#endif
