/*
 * Lanes that wait for each other: __syncthreads and named barriers among a block, __syncwarp,
 * shuffles and votes among a warp, convergence points. Each function answers who may go on; none
 * runs a lane.
 */
#ifndef MACHINE_RENDEZVOUS_H
#define MACHINE_RENDEZVOUS_H

#include "machine/state.h"

/* Have all of the block that still run arrived? Exited ones count as arrived. Then the barrier is
 * empty. */
bool rendezvous_block_opens(struct block *block, uint64_t now);

/* These lanes come to their named barrier (bar.sync, bar.arrive). Is it complete? Then it begins
 * anew. */
bool rendezvous_named_opens(struct warp *warp, lane_set lanes);
unsigned rendezvous_named_barrier(const struct warp *warp, unsigned lane); /* which one the lane is at */

/*
 * The warp's lanes that wait with this lane at a warp-wide operation and may go on, with their
 * results, because all lanes of its mask that still run have arrived; none if not.
 */
lane_set rendezvous_warp(struct warp *warp, unsigned lane);

/*
 * Convergence points of a lockstep machine. Before Volta, a warp had one program counter: where its
 * lanes went apart, the hardware ran one side after the other and brought them together again at a
 * point that an instruction had set before (SSY; Li 2015, Listings 3 and 8). Lanes that reach the
 * point wait there for the others, which is what makes the SIMD deadlock of section 4.4.1. Where a
 * kernel sets no point, the machine runs the lanes at the lowest instruction first, so that they
 * meet where the branches of the code do.
 */
void convergence_set(struct warp *warp,
                     lane_set lanes);            /* the lanes that are here together will meet again */
lane_set convergence_reached(struct warp *warp); /* those whose point is complete; it is theirs no longer */

#endif
