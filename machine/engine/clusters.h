/* Clusters: neighbouring blocks of a launch that begin together, reach each other's shared memory and have
 * a barrier (PTX ISA, "Cluster of Cooperative Thread Arrays"). */
#ifndef MACHINE_CLUSTERS_H
#define MACHINE_CLUSTERS_H

#include "machine/state.h"

/* Returns the number of blocks in the block's cluster: 1 if the launch has no clusters. */
unsigned cluster_size(const struct block *block);

/* cluster_join() makes the block the next block of its cluster. cluster_leave() removes it when it ends. */
void cluster_join(struct block *block);
void cluster_leave(struct block *block);

/* Notes that these lanes have exited, so that the cluster's barrier no longer waits for them. Returns whether
 * the barrier opens. */
bool cluster_lanes_exit(const struct warp *warp, lane_set lanes);

/* Counts the arrival of this number of threads at the cluster's barrier. Returns whether the barrier opens,
 * because no other thread is missing. */
bool cluster_arrive(struct cluster *cluster, unsigned threads);

/* Finds places for the blocks of the kernel's next cluster, each on the multiprocessor that has the most room
 * left. Returns the number of places found, at most the cluster's size. */
unsigned cluster_places(struct run *run, const struct kernel *kernel, struct sm *places[MOST_CLUSTER_BLOCKS]);

#endif
