/*
 * All states that a program can reach if its threads take turns in any order (sequential
 * consistency), and the steps between them. A step is an instruction that accesses memory or
 * arrives at a barrier; branches belong to the step before them. A thread that branches for ever,
 * and does nothing else, takes steps that change nothing.
 */
#ifndef CHECK_TERMINATION_GRAPH_H
#define CHECK_TERMINATION_GRAPH_H

#include "check/termination/program.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of threads, a bit each. */
typedef unsigned thread_set;
#define THREAD(t) (1u << (t))

struct progress_graph {
    const struct progress_program *program;
    int words;        /* of a state */
    int *states;      /* state 0 is the first */
    int *next;        /* of each state and thread: where its step leads, or NO_STATE */
    int *parent;      /* on a shortest way from state 0; of state 0 NO_STATE */
    int *parent_step; /* the thread that takes the last step of it */
    int count, room;
    int *table; /* of hashes */
    int table_size;
};

enum { NO_STATE = -1 };

/* Exits with EXIT_CANNOT if there are too many. */
struct progress_graph graph_of(const struct progress_program *program);
void graph_forget(struct progress_graph *graph);

static inline int graph_next(const struct progress_graph *g, int state, int thread)
{
    return g->next[state * g->program->thread_count + thread];
}

/* The instruction that the thread does next, counted from 0; its count if it has ended. */
int graph_at(const struct progress_graph *graph, int state, int thread);

/* Threads that can take a step; that have taken one before; that wait at a barrier; that are at
 * their end. */
thread_set graph_able(const struct progress_graph *graph, int state);
thread_set graph_started(const struct progress_graph *graph, int state);
thread_set graph_waiting(const struct progress_graph *graph, int state);
thread_set graph_ended(const struct progress_graph *graph, int state);

#ifdef __cplusplus
}
#endif

#endif
