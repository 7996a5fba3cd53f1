/* Finds an execution that does not end, as a sequence of steps: a way into a strongly connected part of the
 * graph of states, and a cycle within that part. */
#ifndef CHECK_TERMINATION_CYCLE_H
#define CHECK_TERMINATION_CYCLE_H

#include "check/termination/decide.h"

/* A walk through the graph of states: a sequence of steps of threads. */
struct progress_walk {
    int *state, *thread; /* for each step, the state before it and the thread that takes it */
    int count;           /* number of steps of the walk */
};

/* Returns the shortest way from the program's first state to this state. */
struct progress_walk progress_way_to(const struct progress_graph *graph, int state);

/* Returns a cycle from the state back to itself that the model allows an execution to repeat for ever:
 * each thread takes a step in the cycle, or the model does not guarantee progress to it in one of the
 * cycle's states. The cycle is short, but not the shortest. It has no step if no thread can take one in
 * the state. */
struct progress_walk progress_round(const struct progress_graph *graph, const struct progress_parts *parts,
                                    enum progress_model model, int state);

void walk_forget(struct progress_walk *walk);

#endif
