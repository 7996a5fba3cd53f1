#include "check/termination/show.h"
#include "check/termination/cycle.h"

#include <stdio.h>

static void print_walk(const struct progress_graph *g, const struct progress_walk *w, const char *before)
{
    if (!w->count)
        return;
    puts(before);
    for (int i = 0; i < w->count; i++) {
        const struct progress_thread *thread = &g->program->threads[w->thread[i]];
        const struct progress_instruction *code = &thread->code[graph_at(g, w->state[i], w->thread[i])];
        printf("    P%d, line %u: %s\n", w->thread[i], code->line, code->text);
    }
}

static thread_set threads_of(const struct progress_walk *w)
{
    thread_set set = 0;
    for (int i = 0; i < w->count; i++)
        set |= THREAD(w->thread[i]);
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
    walk_forget(&way);
    walk_forget(&round);
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
