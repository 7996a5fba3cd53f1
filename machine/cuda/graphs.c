#include "machine/cuda/graphs.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/time/launch.h"

#include <stdlib.h>
#include <string.h>

struct machine_node {
    struct task task;
    struct machine_graph *graph;
    struct machine_graph *child; /* the graph that the node launches, or NULL */
    size_t index;                /* its place among its graph's nodes */
    struct machine_node **needs; /* the nodes that come before it */
    size_t need_count;
    /* while the graph is launched: the task that was made of the node, and whether another node goes on in its line */
    struct queued *queued;
    unsigned line;
    bool is_continued;
};

struct machine_graph {
    struct machine_node **nodes;
    size_t count;
    struct machine_stream *captured; /* the streams that the graph captures */
    struct machine_graph *next;      /* the next graph that captures now */
};

static struct machine_graph *capturing; /* the graphs that capture now */

struct machine_graph_exec {
    struct machine_graph *graph;
    unsigned *lines; /* lines of branches (machine/weak/clocks.h) */
    size_t line_count;
    struct queued *last; /* the end of the last launch: launches of one executable graph do not overlap */
};

static void add_node_to(struct machine_node ***nodes, size_t *count, struct machine_node *node)
{
    *nodes = with_room(*nodes, sizeof **nodes, *count, 1);
    (*nodes)[(*count)++] = node;
}

static struct machine_graph *new_graph(void)
{
    return allocate(sizeof(struct machine_graph));
}

static cudaError_t new_node(struct machine_graph *graph, const struct task *task,
                            struct machine_node *const *needs, size_t count, struct machine_node **out)
{
    struct machine_node *node = allocate(sizeof *node);
    if (!task_copy(&node->task, task)) {
        free(node);
        return cudaErrorMemoryAllocation;
    }
    node->graph = graph;
    node->index = graph->count;
    for (size_t i = 0; i < count; i++)
        add_node_to(&node->needs, &node->need_count, needs[i]);
    add_node_to(&graph->nodes, &graph->count, node);
    if (out)
        *out = node;
    return cudaSuccess;
}

static void end_graph(struct machine_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct machine_node *node = graph->nodes[i];
        if (node->child)
            end_graph(node->child);
        task_end(&node->task);
        free(node->needs);
        free(node);
    }
    free(graph->nodes);
    free(graph);
}

static struct machine_graph *copy_graph(const struct machine_graph *graph)
{
    struct machine_graph *copy = new_graph();
    for (size_t i = 0; i < graph->count; i++) {
        const struct machine_node *node = graph->nodes[i];
        struct machine_node *made;
        if (new_node(copy, &node->task, NULL, 0, &made) != cudaSuccess)
            return NULL;
        if (node->child)
            made->child = copy_graph(node->child);
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t n = 0; n < graph->nodes[i]->need_count; n++)
            add_node_to(&copy->nodes[i]->needs, &copy->nodes[i]->need_count,
                        copy->nodes[graph->nodes[i]->needs[n]->index]);
    return copy;
}

/* ---- capture ---- */

static void forget_tails(struct machine_stream *stream)
{
    free(stream->tails);
    stream->tails = NULL;
    stream->tail_count = 0;
}

static void begin_capture(struct machine_stream *stream, struct machine_graph *graph)
{
    if (stream->capturing)
        return;
    stream->capturing = graph;
    stream->next_captured = graph->captured;
    graph->captured = stream;
}

cudaError_t graph_capture(struct machine_stream *stream, const struct task *task)
{
    struct machine_node *node;
    cudaError_t error = new_node(stream->capturing, task, stream->tails, stream->tail_count, &node);
    if (error != cudaSuccess)
        return error;
    forget_tails(stream);
    add_node_to(&stream->tails, &stream->tail_count, node);
    return cudaSuccess;
}

void graph_record(struct captured *captured, const struct machine_stream *stream)
{
    free(captured->nodes);
    *captured = (struct captured){.graph = stream->capturing};
    for (size_t i = 0; captured->graph && i < stream->tail_count; i++)
        add_node_to(&captured->nodes, &captured->count, stream->tails[i]);
}

