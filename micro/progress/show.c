#include "micro/progress/show.h"
#include "base/memory.h"
#include "micro/progress/decide.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- cycle ---- */

/* Finds an execution that does not end, as a sequence of steps: a way into a strongly connected part of the
 * graph of states, and a cycle within that part. */

/* A walk through the graph of states: a sequence of steps of threads. */
struct progress_walk {
    struct step {
        int state, thread; /* the state before the step, and the thread that takes it */
    } * steps;
    int count; /* number of steps of the walk */
};

static void add_step(struct progress_walk *w, int state, int thread)
{
    w->steps = with_room(w->steps, sizeof *w->steps, (size_t)w->count, 1);
    w->steps[w->count++] = (struct step){state, thread};
}

/* Reverses the order of the walk's steps from number `first` on. */
static void reverse(struct progress_walk *w, int first)
{
    for (int last = w->count - 1; first < last; first++, last--) {
        struct step step = w->steps[first];
        w->steps[first] = w->steps[last];
        w->steps[last] = step;
    }
}

/* Returns the shortest way from the program's first state to this state. */
static struct progress_walk progress_way_to(const struct progress_graph *g, int state)
{
    struct progress_walk way = {.count = 0};
    for (int s = state, before; (before = graph_known(g, s)[GRAPH_PARENT]) != NO_STATE; s = before)
        add_step(&way, before, graph_known(g, s)[GRAPH_PARENT_STEP]);
    reverse(&way, 0);
    return way;
}

/* ---- the search for a cycle of states within a strongly connected part ---- */

struct round {
    const struct progress_graph *graph;
    const struct progress_parts *parts;
    enum progress_model model;
    struct progress_walk walk; /* the steps taken so far, which become the cycle */
    int here;                  /* the state at the end of these steps */
};

/* Returns the state to which the thread's step leads, or NO_STATE if that state is in another strongly
 * connected part. */
static int within(const struct round *r, int state, int thread)
{
    int to = graph_next(r->graph, state, thread);
    return to != NO_STATE && r->parts->part[to] == r->parts->part[state] ? to : NO_STATE;
}

/* The goal of a search. The parameter `which` of the functions below is a state for BE_THERE, otherwise a
 * thread. */
enum goal {
    BE_THERE, /* the state `which` */
    CAN_STEP, /* a state in which the thread can take a step that stays in the strongly connected part */
    IS_FREE   /* a state in which the model does not guarantee progress to the thread */
};

static bool is_reached(const struct round *r, int state, enum goal goal, int which)
{
    switch (goal) {
    case BE_THERE:
        return state == which;
    case CAN_STEP:
        return within(r, state, which) != NO_STATE;
    default:
        return !(progress_guaranteed(r->graph, state, r->model) & THREAD(which));
    }
}

/* Appends to the walk the steps from `here` to `state`. For each state on the way, the array `parent` has the
 * state before it, and the array `step` has the thread whose step leads from that state to it. */
static void follow(struct round *r, const int *parent, const int *step, int state)
{
    int from = r->here, first = r->walk.count;
    r->here = state;
    for (; state != from; state = parent[state])
        add_step(&r->walk, parent[state], step[state]);
    reverse(&r->walk, first);
}

/* Takes the shortest way to a state of the strongly connected part that fulfils the goal. Returns false if
 * there is no such state. */
static bool go_to(struct round *r, enum goal goal, int which)
{
    size_t count = (size_t)r->graph->count;
    int *parent = allocate(3 * count * sizeof(int)), *step = parent + count, *queue = step + count;
    int head = 0, tail = 0, found = NO_STATE;
    for (size_t s = 0; s < count; s++)
        parent[s] = NO_STATE;
    parent[r->here] = r->here;
    queue[tail++] = r->here;
    for (; head < tail && found == NO_STATE; head++) {
        int state = queue[head];
        if (is_reached(r, state, goal, which)) {
            found = state;
            break;
        }
        for (int t = 0; t < r->graph->program->thread_count; t++) {
            int to = within(r, state, t);
            if (to == NO_STATE || parent[to] != NO_STATE)
                continue;
            parent[to] = state;
            step[to] = t;
            queue[tail++] = to;
        }
    }
    if (found != NO_STATE)
        follow(r, parent, step, found);
    free(parent);
    return found != NO_STATE;
}

