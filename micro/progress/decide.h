/*
 * Decides whether every execution that a progress model allows ends. In each state, a model guarantees
 * progress to some of the threads: these threads take a step again and again, as long as they can. There are
 * two ways in which an execution can fail to end.
 *
 * In the first, it goes round for ever in a strongly connected part of the finite graph of states. This is
 * possible only if each thread to which the model guarantees progress in all states of the part takes a step
 * in the part. A thread that has the guarantee in only some of these states, for instance because it is the
 * lowest thread there, may starve.
 *
 * In the second, the execution reaches a state in which no thread can take a step although some threads have
 * not ended. docs/progress.md has the definitions and their sources.
 */
#ifndef CHECK_TERMINATION_DECIDE_H
#define CHECK_TERMINATION_DECIDE_H

#include "micro/progress/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum progress_model { MODEL_FAIR, MODEL_HSA, MODEL_OBE, MODEL_LOBE, MODEL_HSA_OBE, PROGRESS_MODELS };

extern const char *const progress_model_names[PROGRESS_MODELS];

/* Returns the model with this name, or PROGRESS_MODELS if there is none. */
enum progress_model progress_model_of(const char *name);

/* The strongly connected parts of a graph: within a part, every state can be reached from every other. */
struct progress_parts {
    int *part; /* for each state, the number of its strongly connected part, counted from 0 */
    int count; /* number of the strongly connected parts */
};

struct progress_parts parts_of(const struct progress_graph *graph);
void parts_forget(struct progress_parts *parts);

/* Returns the threads to which the model guarantees progress in this state. */
thread_set progress_guaranteed(const struct progress_graph *graph, int state, enum progress_model model);

/* Returns a state from which an execution need not end under the model, or NO_STATE if all executions end. Of
 * several such states it returns the one that is nearest to the first state of the program. */
int progress_violation(const struct progress_graph *graph, const struct progress_parts *parts,
                       enum progress_model model);

/* Returns whether no thread can take a step in this state, although not all threads have ended. */
bool progress_is_stuck(const struct progress_graph *graph, int state);

/* Returns the set of models under which every execution of the program ends, with one bit for each model. */
unsigned progress_verdicts(const struct progress_program *program);

#ifdef __cplusplus
}
#endif

#endif
