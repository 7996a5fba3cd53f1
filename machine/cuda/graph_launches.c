/* Executable graphs, and their launches. A launch makes a list of steps of the graph and its child graphs,
 * which queues get as tasks; without queues, the steps are done one after another or beside each other. */
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

/* ---- the steps of a launch ---- */

/* A step of a launch: a node of the launched graph or of a child graph. A step without a task is the
 * beginning or the end of such a graph, or an empty node. */
struct step {
    const struct task *task; /* NULL for a step that does nothing */
    size_t *needs;           /* numbers of the steps that must end before this step begins */
    size_t need_count;
    bool is_outer; /* is it of the launched graph itself, not of a child graph? */
    /* If streams are queues (machine/cuda/queues.h), these three are set. */
    struct queued *queued; /* the task that was made of the step */
    unsigned line;         /* the task's line (machine/weak/clocks.h) */
    bool is_continued;     /* does another step belong to the same line and come next in it? */
    /* If streams are not queues, the members below are set. */
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

struct steps {
    struct step *steps;
    size_t count;
    /* If streams are not queues, for steps that overlap: */
    struct machine_stream *stream;
    uint64_t begin; /* time at which the graph was launched */
    int first_cost; /* the time from `begin` to the first kernels of the graph; -1 while this is not known */
};

static size_t add_step(struct steps *l, const struct task *task, bool is_outer)
{
    l->steps = with_room(l->steps, sizeof *l->steps, l->count, 1);
    l->steps[l->count] = (struct step){.task = task, .is_outer = is_outer};
    return l->count++;
}

static void add_need(struct steps *l, size_t step, size_t need)
{
    struct step *s = &l->steps[step];
    const struct step *before = &l->steps[need];
    s->needs = with_room(s->needs, sizeof *s->needs, s->need_count, 1);
    s->needs[s->need_count++] = need;
    s->is_after_kernel =
        s->is_after_kernel || before->is_after_kernel || (before->task && before->task->kind == TASK_KERNEL);
}

/* Adds steps for the graph's nodes in an order in which each comes after those that it needs, and returns a
 * step that comes after all of them. `after` is NULL for the launched graph. For a child graph it is the step
 * that steps of nodes without dependencies need. */
static size_t add_steps(struct steps *l, const struct machine_graph *graph, const size_t *after)
{
    struct machine_node **nodes = sorted(graph);
    size_t *step_of = allocate((graph->count + 1) * sizeof *step_of);
    for (size_t i = 0; i < graph->count; i++) {
        const struct machine_node *node = nodes[i];
        const struct task *task = node->child || node->task.kind == TASK_NOTHING ? NULL : &node->task;
        size_t step = add_step(l, task, !after);
        for (size_t n = 0; n < node->need_count; n++)
            add_need(l, step, step_of[node->needs[n]->index]);
        if (!node->need_count && after)
            add_need(l, step, *after);
        step_of[node->index] = node->child ? add_steps(l, node->child, &step) : step;
    }
    size_t end = add_step(l, NULL, !after);
    for (size_t i = 0; i < graph->count; i++)
        add_need(l, end, step_of[i]);
    if (!graph->count && after)
        add_need(l, end, *after);
    free(step_of);
    free(nodes);
    return end;
}

static void end_steps(struct steps *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->steps[i].needs);
    free(l->steps);
}

/* May two steps run at the same time? If not, the steps are a chain: each one needs the step before it. */
static bool has_branches(const struct steps *l)
{
    for (size_t i = 1; i < l->count; i++) {
        bool follows = false;
        for (size_t n = 0; n < l->steps[i].need_count; n++)
            follows = follows || l->steps[i].needs[n] == i - 1;
        if (!follows)
            return true;
    }
    return false;
}

/* ---- steps beside each other, without queues ---- */

/* Steps that do not depend on each other overlap, like kernels in streams made with cudaStreamNonBlocking. */

/* Returns the time from the end of the step's needs to the beginning of its kernel. The host launches the
 * graph once, so all kernels that come after no other kernel begin together. */
static int cost_of(struct steps *l, const struct step *s)
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
static void note_ready(struct steps *l)
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
static struct step *next_step(const struct steps *l, size_t *ready, size_t *under_way)
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

static void note_ended(struct steps *l)
{
    for (struct step *s = l->steps; s < l->steps + l->count; s++)
        if (s->state == RUNS && s->kernel_has_ended) {
            s->state = HAS_ENDED;
            s->end = s->kernel ? s->kernel->end : the_machine.now;
        }
}

/* Begins a kernel beside which others may run. */
static void begin_beside(struct steps *l, struct step *s)
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

/* Executes a step that is not a kernel, or a kernel with which no other step can overlap. */
static cudaError_t do_alone(struct steps *l, struct step *s, bool is_last)
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
static size_t count_waiting(const struct steps *l)
{
    size_t count = 0;
    for (const struct step *s = l->steps; s < l->steps + l->count; s++)
        count += s->state == WAITS && s->task;
    return count;
}