/* Returns whether the walk so far has a step of the thread, or a state in which the model does not
 * guarantee progress to it. */
static bool is_satisfied(const struct round *r, int thread)
{
    for (int i = 0; i < r->walk.count; i++)
        if (r->walk.steps[i].thread == thread || is_reached(r, r->walk.steps[i].state, IS_FREE, thread))
            return true;
    return is_reached(r, r->here, IS_FREE, thread);
}

/* Goes to a state in which the thread can take a step within the strongly connected part, and takes it.
 * Returns false if there is no such state. */
static bool step_somewhere(struct round *r, int thread)
{
    if (!go_to(r, CAN_STEP, thread))
        return false;
    add_step(&r->walk, r->here, thread);
    r->here = within(r, r->here, thread);
    return true;
}

/* Returns a cycle from the state back to itself that the model allows an execution to repeat for ever:
 * each thread takes a step in the cycle, or the model does not guarantee progress to it in one of the
 * cycle's states. The cycle is short, but not the shortest. It has no step if no thread can take one in
 * the state. */
static struct progress_walk progress_round(const struct progress_graph *g, const struct progress_parts *parts,
                                           enum progress_model model, int state)
{
    struct round r = {.graph = g, .parts = parts, .model = model, .here = state};
    int threads = g->program->thread_count;
    if (progress_is_stuck(g, state))
        return r.walk;
    for (int t = 0; t < threads; t++)
        if (!is_satisfied(&r, t) && !step_somewhere(&r, t))
            go_to(&r, IS_FREE, t);
    for (int t = 0; t < threads && !r.walk.count; t++)
        step_somewhere(&r, t);
    go_to(&r, BE_THERE, state);
    return r.walk;
}

/* ---- show ---- */

static void print_walk(const struct progress_graph *g, const struct progress_walk *w, const char *before)
{
    if (!w->count)
        return;
    puts(before);
    for (int i = 0; i < w->count; i++) {
        int thread = w->steps[i].thread, at = graph_at(g, w->steps[i].state, thread);
        const struct progress_instruction *code = &g->program->threads[thread].code[at];
        printf("    P%d, line %u: %s\n", thread, code->line, code->text);
    }
}

static thread_set threads_of(const struct progress_walk *w)
{
    thread_set set = 0;
    for (int i = 0; i < w->count; i++)
        set |= THREAD(w->steps[i].thread);
    return set;
}

/* Prints what happens to thread `t` in an execution that returns to this state again and again for ever. */
static void print_fate(const struct progress_graph *g, int state, int t, thread_set goes_round,
                       enum progress_model model)
{
    thread_set one = THREAD(t);
    const char *name = progress_model_names[model];
    if (graph_ended(g, state) & one)
        printf("  P%d has ended\n", t);
    else if (goes_round & one)
        printf("  P%d goes round for ever\n", t);
    else if (graph_waiting(g, state) & one)
        printf("  P%d waits at its barrier for ever\n", t);
    else if (graph_started(g, state) & one)
        printf("  P%d starves: it has begun and could go on, but %s does not promise that it does\n", t,
               name);
    else
        printf("  P%d starves: it never begins, and %s does not promise that it does\n", t, name);
}

static void print_violation(const struct progress_graph *g, const struct progress_parts *parts,
                            enum progress_model model, int state)
{
    struct progress_walk way = progress_way_to(g, state), round = progress_round(g, parts, model, state);
    printf("%s: under %s an execution does not end\n", g->program->path, progress_model_names[model]);
    print_walk(g, &way, "  it begins with");
    print_walk(g, &round, "  and does for ever");
    for (int t = 0; t < g->program->thread_count; t++)
        print_fate(g, state, t, threads_of(&round), model);
    free(way.steps);
    free(round.steps);
}

void progress_show(const struct progress_program *program, enum progress_model model)
{
    struct progress_graph graph = graph_of(program);
    struct progress_parts parts = parts_of(&graph);
    int state = progress_violation(&graph, &parts, model);
    if (state == NO_STATE)
        printf("%s: under %s every execution ends (%d states)\n", program->path, progress_model_names[model],
               graph.count);
    else
        print_violation(&graph, &parts, model, state);
    parts_forget(&parts);
    graph_forget(&graph);
}
