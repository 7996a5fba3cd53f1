/* Finds the strongly connected parts of a graph, after Tarjan 1972, without recursion, since a way through
 * the graph may be long. */
#include "check/termination/parts.h"
#include "base/memory.h"

#include <stdlib.h>

struct search {
    const struct progress_graph *graph;
    /* the number of each state in the order of discovery, and the lowest such number that the state is
     * known to reach */
    int *number, *lowest;
    /* a stack of the states whose strongly connected part is not yet known, and number of states on it */
    int *open, open_count;
    /* a stack of the states on the way to the current state, and number of states on it */
    int *path, path_count;
    int *step; /* for each state of this way, the thread whose step is looked at next */
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
