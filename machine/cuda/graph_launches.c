/* Executable graphs, and their launches. */
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/graph_branches.h"
#include "machine/cuda/graphs.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/time/launch.h"

#include <stdlib.h>

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    struct machine_node **sorted = graph_sorted(graph);
    free(sorted);
    if (!sorted)
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

/* ---- launches ---- */

/* Launches the nodes one after another. This is done for a graph that is a chain, and with weak memory, where
 * one kernel runs at a time. */
static cudaError_t launch_in_turn(struct machine_graph *graph, struct machine_stream *stream,
                                  bool *has_kernel)
{
    struct machine_node **nodes = graph_sorted(graph);
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
    size_t lines_used; /* number of the executable graph's lines that its tasks stand in so far */
    bool is_outer;     /* are the nodes those of the launched graph, and not of a child? */
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

/* Returns the line for a node: the line of a node that it needs, if no other node continues that line yet, or
 * else the stream's line. */
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
    struct machine_node **nodes = graph_sorted(graph);
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
        return !the_machine.memory.is_weak && graph_has_branches(executable->graph)
                   ? graph_launch_branches(executable->graph, to)
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
