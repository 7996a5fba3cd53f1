/* The results of warp-wide operations: shuffles, votes, matches and reductions. */
#ifndef MACHINE_WARP_OPERATIONS_H
#define MACHINE_WARP_OPERATIONS_H

#include "machine/state.h"

/* Stores the result of each of these lanes, which have come to one operation together. */
void warp_operation_results(struct warp *warp, lane_set together);

#endif
