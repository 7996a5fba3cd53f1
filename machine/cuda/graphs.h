/* Graphs: tasks that are recorded while a stream is captured, or added as nodes, and done when the graph
 * is launched. */
#ifndef MACHINE_GRAPHS_H
#define MACHINE_GRAPHS_H

#include "machine/cuda/tasks.h"

struct machine_node {
    struct task task;
    struct machine_graph *graph;
    struct machine_graph *child; /* the graph that the node launches, or NULL */
    size_t index;                /* its place among its graph's nodes */
    struct machine_node **needs; /* the nodes that come before it */
    size_t need_count;
    /* while the graph is launched: the task that was made of the node, and whether another node continues the
     * task's line */
    struct queued *queued;
    unsigned line;
    bool is_continued;
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

/* Adds a task, of which it makes a copy, to the graph that captures the stream. */
cudaError_t graph_capture(struct machine_stream *stream, const struct task *task);

/* What an event knows that is recorded in a captured stream: the nodes that come before the event. */
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

#endif