cudaError_t graph_wait(struct machine_stream *stream, const struct captured *captured)
{
    const struct machine_graph *graph = capturing;
    while (graph && graph != captured->graph)
        graph = graph->next;
    if (!graph)
        return cudaErrorCapturedEvent;
    if (stream->capturing && stream->capturing != captured->graph)
        return cudaErrorStreamCaptureIsolation;
    begin_capture(stream, captured->graph);
    for (size_t i = 0; i < captured->count; i++)
        add_node_to(&stream->tails, &stream->tail_count, captured->nodes[i]);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    ONE_THREAD(void) mode;
    if (!the_machine.description.launch_graph && !queues_are_on)
        return cudaErrorNotSupported;
    if (stream_or_default(stream) == stream_or_default(NULL))
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capturing)
        return cudaErrorIllegalState;
    struct machine_graph *graph = new_graph();
    graph->next = capturing;
    capturing = graph;
    begin_capture(stream, graph);
    return cudaSuccess;
}

/* Is this node the last of all, or does a node need it? */
static bool is_joined(const struct machine_graph *graph, const struct machine_stream *origin,
                      const struct machine_node *node)
{
    for (size_t i = 0; i < origin->tail_count; i++)
        if (origin->tails[i] == node)
            return true;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t n = 0; n < graph->nodes[i]->need_count; n++)
            if (graph->nodes[i]->needs[n] == node)
                return true;
    return false;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    ONE_THREAD
    struct machine_graph *made = stream->capturing;
    if (!made)
        return cudaErrorIllegalState;
    bool joined = true;
    for (const struct machine_stream *s = made->captured; s; s = s->next_captured)
        for (size_t i = 0; i < s->tail_count; i++)
            joined = joined && (!queues_are_on || is_joined(made, stream, s->tails[i]));
    while (made->captured) {
        struct machine_stream *captured = made->captured;
        made->captured = captured->next_captured;
        captured->capturing = NULL;
        forget_tails(captured);
    }
    struct machine_graph **place = &capturing;
    while (*place != made)
        place = &(*place)->next;
    *place = made->next;
    *graph = joined ? made : NULL;
    return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

cudaError_t machine_stream_capture_state(cudaStream_t stream, int *state)
{
    *state = stream_or_default(stream)->capturing != NULL;
    return cudaSuccess;
}

/* ---- nodes ---- */

const void *machine_here(void)
{
    return __builtin_return_address(0);
}

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                       const struct task *task)
{
    for (size_t i = 0; i < count; i++)
        if (needs[i]->graph != graph)
            return cudaErrorInvalidValue;
    return new_node(graph, task, needs, count, node);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    *graph = new_graph();
    return flags ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    *clone = copy_graph(graph);
    return *clone ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    end_graph(graph);
    return cudaSuccess;
}

cudaError_t machine_add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                               size_t count, const struct machine_launch *launch, const void *instruction)
{
    return add(node, graph, needs, count,
               &(struct task){.kind = TASK_KERNEL, .launch = *launch, .instruction = instruction});
}

cudaError_t machine_add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t count, const struct machine_copy *copy)
{
    return add(node, graph, needs, count,
               &(struct task){.kind = TASK_COPY, .copy = *copy, .instruction = __builtin_return_address(0)});
}

cudaError_t machine_add_setting(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                size_t count, const struct machine_setting *setting)
{
    return add(node, graph, needs, count,
               &(struct task){
                   .kind = TASK_SETTING, .setting = *setting, .instruction = __builtin_return_address(0)});
}

cudaError_t machine_add_call(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t count, void (*function)(void *), void *argument)
{
    return add(node, graph, needs, count,
               &(struct task){.kind = TASK_CALL, .function = function, .argument = argument});
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t count)
{
    return add(node, graph, needs, count, &(struct task){.kind = TASK_NOTHING});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child)
{
    cudaError_t error = add(node, graph, needs, count, &(struct task){.kind = TASK_NOTHING});
    if (error == cudaSuccess)
        (*node)->child = copy_graph(child);
    return error;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *needs, size_t count, cudaEvent_t event)
{
    return add(node, graph, needs, count, &(struct task){.kind = TASK_RECORD, .event = event});
}

cudaError_t machine_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (from[i]->graph != graph || to[i]->graph != graph || from[i] == to[i])
            return cudaErrorInvalidValue;
        add_node_to(&to[i]->needs, &to[i]->need_count, from[i]);
    }
    return cudaSuccess;
}

/* Copies at most *count nodes, if `nodes` is not NULL, and sets *count to their number. */
static cudaError_t list_nodes(const struct machine_graph *graph, cudaGraphNode_t *nodes, size_t *count,
                              bool roots_only)
{
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (roots_only && graph->nodes[i]->need_count)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes[i];
        found++;
    }
    *count = nodes && found > *count ? *count : found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

