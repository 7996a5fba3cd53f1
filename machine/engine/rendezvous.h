/*
 * Lanes that wait for each other: __syncthreads and named barriers within a block, __syncwarp, shuffles and
 * votes within a warp, convergence points. Nothing here runs a lane: the scheduler asks which lanes may run
 * on.
 *
 * Convergence points belong to lockstep machines. Before Volta, a warp had one program counter: where its
 * lanes diverged, the hardware ran one side after the other and reconverged them at a point that an earlier
 * instruction had set (SSY; Li 2015, Listings 3 and 8). Lanes that reach the point wait there for the others,
 * which causes the SIMD deadlock of section 4.4.1. Where a kernel sets no point, the machine runs the lanes
 * at the lowest instruction first, so that they reconverge where the branches of the code do.
 */
#ifndef MACHINE_RENDEZVOUS_H
#define MACHINE_RENDEZVOUS_H

#include "machine/engine/groups.h"

/* Lets the lanes of this group, whose request is_rendezvous(), arrive at the barrier, operation or
 * convergence point where they wait. */
void rendezvous_arrive(struct warp *warp, const struct group *group, uint64_t now);

/* Notes that these lanes have exited, which can complete what other lanes wait for. */
void rendezvous_exit(struct warp *warp, lane_set lanes, uint64_t now);

/* Finds lanes that may run on because what they waited for is complete, and removes them from the warp's
 * sets of waiting lanes. Returns false if there are none. */
bool rendezvous_next(struct warp **warp, struct resumption *next, uint64_t now);

#endif
