/* Launches of graphs with branches, on streams that are no queues: nodes that do not need each other overlap,
 * as kernels of streams made with cudaStreamNonBlocking do. */
#ifndef MACHINE_GRAPH_BRANCHES_H
#define MACHINE_GRAPH_BRANCHES_H

#include "machine/cuda/graphs.h"

/* Returns the nodes in an order in which each comes after those that it needs, or NULL if some need each
 * other. The caller frees the list. */
struct machine_node **graph_sorted(const struct machine_graph *graph);

/* Does the graph, or the graph of one of its nodes, have two nodes that may run at the same time? */
bool graph_has_branches(const struct machine_graph *graph);

/* Does each node when the nodes that it needs have ended. A kernel that cannot overlap with another node is
 * launched in the stream itself. Other kernels are launched in streams of their own, which have the stream's
 * priority and multiprocessors. If the stream was made with cudaStreamNonBlocking, the last kernel has only
 * begun when the function returns. Returns cudaErrorLaunchTimeout if kernels wait in vain. */
cudaError_t graph_launch_branches(const struct machine_graph *graph, struct machine_stream *stream);

#endif
