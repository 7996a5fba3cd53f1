/* An execution that does not end, step by step: a way into a part of the graph, and one round through it. */
#ifndef CHECK_TERMINATION_CYCLE_H
#define CHECK_TERMINATION_CYCLE_H

#include "check/termination/decide.h"

/* A sequence of steps. */
struct progress_walk {
    int *state, *thread; /* for each step, the state before it and the thread that takes it */
    int count;           /* number of steps */
};

/* Finds the shortest way from the first state to this one. */
struct progress_walk progress_way_to(const struct progress_graph *graph, int state);

/* Finds a round from the state back to itself which the model allows an execution to repeat for ever: each
 * thread takes a step in it, or the model is not sure of the thread in one of its states. The round is short,
 * but not the shortest. It has no step if the state is stuck. */
struct progress_walk progress_round(const struct progress_graph *graph, const struct progress_parts *parts,
                                    enum progress_model model, int state);

void walk_forget(struct progress_walk *walk);

#endif
