#include "machine/cuda/graph_branches.h"
#include "base/memory.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/hangs.h"
#include "machine/engine/kernels.h"
#include "machine/engine/scheduler.h"
#include "machine/time/launch.h"

#include <stdlib.h>

/* ---- the order of the nodes ---- */

struct machine_node **graph_sorted(const struct machine_graph *graph)
{
    struct machine_node **nodes = allocate((graph->count + 1) * sizeof *nodes);
    bool *is_in = allocate(graph->count + 1), has_found = true;
    size_t count = 0;
    while (has_found && count < graph->count) {
        has_found = false;
        for (size_t i = 0; i < graph->count; i++) {
            struct machine_node *node = graph->nodes[i];
            bool is_free = !is_in[i];
            for (size_t n = 0; is_free && n < node->need_count; n++)
                is_free = is_in[node->needs[n]->index];
            if (is_free) {
                is_in[i] = has_found = true;
                nodes[count++] = node;
            }
        }
    }
    free(is_in);
    if (count == graph->count)
        return nodes;
    free(nodes);
    return NULL;
}

static bool needs(const struct machine_node *node, const struct machine_node *other)
{
    for (size_t n = 0; n < node->need_count; n++)
        if (node->needs[n] == other)
            return true;
    return false;
}

/* The nodes are a chain if each one needs the node before it in the sorted list. */
bool graph_has_branches(const struct machine_graph *graph)
{
    struct machine_node **nodes = graph_sorted(graph);
    bool found = false;
    for (size_t i = 0; i < graph->count && !found; i++)
        found =
            (i && !needs(nodes[i], nodes[i - 1])) || (nodes[i]->child && graph_has_branches(nodes[i]->child));
    free(nodes);
    return found;
}

/* ---- the nodes of a launch ---- */

/* A step of a launch: a node of the launched graph or of a child graph. A step without a task is the end of
 * such a graph. */
struct step {
    const struct task *task; /* NULL for a step that does nothing */
    size_t *needs;           /* numbers of the steps that must end before this step begins */
    size_t need_count;
    bool is_after_kernel;         /* does any of the graph's kernels come before this step? */
    struct machine_stream stream; /* the stream of a kernel that may overlap with others */
    const struct kernel *kernel;  /* the kernel while it runs, or NULL */
    enum { WAITS, IS_READY, RUNS, HAS_ENDED } state;
    bool kernel_has_ended;
    uint64_t from; /* for a ready step: the time at which the last of the steps that it needs ended */
    /* for a ready step: the earliest time at which it can begin; a kernel can begin only after its launch */
    uint64_t start;
    uint64_t end;
};

struct launching {
    struct step *steps;
    size_t count;
    struct machine_stream *stream;
    uint64_t begin; /* time at which the graph was launched */
    int first_cost; /* the time from `begin` to the first kernels of the graph; -1 while this is not known */
};

static size_t add_step(struct launching *l, const struct task *task)
{
    l->steps = with_room(l->steps, sizeof *l->steps, l->count, 1);
    l->steps[l->count] = (struct step){.task = task};
    return l->count++;
}

static void add_need(struct launching *l, size_t step, size_t need)
{
    struct step *s = &l->steps[step];
    const struct step *before = &l->steps[need];
    s->needs = with_room(s->needs, sizeof *s->needs, s->need_count, 1);
    s->needs[s->need_count++] = need;
    s->is_after_kernel =
        s->is_after_kernel || before->is_after_kernel || (before->task && before->task->kind == TASK_KERNEL);
}

/* Adds steps for the graph's nodes, and returns a step that comes after all of them. Those that need no other
 * node need the step `*after`, if it is not NULL. */
static size_t add_steps(struct launching *l, const struct machine_graph *graph, const size_t *after)
{
    struct machine_node **nodes = graph_sorted(graph);
    size_t *step_of = allocate((graph->count + 1) * sizeof *step_of);
    for (size_t i = 0; i < graph->count; i++) {
        const struct machine_node *node = nodes[i];
        size_t step = add_step(l, node->child || node->task.kind == TASK_NOTHING ? NULL : &node->task);
        for (size_t n = 0; n < node->need_count; n++)
            add_need(l, step, step_of[node->needs[n]->index]);
        if (!node->need_count && after)
            add_need(l, step, *after);
        step_of[node->index] = node->child ? add_steps(l, node->child, &step) : step;
    }
    size_t end = add_step(l, NULL);
    for (size_t i = 0; i < graph->count; i++)
        add_need(l, end, step_of[i]);
    if (!graph->count && after)
        add_need(l, end, *after);
    free(step_of);
    free(nodes);
    return end;
}

/* ---- going through them ---- */

/* Returns the time from the end of the step's needs to the beginning of its kernel. The host launches the
 * graph once, so all kernels that come after no other kernel begin together. */
static int cost_of(struct launching *l, const struct step *s)
{
    const struct machine_launch *launch = &s->task->launch;
    if (s->is_after_kernel)
        return launch_cost_in_graph(launch->programmatic, machine_blocks(launch));
    if (l->first_cost < 0)
        l->first_cost = launch_begin(machine_blocks(launch));
    return l->first_cost;
}

