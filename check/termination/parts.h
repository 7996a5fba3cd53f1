/* The strongly connected parts of a graph of states. */
#ifndef CHECK_TERMINATION_PARTS_H
#define CHECK_TERMINATION_PARTS_H

#include "check/termination/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The strongly connected parts of a graph: within a part, every state can be reached from every other. */
struct progress_parts {
    int *part; /* for each state, the number of its strongly connected part, counted from 0 */
    int count; /* number of the strongly connected parts */
};

struct progress_parts parts_of(const struct progress_graph *graph);
void parts_forget(struct progress_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
