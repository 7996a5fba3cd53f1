/*
 * Lanes that wait for each other: __syncthreads and named barriers within a block, __syncwarp, shuffles and
 * votes within a warp, convergence points. Each function answers which lanes may continue; none runs a lane.
 */
#ifndef MACHINE_RENDEZVOUS_H
#define MACHINE_RENDEZVOUS_H

#include "machine/state.h"

/* Have all threads of the block that still run arrived? Exited threads count as arrived. If so, the barrier
 * is empty again. */
bool rendezvous_block_opens(struct block *block, uint64_t now);

/* These lanes arrive at their named barrier (bar.sync, bar.arrive). Is it complete? If so,
 * its count begins anew. */
bool rendezvous_named_opens(struct warp *warp, lane_set lanes);
unsigned rendezvous_named_barrier(const struct warp *warp, unsigned lane); /* which one the lane is at */

/*
 * The warp's lanes that wait with this lane at a warp-wide operation and may continue, with their results,
 * because all lanes of the operation's mask that still run have arrived; otherwise the empty set.
 */
lane_set rendezvous_warp(struct warp *warp, unsigned lane);

/*
 * Convergence points of a lockstep machine. Before Volta, a warp had one program counter: where its lanes
 * diverged, the hardware ran one side after the other and reconverged them at a point that an earlier
 * instruction had set (SSY; Li 2015, Listings 3 and 8). Lanes that reach the point wait there for the others,
 * which causes the SIMD deadlock of section 4.4.1. Where a kernel sets no point, the machine runs the lanes
 * at the lowest instruction first, so that they reconverge where the branches of the code do.
 */
void convergence_set(struct warp *warp,
                     lane_set lanes);            /* the lanes that are here together will meet again */
lane_set convergence_reached(struct warp *warp); /* those whose point is complete; it is theirs no longer */

#endif
