/* Graphs: tasks that are recorded while a stream is captured, or added as nodes, and done when the graph is launched. */
#ifndef MACHINE_GRAPHS_H
#define MACHINE_GRAPHS_H

#include "machine/cuda/tasks.h"

/* Adds a task, of which it makes a copy, to the graph that captures the stream. */
cudaError_t graph_capture(struct machine_stream *stream, const struct task *task);

/* What an event says that is recorded in a stream which a graph captures: the nodes before it. */
struct captured {
    struct machine_graph *graph; /* NULL if the event was not recorded in a captured stream */
    struct machine_node **nodes;
    size_t count;
};
void graph_record(struct captured *captured, const struct machine_stream *stream);
/* The stream waits for these nodes, and is captured by their graph from now on. */
cudaError_t graph_wait(struct machine_stream *stream, const struct captured *captured);

#endif
