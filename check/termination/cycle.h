/* An execution that does not end, step by step: a way into a strongly connected part of the graph of states,
 * and one round through that part. */
#ifndef CHECK_TERMINATION_CYCLE_H
#define CHECK_TERMINATION_CYCLE_H

#include "check/termination/decide.h"

/* A sequence of steps of threads, from state to state. */
struct progress_walk {
    int *state, *thread; /* for each step, the state before it and the thread that takes it */
    int count;           /* number of steps */
};

/* Finds the shortest way from the program's first state to this state. */
struct progress_walk progress_way_to(const struct progress_graph *graph, int state);

/* Finds a round from the state back to itself which the model allows an execution to repeat for ever: each
 * thread takes a step in the round, or the model does not guarantee progress to the thread in one of the
 * round's states. The round is short, but not the shortest. It has no step if the state is stuck. */
struct progress_walk progress_round(const struct progress_graph *graph, const struct progress_parts *parts,
                                    enum progress_model model, int state);

void walk_forget(struct progress_walk *walk);

#endif
