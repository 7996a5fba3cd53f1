/*
 * All states that a program can reach if its threads take turns in any order (sequential consistency), and
 * the steps between them. A step is an instruction that accesses memory or arrives at a barrier, together
 * with the branches that follow it. A thread in an endless loop of branches takes steps that change nothing.
 */
#ifndef CHECK_TERMINATION_GRAPH_H
#define CHECK_TERMINATION_GRAPH_H

#include "base/map.h"
#include "micro/progress/program.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of threads: bit t is set if thread t is in the set. */
typedef unsigned thread_set;
#define THREAD(t) (1u << (t))

struct progress_graph {
    const struct progress_program *program;
    int words; /* number of words in a packed state */
    /* The states; state 0 is the first state of the program. An item has the words of the packed state, and
     * then the words that enum graph_word names. */
    struct map states;
    int count; /* number of states found */
};

/* The words that the graph has for each state. */
enum graph_word {
    GRAPH_PARENT,      /* the state before it on a shortest path from state 0; NO_STATE for state 0 */
    GRAPH_PARENT_STEP, /* the thread whose step leads from the parent to the state */
    GRAPH_NEXT         /* from here on, for each thread: the state to which its step leads, or NO_STATE */
};

enum { NO_STATE = -1 };

/* Returns the graph of all states of the program. Exits with EXIT_CANNOT if there are too many. */
struct progress_graph graph_of(const struct progress_program *program);
void graph_forget(struct progress_graph *graph);

static inline int *graph_known(const struct progress_graph *g, int state)
{
    size_t words = g->states.item_bytes / sizeof(int);
    return (int *)g->states.items + (size_t)state * words + g->words;
}

/* Returns the state to which the thread's step leads, or NO_STATE if the thread cannot take a step. */
static inline int graph_next(const struct progress_graph *g, int state, int thread)
{
    return graph_known(g, state)[GRAPH_NEXT + thread];
}

/* Returns the index of the thread's next instruction in this state. If the thread has ended, that is the
 * thread's number of instructions. */
int graph_at(const struct progress_graph *graph, int state, int thread);

/* These functions return sets of threads in a state: those that can take a step, that have taken a step
 * before, that wait at a barrier, and that have ended. */
thread_set graph_able(const struct progress_graph *graph, int state);
thread_set graph_started(const struct progress_graph *graph, int state);
thread_set graph_waiting(const struct progress_graph *graph, int state);
thread_set graph_ended(const struct progress_graph *graph, int state);

#ifdef __cplusplus
}
#endif

#endif
