/* An execution that does not end, step by step: a way into a part of the graph, and one round
 * through it. */
#ifndef CHECK_TERMINATION_CYCLE_H
#define CHECK_TERMINATION_CYCLE_H

#include "check/termination/decide.h"

/* Steps one after another: the state before each, and the thread that takes it. */
struct progress_walk {
    int *state, *thread;
    int count;
};

/* The shortest way from the first state to this one. */
struct progress_walk progress_way_to(const struct progress_graph *graph, int state);

/* A round through the state's part, from the state back to it, that shows that the model allows to
 * go round for ever: each thread takes a step, or is in one of its states no thread that the model
 * is sure of. Short, but not the shortest. Without a step if the state is stuck. */
struct progress_walk progress_round(const struct progress_graph *graph, const struct progress_parts *parts,
                                    enum progress_model model, int state);

void walk_forget(struct progress_walk *walk);

#endif
