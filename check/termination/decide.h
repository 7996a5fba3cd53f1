/*
 * Does every execution that a progress model allows end? A model says which threads are sure to
 * take a step again and again, as long as they can. An execution that does not end goes round in
 * the finite graph of states for ever: so it is a part of the graph in which each state can be
 * reached from each other, and in which every thread that the model is sure of takes a step. A
 * model must keep its promise to a thread of which it is sure for good; one that is, for instance,
 * the lowest only now and then may be left out. Or it is a state in which no thread can take a
 * step, and not all have ended. docs/progress.md has the definitions and where they are from.
 */
#ifndef CHECK_TERMINATION_DECIDE_H
#define CHECK_TERMINATION_DECIDE_H

#include "check/termination/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum progress_model { MODEL_FAIR, MODEL_HSA, MODEL_OBE, MODEL_LOBE, MODEL_HSA_OBE, PROGRESS_MODELS };

extern const char *const progress_model_names[PROGRESS_MODELS];

/* The model whose name it is; PROGRESS_MODELS if there is none. */
enum progress_model progress_model_of(const char *name);

/* Is each thread of which the weaker model is sure one of which the stronger is? True of a model
 * and itself. */
bool progress_is_at_least(enum progress_model stronger, enum progress_model weaker);

/* Of which threads the model is sure in a state. */
thread_set progress_guaranteed(const struct progress_graph *graph, int state, enum progress_model model);

/* The parts of a graph in which each state can be reached from each other. */
struct progress_parts {
    int *part; /* of each state, counted from 0 */
    int count;
};

struct progress_parts parts_of(const struct progress_graph *graph);
void parts_forget(struct progress_parts *parts);

/* A state of an execution that does not end, the nearest one to the first state; NO_STATE: all
 * end. */
int progress_violation(const struct progress_graph *graph, const struct progress_parts *parts,
                       enum progress_model model);

/* Can the state's threads do nothing, although not all have ended? */
bool progress_is_stuck(const struct progress_graph *graph, int state);

/* Which models end: a bit each. */
unsigned progress_verdicts(const struct progress_program *program);

#ifdef __cplusplus
}
#endif

#endif
