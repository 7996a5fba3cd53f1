/* Executable graphs, and their launches. */
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/graphs.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/engine/run.h"
#include "machine/engine/scheduler.h"
#include "machine/time/launch.h"

#include <stdlib.h>

/* ---- the order of the nodes ---- */

/* Sorts the nodes so that each comes after the nodes that it needs. Returns NULL if the dependencies have a
 * cycle. The caller frees the list. */
static struct machine_node **sorted(const struct machine_graph *graph)
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

/* Does the graph, or the graph of one of its nodes, have two nodes that may run at the same time? The
 * nodes are a chain if each one needs the node before it in the sorted list. */
static bool has_branches(const struct machine_graph *graph)
{
    struct machine_node **nodes = sorted(graph);
    bool found = false;
    for (size_t i = 0; i < graph->count && !found; i++)
        found = (i && !needs(nodes[i], nodes[i - 1])) || (nodes[i]->child && has_branches(nodes[i]->child));
    free(nodes);
    return found;
}

/* ---- executable graphs ---- */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    struct machine_node **nodes = sorted(graph);
    free(nodes);
    if (!nodes)
        return cudaErrorInvalidValue;
    struct machine_graph *copy = graph_copy(graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    *executable = allocate(sizeof **executable);
    (*executable)->graph = copy;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    ONE_THREAD
    queue_drop(executable->last);
    graph_end(executable->graph);
    free(executable->lines);
    free(executable);
    return cudaSuccess;
}

static bool are_alike(const struct machine_graph *a, const struct machine_graph *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct machine_node *one = a->nodes[i], *other = b->nodes[i];
        if (one->task.kind != other->task.kind || one->need_count != other->need_count ||
            (one->child != NULL) != (other->child != NULL))
            return false;
        for (size_t n = 0; n < one->need_count; n++)
            if (one->needs[n]->index != other->needs[n]->index)
                return false;
        if (one->child && !are_alike(one->child, other->child))
            return false;
    }
    return true;
}

