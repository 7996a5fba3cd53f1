/* Every way to synchronise the steps of an algorithm: names, facts, and what a device must have for it. */
#ifndef HARNESS_SYNC_METHODS_H
#define HARNESS_SYNC_METHODS_H

#include "harness/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sync_method {
    SYNC_CPU_EXPLICIT,
    SYNC_CPU_IMPLICIT,
    SYNC_CPU_GRAPH,
    SYNC_CPU_GRAPH_PDL,
    SYNC_NONE,
    SYNC_LOCK_BASED,
    SYNC_LOCK_BASED_FENCE,
    SYNC_LOCK_FREE,
    SYNC_LOCK_FREE_FENCE,
    SYNC_TREE,
    SYNC_TREE_FENCE,
    SYNC_GRID_SYNC,
    SYNC_RELEASE_ACQUIRE,
    SYNC_COUNTER,
    SYNC_METHODS
};

/* Indexed by enum sync_method; the variants of every experiment that is a step loop. */
extern const struct variant sync_methods[SYNC_METHODS];

#ifdef __cplusplus
}
#endif

#endif
