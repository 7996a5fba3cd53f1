/*
 * Clusters: neighbouring blocks of a launch that begin together, reach each other's shared memory and have a
 * barrier (PTX ISA, "Cluster of Cooperative Thread Arrays"). A kernel's calls are in machine/kernel_calls.h.
 * The scope of a cluster counts as the device's.
 */
#ifndef MACHINE_CLUSTERS_H
#define MACHINE_CLUSTERS_H

#include "machine/state.h"

/* How many blocks the block's cluster has; 1 if the launch has no clusters. */
unsigned cluster_size(const struct block *block);

/* The block becomes the next block of its cluster, or leaves it when it ends. */
void cluster_join(struct block *block);
void cluster_leave(struct block *block);

/* These lanes have exited: the cluster's barrier no longer waits for them. */
void cluster_lanes_exit(const struct warp *warp, lane_set lanes);

/* A thread arrives at the cluster's barrier, which opens if no other thread is missing. */
void cluster_arrive(struct cluster *cluster);

/* Finds places for one more cluster of the kernel, on as many different multiprocessors as possible.
 * Returns how many there are, at most the cluster's size. */
unsigned cluster_places(struct run *run, const struct kernel *kernel, struct sm *places[MOST_CLUSTER_BLOCKS]);

#endif