int machine_node_type(cudaGraphNode_t node)
{
    /* the numbers of enum cudaGraphNodeType */
    static const int numbers[] = {[TASK_KERNEL] = 0,  [TASK_COPY] = 1,   [TASK_SETTING] = 2, [TASK_CALL] = 3,
                                  [TASK_NOTHING] = 5, [TASK_RECORD] = 7, [TASK_FREE] = 11};
    return node->child ? 4 : numbers[node->task.kind];
}

/* ---- changes ---- */

/* Returns the node of the executable graph that was made of this one, or the node itself if there is no executable
 * graph. Returns NULL if the task is of another kind. */
static struct machine_node *node_in(struct machine_node *node, const struct machine_graph_exec *executable,
                                    enum task_kind kind)
{
    if (executable && node->index >= executable->graph->count)
        return NULL;
    struct machine_node *found = executable ? executable->graph->nodes[node->index] : node;
    return found->task.kind == kind ? found : NULL;
}

static cudaError_t change(struct machine_node *node, const struct machine_graph_exec *executable,
                          const struct task *task)
{
    struct machine_node *found = node_in(node, executable, task->kind);
    struct task changed;
    if (!found)
        return cudaErrorInvalidValue;
    if (!task_copy(&changed, task))
        return cudaErrorMemoryAllocation;
    task_end(&found->task);
    found->task = changed;
    return cudaSuccess;
}

cudaError_t machine_change_kernel(cudaGraphNode_t node, cudaGraphExec_t executable,
                                  const struct machine_launch *launch, const void *instruction)
{
    return change(node, executable,
                  &(struct task){.kind = TASK_KERNEL, .launch = *launch, .instruction = instruction});
}

cudaError_t machine_change_copy(cudaGraphNode_t node, cudaGraphExec_t executable,
                                const struct machine_copy *copy)
{
    return change(
        node, executable,
        &(struct task){.kind = TASK_COPY, .copy = *copy, .instruction = __builtin_return_address(0)});
}

cudaError_t machine_change_setting(cudaGraphNode_t node, cudaGraphExec_t executable,
                                   const struct machine_setting *setting)
{
    return change(node, executable,
                  &(struct task){
                      .kind = TASK_SETTING, .setting = *setting, .instruction = __builtin_return_address(0)});
}

cudaError_t machine_change_call(cudaGraphNode_t node, cudaGraphExec_t executable, void (*function)(void *),
                                void *argument)
{
    return change(node, executable,
                  &(struct task){.kind = TASK_CALL, .function = function, .argument = argument});
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
    struct machine_graph *copy = copy_graph(graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    end_graph(executable->graph);
    executable->graph = copy;
    return cudaSuccess;
}

/* ---- executable graphs ---- */

/* Returns the nodes in an order in which each comes after those that it needs, or NULL if some need each other. The
 * caller frees the list. */
static struct machine_node **sorted_nodes(const struct machine_graph *graph)
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

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    struct machine_node **sorted = sorted_nodes(graph);
    free(sorted);
    if (!sorted)
        return cudaErrorInvalidValue;
    struct machine_graph *copy = copy_graph(graph);
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
    end_graph(executable->graph);
    free(executable->lines);
    free(executable);
    return cudaSuccess;
}

/* ---- launches ---- */

/* Does the nodes one after another, as streams do that are no queues. */
static cudaError_t launch_in_turn(struct machine_graph *graph, struct machine_stream *stream,
                                  bool *has_kernel)
{
    struct machine_node **nodes = sorted_nodes(graph);
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
            error = stream_run_after(launch, stream, cost);
        } else if (node->task.kind != TASK_NOTHING) {
            error = stream_do(&node->task, stream);
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

/* Returns the line for a node: that of a node before it if no other node has gone on in it yet, or the stream's. */
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

/* Adds the graph's nodes as tasks after `begin`. Returns a task that comes after all of them; the caller owns the
 * reference. */
static struct queued *enqueue(struct launching *l, struct machine_graph *graph, struct queued *begin)
{
    struct machine_node **nodes = sorted_nodes(graph);
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
        stream->tails[0]->child = copy_graph(executable->graph);
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
        return launch_in_turn(executable->graph, to, &has_kernel);
    struct launching l = {.executable = executable, .stream = to, .is_outer = true};
    if (executable->last)
        queue_join(to, &executable->last, 1);
    struct queued *begin = queue_begin(to);
    queue_drop(executable->last);
    executable->last = enqueue(&l, executable->graph, begin);
    queue_drop(begin);
    return queue_go_on();
}
