/*
 * Clusters: neighbouring blocks of a launch that begin together, reach each other's shared memory and have a barrier
 * (PTX ISA, "Cluster of Cooperative Thread Arrays"). A kernel's calls are in machine/cuda/kernel_calls.h. The scope of a
 * cluster counts as the device's.
 */
#ifndef MACHINE_CLUSTERS_H
#define MACHINE_CLUSTERS_H

#include "machine/state.h"

#define MOST_CLUSTER_BLOCKS 16

struct cluster {
    unsigned count, left;                      /* blocks, and those that have not ended */
    struct block *blocks[MOST_CLUSTER_BLOCKS]; /* NULL: has ended */
    unsigned threads, arrived, phase; /* not exited; of them, at the barrier; how often it has opened */
    uint32_t *words;                  /* the barrier's, through which its threads synchronize */
};

/* The block is the next of its cluster, or of none. */
void cluster_join(struct block *block);
void cluster_leave(struct block *block);

/* These lanes have exited: the barrier waits for them no more. */
void cluster_lanes_exit(const struct warp *warp, lane_set lanes);

/* Whose shared memory has the address, as the block sees it; NULL: no block's that is left. */
struct block *cluster_owner(struct block *block, uintptr_t address);

/* Of kernels in clusters: places for one more cluster, on as many multiprocessors as there are. The number found is the
 * cluster's size, or less. */
unsigned cluster_places(struct run *run, const struct kernel *kernel, struct sm *places[MOST_CLUSTER_BLOCKS]);

#endif
