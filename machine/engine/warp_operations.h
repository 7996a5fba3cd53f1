/* The results of warp-wide operations: shuffles, votes, matches and reductions. */
#ifndef MACHINE_WARP_OPERATIONS_H
#define MACHINE_WARP_OPERATIONS_H

#include "machine/state.h"

/* What a reduction returns: the sum of the lanes' values, or another combination of them. */
enum machine_reduction {
    REDUCTION_ADD,
    REDUCTION_MIN,
    REDUCTION_MAX,
    REDUCTION_SIGNED_MIN,
    REDUCTION_SIGNED_MAX,
    REDUCTION_AND,
    REDUCTION_OR,
    REDUCTION_XOR
};

/* Stores the result of each of these lanes, which have come to one operation together. */
void warp_operation_results(struct warp *warp, lane_set together);

#endif
