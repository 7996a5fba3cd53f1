#include "check/termination/decide.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const progress_model_names[PROGRESS_MODELS] = {"Fair", "HSA", "OBE", "LOBE", "HSA_OBE"};

enum progress_model progress_model_of(const char *name)
{
    int model = 0;
    while (model < PROGRESS_MODELS && strcmp(progress_model_names[model], name) != 0)
        model++;
    return (enum progress_model)model;
}

bool progress_is_at_least(enum progress_model stronger, enum progress_model weaker)
{
    switch (weaker) {
    case MODEL_HSA:
    case MODEL_OBE:
        return stronger == weaker || stronger == MODEL_HSA_OBE || stronger == MODEL_LOBE ||
               stronger == MODEL_FAIR;
    case MODEL_HSA_OBE:
        return stronger == weaker || stronger == MODEL_LOBE || stronger == MODEL_FAIR;
    case MODEL_LOBE:
        return stronger == weaker || stronger == MODEL_FAIR;
    default:
        return stronger == weaker;
    }
}

/* ---- the models ---- */

/* Returns the set that contains only the lowest thread of the given set. */
static thread_set lowest_of(thread_set set)
{
    return set & (0u - set);
}

/* Returns the set of all threads up to the highest thread of the given set. */
static thread_set up_to(thread_set set)
{
    thread_set all = 0;
    while (all < set)
        all = all << 1 | 1;
    return all;
}

thread_set progress_guaranteed(const struct progress_graph *g, int state, enum progress_model model)
{
    thread_set able = graph_able(g, state), started = graph_started(g, state);
    switch (model) {
    case MODEL_HSA:
        return lowest_of(able);
    case MODEL_OBE:
        return able & started;
    case MODEL_LOBE:
        return able & up_to(started);
    case MODEL_HSA_OBE:
        return lowest_of(able) | (able & started);
    default:
        return able;
    }
}

/* ---- executions that do not end ---- */

/* What is known about a strongly connected part of the graph of states, under one model of progress. */
struct witness {
    thread_set steps; /* threads that can take a step which stays in the part */
    thread_set free;  /* threads to which the model does not guarantee progress in some state of the part */
};

static struct witness *witnesses_of(const struct progress_graph *g, const struct progress_parts *parts,
                                    enum progress_model model)
{
    struct witness *of = allocate((size_t)parts->count * sizeof *of);
    for (int s = 0; s < g->count; s++) {
        struct witness *w = &of[parts->part[s]];
        w->free |= ~progress_guaranteed(g, s, model);
        for (int t = 0; t < g->program->thread_count; t++) {
            int to = graph_next(g, s, t);
            if (to != NO_STATE && parts->part[to] == parts->part[s])
                w->steps |= THREAD(t);
        }
    }
    return of;
}

bool progress_is_stuck(const struct progress_graph *g, int state)
{
    return !graph_able(g, state) && graph_ended(g, state) != THREAD(g->program->thread_count) - 1;
}

int progress_violation(const struct progress_graph *g, const struct progress_parts *parts,
                       enum progress_model model)
{
    struct witness *of = witnesses_of(g, parts, model);
    thread_set all = THREAD(g->program->thread_count) - 1;
    int found = NO_STATE;
    for (int s = 0; s < g->count && found == NO_STATE; s++) {
        const struct witness *w = &of[parts->part[s]];
        if (progress_is_stuck(g, s) || (w->steps && ((w->steps | w->free) & all) == all))
            found = s;
    }
    free(of);
    return found;
}

unsigned progress_verdicts(const struct progress_program *program)
{
    struct progress_graph graph = graph_of(program);
    struct progress_parts parts = parts_of(&graph);
    unsigned ends = 0;
    for (int m = 0; m < PROGRESS_MODELS; m++)
        if (progress_violation(&graph, &parts, (enum progress_model)m) == NO_STATE)
            ends |= 1u << m;
    parts_forget(&parts);
    graph_forget(&graph);
    return ends;
}
