/* Graphs: tasks that are recorded while a stream is captured, or added as nodes, and done when the graph
 * is launched. */
#ifndef MACHINE_GRAPHS_H
#define MACHINE_GRAPHS_H

#include "machine/cuda/tasks.h"

typedef struct machine_node *cudaGraphNode_t;

struct machine_node {
    struct task task;
    struct machine_graph *graph;
    struct machine_graph *child; /* the graph that the node launches, or NULL */
    size_t index;                /* the node's index among the graph's nodes */
    struct machine_node **needs; /* the nodes that come before it */
    size_t need_count;
};

struct machine_graph {
    struct machine_node **nodes;
    size_t count;
    struct machine_stream *captured; /* the streams that the graph captures */
    struct machine_graph *next;      /* the next graph in the list of graphs that are being captured */
};

struct machine_graph_exec {
    struct machine_graph *graph;
    unsigned *lines; /* the lines that the graph's branches use (machine/weak/clocks.h) */
    size_t line_count;
    /* the task that ends the last launch: launches of one executable graph do not overlap */
    struct queued *last;
};

/* Returns a copy of the graph, or NULL if there is no memory for it. */
struct machine_graph *graph_copy(const struct machine_graph *graph);
/* Frees a graph. */
void graph_end(struct machine_graph *graph);

/* Adds a copy of the task to the graph that captures the stream. */
cudaError_t graph_capture(struct machine_stream *stream, const struct task *task);

/* The nodes that come before an event that was recorded in a captured stream. */
struct captured {
    struct machine_graph *graph; /* NULL if the event was not recorded in a captured stream */
    struct machine_node **nodes;
    size_t count;
};
struct machine_event {
    struct record record;
    struct captured captured;
};
void graph_record(struct captured *captured, const struct machine_stream *stream);
/* Makes the stream wait for these nodes. From now on, their graph captures the stream. */
cudaError_t graph_wait(struct machine_stream *stream, const struct captured *captured);

/* ---- functions of the CUDA runtime, and those from which machine/ptx/ makes them ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
/* Each adds a node that comes after the nodes of `needs`. The task is copied. */
cudaError_t graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                      const struct task *task);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child);
cudaError_t machine_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
/* Returns the node's type as a number of enum cudaGraphNodeType. */
int machine_node_type(cudaGraphNode_t node);

/* Changes the task of a node, in its graph if `executable` is NULL, otherwise in the executable graph that
 * was made of the graph. */
cudaError_t graph_change(cudaGraphNode_t node, const struct machine_graph_exec *executable,
                         const struct task *task);
/* Updates the executable graph from the graph, if both have the same nodes and dependencies. */
cudaError_t machine_update(cudaGraphExec_t executable, cudaGraph_t graph);

#endif