static cudaError_t go_through(struct steps *l)
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
static cudaError_t launch_branches(struct steps *l, struct machine_stream *stream)
{
    hang_task_begins(stream);
    cudaError_t error = stream_wait(stream);
    uint64_t units = the_machine.counters.time_units;
    l->begin = the_machine.now;
    l->first_cost = -1;
    if (error == cudaSuccess)
        error = go_through(l);
    if (error == cudaErrorLaunchTimeout)
        error = hang_suspected(stream);
    const struct step *last = &l->steps[l->count - 1];
    if (error == cudaSuccess && last->end > the_machine.now)
        the_machine.now = last->end;
    the_machine.counters.time_units = units + (the_machine.now - l->begin);
    return hang_task_ends(error);
}

/* ---- other launches ---- */

/* Launches the steps one after another. This is done for a graph that is a chain, and with weak memory, where
 * one kernel runs at a time. */
static cudaError_t launch_in_turn(const struct steps *l, struct machine_stream *stream)
{
    cudaError_t error = cudaSuccess;
    bool has_kernel = false;
    for (const struct step *s = l->steps; s < l->steps + l->count && error == cudaSuccess; s++) {
        if (is_kernel(s)) {
            const struct machine_launch *launch = &s->task->launch;
            int cost = has_kernel ? launch_cost_in_graph(launch->programmatic, machine_blocks(launch))
                                  : launch_begin(machine_blocks(launch));
            has_kernel = true;
            error = at_once_launch(launch, stream, cost);
        } else if (s->task) {
            error = at_once_do(s->task, stream);
        }
    }
    return error;
}

/* Returns the line (a sequence of tasks that do not overlap) in which the step's task stands. If the step
 * needs a step whose line no other step continues, this is that line. Otherwise the first step of the
 * launched graph gets the stream's line, and later ones get lines of the executable graph. *used counts these
 * lines. */
static unsigned line_for(const struct steps *l, const struct step *step, struct machine_graph_exec *e,
                         size_t *used, bool *stream_is_used)
{
    for (size_t n = 0; n < step->need_count; n++) {
        struct step *need = &l->steps[step->needs[n]];
        if (!need->is_continued) {
            need->is_continued = true;
            return need->line;
        }
    }
    if (step->is_outer && !*stream_is_used) {
        *stream_is_used = true;
        return l->stream->line;
    }
    if (*used == e->line_count) {
        e->lines = with_room(e->lines, sizeof *e->lines, e->line_count, 1);
        e->lines[e->line_count++] = queue_new_line();
    }
    return e->lines[(*used)++];
}

/* Adds the steps as tasks after `begin`; the last one becomes the stream's last task. Returns it; the caller
 * owns the reference. */
static struct queued *enqueue(struct steps *l, struct machine_graph_exec *executable, struct queued *begin)
{
    struct queued **needs = allocate((l->count + 1) * sizeof *needs);
    size_t lines_used = 0;
    bool stream_is_used = false;
    for (struct step *s = l->steps; s < l->steps + l->count; s++) {
        struct task task = {.kind = TASK_NOTHING};
        size_t count = 0;
        for (size_t n = 0; n < s->need_count; n++)
            needs[count++] = l->steps[s->needs[n]].queued;
        if (!count)
            needs[count++] = begin;
        if (s == l->steps + l->count - 1) {
            queue_join(l->stream, needs, count);
            s->queued = queue_keep(l->stream->last);
            break;
        }
        if (s->task && !task_copy(&task, s->task))
            fail(EXIT_CANNOT, "out of memory");
        s->line = line_for(l, s, executable, &lines_used, &stream_is_used);
        s->queued = queue_add_after(l->stream, &task, needs, count, s->line);
    }
    free(needs);
    for (size_t i = 0; i + 1 < l->count; i++)
        queue_drop(l->steps[i].queued);
    return l->steps[l->count - 1].queued;
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
    struct machine_stream *to = stream_or_default(stream);
    if (to->capturing)
        return capture_launch(executable, to);
    struct steps steps = {.stream = to};
    add_steps(&steps, executable->graph, NULL);
    if (!queues_are_on) {
        cudaError_t error = !the_machine.memory.is_weak && has_branches(&steps) ? launch_branches(&steps, to)
                                                                                : launch_in_turn(&steps, to);
        end_steps(&steps);
        return error;
    }
    if (executable->last)
        queue_join(to, &executable->last, 1);
    struct queued *begin = queue_begin(to);
    queue_drop(executable->last);
    executable->last = enqueue(&steps, executable, begin);
    queue_drop(begin);
    end_steps(&steps);
    return queue_go_on();
}
