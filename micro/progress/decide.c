#include "micro/progress/decide.h"
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

/* ---- strongly connected parts ---- */

/* A search for the parts, after Tarjan 1972, without recursion, since a path through the graph may be
 * long. */

struct search {
    const struct progress_graph *graph;
    /* the number of each state in the order of discovery, and the lowest such number that the state is
     * known to reach */
    int *number, *lowest;
    /* a stack of the states whose strongly connected part is not yet known, and number of states on it */
    int *open, open_count;
    /* a stack of the states on the path to the current state, and number of states on it */
    int *path, path_count;
    int *step; /* for each state on this path: the thread whose step is followed next */
    int found; /* number of states found so far */
    struct progress_parts parts;
};

static void enter(struct search *s, int state)
{
    s->number[state] = s->lowest[state] = ++s->found;
    s->open[s->open_count++] = state;
    s->path[s->path_count] = state;
    s->step[s->path_count++] = 0;
}

/* Returns whether the state has been found, but its strongly connected part is not yet known. */
static bool is_open(const struct search *s, int state)
{
    return s->number[state] && s->parts.part[state] == NO_STATE;
}

static void lower(struct search *s, int state, int to)
{
    if (to < s->lowest[state])
        s->lowest[state] = to;
}

/* Makes a strongly connected part of this state and the open states found after it: all of them lead back
 * to this state, and to no open state found earlier. */
static void close_part(struct search *s, int state)
{
    int member;
    do {
        member = s->open[--s->open_count];
        s->parts.part[member] = s->parts.count;
    } while (member != state);
    s->parts.count++;
}

static void leave(struct search *s)
{
    int state = s->path[--s->path_count];
    if (s->lowest[state] == s->number[state])
        close_part(s, state);
    else
        lower(s, s->path[s->path_count - 1], s->lowest[state]);
}

static void visit_all_from(struct search *s, int first)
{
    enter(s, first);
    while (s->path_count) {
        int here = s->path[s->path_count - 1], thread = s->step[s->path_count - 1]++;
        if (thread == s->graph->program->thread_count) {
            leave(s);
            continue;
        }
        int to = graph_next(s->graph, here, thread);
        if (to == NO_STATE)
            continue;
        if (!s->number[to])
            enter(s, to);
        else if (is_open(s, to))
            lower(s, here, s->number[to]);
    }
}

struct progress_parts parts_of(const struct progress_graph *graph)
{
    size_t count = (size_t)graph->count;
    int *room = allocate(5 * count * sizeof(int));
    struct search s = {.graph = graph,
                       .number = room,
                       .lowest = room + count,
                       .open = room + 2 * count,
                       .path = room + 3 * count,
                       .step = room + 4 * count};
    s.parts.part = allocate(count * sizeof(int));
    for (size_t i = 0; i < count; i++)
        s.parts.part[i] = NO_STATE;
    visit_all_from(&s, 0);
    free(room);
    return s.parts;
}

void parts_forget(struct progress_parts *parts)
{
    free(parts->part);
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
