/* The convergence points of a lockstep warp: lanes set a point together (SSY) and wait for each other when
 * they reach it. */
#ifndef MACHINE_CONVERGENCE_H
#define MACHINE_CONVERGENCE_H

#include "machine/state.h"

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

/* Returns those lanes of warp->at_convergence whose point all other lanes have reached, too, and removes
 * their point. */
lane_set convergence_reached(struct warp *warp);

#endif
