/*
 * Lanes of a warp that have reached a join (machine/ptx/graph.h) wait for the lanes that will reach it, too,
 * and then go on together, as in nvcc's code for GPUs with independent thread scheduling. They do so only if
 * warps run in turn and memory is coherent. Under other schedules, and on weak memory, lanes do not wait at
 * joins, because the machine then looks for orders on which a program must not rely.
 */
#ifndef MACHINE_RECONVERGENCE_H
#define MACHINE_RECONVERGENCE_H

#include "machine/state.h"

/* Returns whether lanes wait at joins. Lockstep warps instead wait at convergence points (rendezvous.h). */
bool reconvergence_is_on(void);

/* Notes that the running lane, which calls this function, has reached the join. */
void reconvergence_pass(struct warp *warp, lane_set lanes, size_t join);

/* Called before lanes of the warp run: forgets which joins its lanes have passed. */
void reconvergence_begin(struct warp *warp);

/* Called when lanes that were at one instruction have run: notes in warp->held which of these lanes wait for
 * others. */
void reconvergence_end(struct warp *warp, lane_set lanes);

/* Called when lanes that have run are put into groups: releases lanes that no longer need to wait at their
 * joins. */
void reconvergence_open(struct warp *warp);

/* Releases all lanes of the run that wait at joins, because other lanes may wait for them at a barrier.
 * Returns false if no lane waits at a join, or if nothing has changed since the last release. */
bool reconvergence_give_up(struct run *run);

/* The convergence points of a lockstep warp: lanes set a point together (SSY) and wait for each other when
 * they reach it. */

#define MAX_CONVERGENCE_DEPTH 8

/* A warp's convergence points that lanes have set and not yet reached (lockstep machines only). The arrays
 * are ordered by point and not by lane, because the lanes of a warp mostly set a point together. */
struct convergence {
    uint8_t depth[MACHINE_MAX_WARP]; /* for each lane, the number of its points */
    /* for each point of each lane, the lanes that were together when the point was set */
    lane_set together[MAX_CONVERGENCE_DEPTH][MACHINE_MAX_WARP];
};

/* These lanes set a convergence point together. Exits with EXIT_CANNOT if they have MAX_CONVERGENCE_DEPTH
 * points already. */
void convergence_set(struct warp *warp, lane_set lanes);

/* Returns the lanes of warp->at_convergence for whose convergence point no lane is missing, and removes this
 * point. */
lane_set convergence_reached(struct warp *warp);

#endif