static bool is_kernel(const struct step *s)
{
    return s->task && s->task->kind == TASK_KERNEL;
}

/* Finds out which steps are ready. A ready step without a task ends at once. One pass is enough, because each
 * step comes after those that it needs. */
static void note_ready(struct launching *l)
{
    for (struct step *s = l->steps; s < l->steps + l->count; s++) {
        bool is_ready = s->state == WAITS;
        s->from = s->state == WAITS ? l->begin : s->from;
        for (size_t n = 0; is_ready && n < s->need_count; n++) {
            const struct step *before = &l->steps[s->needs[n]];
            is_ready = before->state == HAS_ENDED;
            s->from = before->end > s->from ? before->end : s->from;
        }
        if (!is_ready)
            continue;
        s->state = s->task ? IS_READY : HAS_ENDED;
        s->end = s->from;
        s->start = s->from + (is_kernel(s) ? (uint64_t)cost_of(l, s) : 0);
    }
}

/* Returns the ready step that can begin first, or NULL if none is ready. Counts the ready steps and the
 * running steps. */
static struct step *next_step(const struct launching *l, size_t *ready, size_t *under_way)
{
    struct step *next = NULL;
    *ready = *under_way = 0;
    for (struct step *s = l->steps; s < l->steps + l->count; s++) {
        *ready += s->state == IS_READY;
        *under_way += s->state == RUNS;
        if (s->state == IS_READY && (!next || s->start < next->start))
            next = s;
    }
    return next;
}

static void note_ended(struct launching *l)
{
    for (struct step *s = l->steps; s < l->steps + l->count; s++)
        if (s->state == RUNS && s->kernel_has_ended) {
            s->state = HAS_ENDED;
            s->end = s->kernel ? s->kernel->end : the_machine.now;
        }
}

/* Begins a kernel beside which others may run. */
static void begin_beside(struct launching *l, struct step *s)
{
    the_machine.now = s->start;
    the_machine.counters.launches++;
    s->state = RUNS;
    s->kernel_has_ended = fault_skips_kernels();
    s->stream = (struct machine_stream){
        .overlaps = true, .priority = l->stream->priority, .sm_count = l->stream->sm_count};
    if (s->kernel_has_ended)
        return;
    scheduler_begin(&s->task->launch, &s->stream, NULL, &s->kernel_has_ended);
    s->kernel = kernels_of(&the_machine.run, &s->stream);
}

/* Does a step that cannot overlap with another one, or a step that is no kernel. */
static cudaError_t do_alone(struct launching *l, struct step *s, bool is_last)
{
    the_machine.now = s->from;
    s->state = HAS_ENDED;
    cudaError_t error = is_kernel(s) ? at_once_launch(&s->task->launch, l->stream, (int)(s->start - s->from))
                                     : at_once_do(s->task, l->stream);
    if (error == cudaSuccess && is_kernel(s) && !is_last)
        error = stream_wait(l->stream);
    s->end = the_machine.now;
    return error;
}

/* Returns the number of steps whose task waits for other steps. */
static size_t count_waiting(const struct launching *l)
{
    size_t count = 0;
    for (const struct step *s = l->steps; s < l->steps + l->count; s++)
        count += s->state == WAITS && s->task;
    return count;
}

static cudaError_t go_through(struct launching *l)
{
    for (;;) {
        size_t ready, under_way;
        note_ended(l);
        note_ready(l);
        struct step *next = next_step(l, &ready, &under_way);
        cudaError_t error = cudaSuccess;
        if (!next && !under_way)
            return cudaSuccess;
        bool may_begin = next && (!is_kernel(next) || scheduler_may_overlap());
        if (under_way && (!may_begin || scheduler_is_before(next->start)))
            error = scheduler_until_end_or(may_begin ? next->start : UINT64_MAX);
        else if (is_kernel(next) && (under_way || ready > 1))
            begin_beside(l, next);
        else
            error = do_alone(l, next, !under_way && ready == 1 && !count_waiting(l));
        if (error != cudaSuccess)
            return error;
    }
}

cudaError_t graph_launch_branches(const struct machine_graph *graph, struct machine_stream *stream)
{
    hang_task_begins(stream);
    cudaError_t error = stream_wait(stream);
    uint64_t units = the_machine.counters.time_units;
    struct launching l = {.stream = stream, .begin = the_machine.now, .first_cost = -1};
    size_t last = add_steps(&l, graph, NULL);
    if (error == cudaSuccess)
        error = go_through(&l);
    if (error == cudaErrorLaunchTimeout)
        error = hang_suspected(stream);
    if (error == cudaSuccess && l.steps[last].end > the_machine.now)
        the_machine.now = l.steps[last].end;
    the_machine.counters.time_units = units + (the_machine.now - l.begin);
    for (size_t i = 0; i < l.count; i++)
        free(l.steps[i].needs);
    free(l.steps);
    return hang_task_ends(error);
}
