#include "machine/cuda/graphs.h"
#include "machine/cuda/runtime_calls.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/time/launch.h"

#include <stdlib.h>
#include <string.h>

static struct machine_graph *capturing; /* list of the graphs that are being captured */

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

void graph_end(struct machine_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct machine_node *node = graph->nodes[i];
        if (node->child)
            graph_end(node->child);
        task_end(&node->task);
        free(node->needs);
        free(node);
    }
    free(graph->nodes);
    free(graph);
}

struct machine_graph *graph_copy(const struct machine_graph *graph)
{
    struct machine_graph *copy = new_graph();
    for (size_t i = 0; i < graph->count; i++) {
        const struct machine_node *node = graph->nodes[i];
        struct machine_node *made;
        if (new_node(copy, &node->task, NULL, 0, &made) != cudaSuccess)
            return NULL;
        if (node->child)
            made->child = graph_copy(node->child);
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
    if (!machine_installed()->launch_graph && !queues_are_on)
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

/* Does the capture join this node? It does if another node needs it, or if it is one of the last nodes of
 * `origin`, the stream in which the capture began. */
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

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *state)
{
    *state = stream_or_default(stream)->capturing != NULL;
    return cudaSuccess;
}

/* ---- nodes ---- */

cudaError_t graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
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
    *clone = graph_copy(graph);
    return *clone ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    graph_end(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t count)
{
    return graph_add(node, graph, needs, count, &(struct task){.kind = TASK_NOTHING});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child)
{
    cudaError_t error = graph_add(node, graph, needs, count, &(struct task){.kind = TASK_NOTHING});
    if (error == cudaSuccess)
        (*node)->child = graph_copy(child);
    return error;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *needs, size_t count, cudaEvent_t event)
{
    return graph_add(node, graph, needs, count,
                     &(struct task){.kind = TASK_RECORD, .record = &event->record});
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

/* Returns the node of the executable graph that was made of this one, or the node itself if there is no
 * executable graph. Returns NULL if the task is of another kind. */
static struct machine_node *node_in(struct machine_node *node, const struct machine_graph_exec *executable,
                                    enum task_kind kind)
{
    if (executable && node->index >= executable->graph->count)
        return NULL;
    struct machine_node *found = executable ? executable->graph->nodes[node->index] : node;
    return found->task.kind == kind ? found : NULL;
}

cudaError_t graph_change(struct machine_node *node, const struct machine_graph_exec *executable,
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