cudaError_t machine_update(cudaGraphExec_t executable, cudaGraph_t graph)
{
    ONE_THREAD
    if (!are_alike(executable->graph, graph))
        return cudaErrorGraphExecUpdateFailure;
    struct machine_graph *copy = graph_copy(graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    graph_end(executable->graph);
    executable->graph = copy;
    return cudaSuccess;
}

/* ---- launches of graphs with branches, on streams that are no queues ---- */

/* Nodes that do not depend on each other overlap, like kernels in streams made with cudaStreamNonBlocking. */

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

struct branches {
    struct step *steps;
    size_t count;
    struct machine_stream *stream;
    uint64_t begin; /* time at which the graph was launched */
    int first_cost; /* the time from `begin` to the first kernels of the graph; -1 while this is not known */
};

static size_t add_step(struct branches *l, const struct task *task)
{
    l->steps = with_room(l->steps, sizeof *l->steps, l->count, 1);
    l->steps[l->count] = (struct step){.task = task};
    return l->count++;
}

static void add_need(struct branches *l, size_t step, size_t need)
{
    struct step *s = &l->steps[step];
    const struct step *before = &l->steps[need];
    s->needs = with_room(s->needs, sizeof *s->needs, s->need_count, 1);
    s->needs[s->need_count++] = need;
    s->is_after_kernel =
        s->is_after_kernel || before->is_after_kernel || (before->task && before->task->kind == TASK_KERNEL);
}

/* Adds steps for the graph's nodes, and returns a step that comes after all of them. Steps of nodes without
 * dependencies depend on the step `*after`, if it is not NULL. */
static size_t add_steps(struct branches *l, const struct machine_graph *graph, const size_t *after)
{
    struct machine_node **nodes = sorted(graph);
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

/* Returns the time from the end of the step's needs to the beginning of its kernel. The host launches the
 * graph once, so all kernels that come after no other kernel begin together. */
static int cost_of(struct branches *l, const struct step *s)
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
 * step comes after the steps that it needs. */
static void note_ready(struct branches *l)
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
static struct step *next_step(const struct branches *l, size_t *ready, size_t *under_way)
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

static void note_ended(struct branches *l)
{
    for (struct step *s = l->steps; s < l->steps + l->count; s++)
        if (s->state == RUNS && s->kernel_has_ended) {
            s->state = HAS_ENDED;
            s->end = s->kernel ? s->kernel->end : the_machine.now;
        }
}

/* Begins a kernel beside which others may run. */
static void begin_beside(struct branches *l, struct step *s)
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

/* Executes a step that is no kernel, or a kernel with which no other step can overlap. */
static cudaError_t do_alone(struct branches *l, struct step *s, bool is_last)
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
static size_t count_waiting(const struct branches *l)
{
    size_t count = 0;
    for (const struct step *s = l->steps; s < l->steps + l->count; s++)
        count += s->state == WAITS && s->task;
    return count;
}

static cudaError_t go_through(struct branches *l)
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

/* Does each node when the nodes that it needs have ended. A kernel that cannot overlap with another node is
 * launched in the stream itself. Other kernels are launched in streams of their own, which have the stream's
 * priority and multiprocessors. If the stream was made with cudaStreamNonBlocking, the last kernel has only
 * begun when the function returns. Returns cudaErrorLaunchTimeout if kernels wait in vain. */
static cudaError_t launch_branches(const struct machine_graph *graph, struct machine_stream *stream)
{
    hang_task_begins(stream);
    cudaError_t error = stream_wait(stream);
    uint64_t units = the_machine.counters.time_units;
    struct branches l = {.stream = stream, .begin = the_machine.now, .first_cost = -1};
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

/* ---- other launches ---- */

/* Launches the nodes one after another. This is done for a graph that is a chain, and with weak memory, where
 * one kernel runs at a time. */
static cudaError_t launch_in_turn(struct machine_graph *graph, struct machine_stream *stream,
                                  bool *has_kernel)
{
    struct machine_node **nodes = sorted(graph);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
        const struct machine_node *node = nodes[i];
        if (node->child) {
            error = launch_in_turn(node->child, stream, has_kernel);
        } else if (node->task.kind == TASK_KERNEL) {
            const struct machine_launch *launch = &node->task.launch;
            int cost = *has_kernel ? launch_cost_in_graph(launch->programmatic, machine_blocks(launch))
                                   : launch_begin(machine_blocks(launch));
            *has_kernel = true;
            error = at_once_launch(launch, stream, cost);
        } else if (node->task.kind != TASK_NOTHING) {
            error = at_once_do(&node->task, stream);
        }
    }
    free(nodes);
    return error;
}

/* The launch of a graph in queues. */
struct launching {
    struct machine_graph_exec *executable;
    struct machine_stream *stream;
    size_t lines_used; /* number of the executable graph's lines that its tasks use so far */
    bool is_outer;     /* are the nodes in the launched graph itself, not in a child graph? */
    bool stream_is_used;
};

static unsigned unused_line(struct launching *l)
{
    struct machine_graph_exec *e = l->executable;
    if (l->lines_used == e->line_count) {
        e->lines = with_room(e->lines, sizeof *e->lines, e->line_count, 1);
        e->lines[e->line_count++] = queue_new_line();
    }
    return e->lines[l->lines_used++];
}

/* Returns the line (a sequence of tasks that do not overlap) in which the node's task stands. This is the
 * line of a node that it depends on, if no other node continues that line. Otherwise it is the stream's line
 * for the first such node of the launched graph, and an unused line for the other nodes. */
static unsigned line_for(struct launching *l, struct machine_node *node)
{
    for (size_t n = 0; n < node->need_count; n++)
        if (!node->needs[n]->is_continued) {
            node->needs[n]->is_continued = true;
            return node->needs[n]->line;
        }
    if (!l->is_outer || l->stream_is_used)
        return unused_line(l);
    l->stream_is_used = true;
    return queue_line_of(l->stream);
}

static struct queued *enqueue(struct launching *l, struct machine_graph *graph, struct queued *begin);

static void enqueue_node(struct launching *l, struct machine_node *node, struct queued *begin)
{
    struct queued **needs = allocate((node->need_count + 1) * sizeof *needs);
    struct task task;
    size_t count = 0;
    for (size_t n = 0; n < node->need_count; n++)
        needs[count++] = node->needs[n]->queued;
    if (!count)
        needs[count++] = begin;
    node->line = line_for(l, node);
    node->is_continued = false;
    if (!task_copy(&task, &node->task))
        fail(EXIT_CANNOT, "out of memory");
    node->queued = queue_add_after(l->stream, &task, needs, count, node->line);
    free(needs);
    if (node->child) {
        struct queued *before = node->queued;
        struct launching inner = *l;
        inner.is_outer = false;
        node->queued = enqueue(&inner, node->child, before);
        l->lines_used = inner.lines_used;
        queue_drop(before);
    }
}

/* Adds the graph's nodes as tasks after `begin`. Returns a task that comes after all of them; the caller
 * owns the reference. */
static struct queued *enqueue(struct launching *l, struct machine_graph *graph, struct queued *begin)
{
    struct machine_node **nodes = sorted(graph);
    struct queued **tasks = allocate((graph->count + 1) * sizeof *tasks), *end;
    tasks[graph->count] = begin;
    for (size_t i = 0; i < graph->count; i++) {
        enqueue_node(l, nodes[i], begin);
        tasks[i] = nodes[i]->queued;
    }
    if (l->is_outer) {
        queue_join(l->stream, tasks, graph->count + 1);
        end = queue_keep(queue_last(l->stream));
    } else {
        end = queue_add_after(l->stream, &(struct task){.kind = TASK_NOTHING}, tasks, graph->count + 1,
                              unused_line(l));
    }
    for (size_t i = 0; i < graph->count; i++)
        queue_drop(tasks[i]);
    free(tasks);
    free(nodes);
    return end;
}

/* Adds the launch to the graph that captures the stream. */
static cudaError_t capture_launch(const struct machine_graph_exec *executable, struct machine_stream *stream)
{
    cudaError_t error = graph_capture(stream, &(struct task){.kind = TASK_NOTHING});
    if (error == cudaSuccess)
        stream->tails[0]->child = graph_copy(executable->graph);
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    ONE_THREAD
    bool has_kernel = false;
    struct machine_stream *to = stream_or_default(stream);
    if (to->capturing)
        return capture_launch(executable, to);
    if (!queues_are_on)
        return !the_machine.memory.is_weak && has_branches(executable->graph)
                   ? launch_branches(executable->graph, to)
                   : launch_in_turn(executable->graph, to, &has_kernel);
    struct launching l = {.executable = executable, .stream = to, .is_outer = true};
    if (executable->last)
        queue_join(to, &executable->last, 1);
    struct queued *begin = queue_begin(to);
    queue_drop(executable->last);
    executable->last = enqueue(&l, executable->graph, begin);
    queue_drop(begin);
    return queue_go_on();
}
