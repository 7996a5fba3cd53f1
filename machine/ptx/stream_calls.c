/* The functions of the CUDA runtime for streams, events and graphs that machine/cuda/ lacks. */
#include "base/memory.h"
#include "machine/cuda/at_once.h"
#include "machine/cuda/graphs.h"
#include "machine/ptx/images.h"

#include <stdlib.h>

/* ---- streams and events ---- */

SETS(cudaStreamGetPriority, (cudaStream_t stream, int *priority), priority,
     stream_or_default(stream)->priority)
SETS(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), flags,
     stream_or_default(stream)->overlaps ? cudaStreamNonBlocking : cudaStreamDefault)
SETS(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), id,
     (unsigned long long)(uintptr_t)(stream                     ? stream
                                     : null_is_stream_of_thread ? machine_stream_of_thread
                                                                : machine_legacy_stream))
CALL(cudaStreamGetDevice, (cudaStream_t stream, int *device), ((void)stream, cudaGetDevice(device)))

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    if (flags > 1)
        return machine_note_error(cudaErrorInvalidValue);
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop)
{
    if (!start || !stop)
        return machine_note_error(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(machine_event_elapsed(start, stop) * 1e3 / machine_clock_hz());
    return cudaSuccess;
}

CALL(cudaLaunchHostFunc, (cudaStream_t stream, void (*function)(void *), void *argument),
     machine_call_host(function, argument, stream))

struct callback {
    void (*function)(cudaStream_t, cudaError_t, void *);
    cudaStream_t stream;
    void *argument;
};

static void call_back(void *data)
{
    struct callback *c = data;
    c->function(c->stream, cudaSuccess, c->argument);
    free(c);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*function)(cudaStream_t, cudaError_t, void *),
                                  void *argument, unsigned flags)
{
    if (flags)
        return machine_note_error(cudaErrorInvalidValue);
    struct callback *c = allocate(sizeof *c);
    *c = (struct callback){function, stream, argument};
    return machine_call_host(call_back, c, stream);
}

/* ---- capture ---- */

/* CUDA 12 calls this function with _v3. Each pointer after `status` may be NULL; edges have no data. */
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **needs, const void **edges,
                                     size_t *count)
{
    const struct machine_stream *of = stream_or_default(stream);
    *status = of->capturing != NULL;
    if (!of->capturing)
        return cudaSuccess;
    if (id)
        *id = (unsigned long long)(uintptr_t)of->capturing;
    if (graph)
        *graph = of->capturing;
    if (needs)
        *needs = of->tails;
    if (edges)
        *edges = NULL;
    if (count)
        *count = of->tail_count;
    return cudaSuccess;
}

CALL(cudaStreamGetCaptureInfo_v2,
     (cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
      const cudaGraphNode_t **needs, size_t *count),
     cudaStreamGetCaptureInfo(stream, status, id, graph, needs, NULL, count))

/* ---- nodes of graphs ---- */

/* Makes a graph whose only node is the kernel's launch: a stream captures it. The caller ends the graph. */
static cudaError_t launch_in_graph(struct machine_graph **graph, const struct cuda_kernel_node *p,
                                   const void *caller)
{
    cudaError_t error = cudaGraphCreate(graph, 0);
    struct machine_stream stream = {.capturing = *graph};
    if (error == cudaSuccess)
        error = ptx_launch_kernel(ptx_kernel_of(p->func), p->kernelParams, p->kernelParams ? NULL : p->extra,
                                  ptx_launch_of(p->gridDim, p->blockDim, p->sharedMemBytes, NULL, 0), &stream,
                                  caller);
    free(stream.tails);
    if (error != cudaSuccess)
        graph_end(*graph);
    return error;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                   size_t count, const struct cuda_kernel_node *p)
{
    struct machine_graph *made;
    cudaError_t error = launch_in_graph(&made, p, CALLER);
    if (error != cudaSuccess)
        return error;
    error = machine_note_error(graph_add(node, graph, needs, count, &made->nodes[0]->task));
    graph_end(made);
    return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cuda_kernel_node *p)
{
    struct machine_graph *made;
    cudaError_t error = launch_in_graph(&made, p, CALLER);
    if (error != cudaSuccess)
        return error;
    error = machine_note_error(graph_change(node, executable, &made->nodes[0]->task));
    graph_end(made);
    return error;
}

CALL(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const struct cuda_kernel_node *p),
     cudaGraphExecKernelNodeSetParams(NULL, node, p))

static struct task copy_of(struct machine_copy copy, const void *caller)
{
    return (struct task){.kind = TASK_COPY, .copy = copy, .instruction = caller};
}

static struct task setting_of(const struct cuda_memset_node *p, const void *caller)
{
    return (struct task){.kind = TASK_SETTING,
                         .setting = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height},
                         .instruction = caller};
}

static struct task call_of(const struct cuda_host_node *p)
{
    return (struct task){.kind = TASK_CALL, .function = p->fn, .argument = p->userData};
}

/* Defines a function that adds a node for a task, with the task's parameters after its own. */
#define ADDS(name, parameters, task_of)                                                                      \
    cudaError_t name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,   \
                     PARAMETERS parameters)                                                                  \
    {                                                                                                        \
        struct task task = task_of;                                                                          \
        return machine_note_error(graph_add(node, graph, needs, count, &task));                              \
    }
/* Defines such a function, and those that change a node's task in a graph and in an executable graph. */
#define NODE(kind, end, parameters, task_of)                                                                 \
    ADDS(cudaGraphAdd##kind##Node##end, parameters, task_of)                                                 \
    cudaError_t cudaGraphExec##kind##NodeSetParams##end(cudaGraphExec_t executable, cudaGraphNode_t node,    \
                                                        PARAMETERS parameters)                               \
    {                                                                                                        \
        struct task task = task_of;                                                                          \
        return machine_note_error(graph_change(node, executable, &task));                                    \
    }                                                                                                        \
    cudaError_t cudaGraph##kind##NodeSetParams##end(cudaGraphNode_t node, PARAMETERS parameters)             \
    {                                                                                                        \
        struct task task = task_of;                                                                          \
        return machine_note_error(graph_change(node, NULL, &task));                                          \
    }
NODE(Memcpy, , (const struct cuda_copy_3d *p), copy_of(ptx_copy_of(p), CALLER))
NODE(Memcpy, 1D, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
     copy_of(runtime_row(to, from, bytes, kind), CALLER))
NODE(Memset, , (const struct cuda_memset_node *p), setting_of(p, CALLER))
NODE(Host, , (const struct cuda_host_node *p), call_of(p))
static ADDS(add_copy, (struct machine_copy copy, const void *caller), copy_of(copy, caller))

    cudaError_t
    cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                   size_t count, const void *symbol, const void *from, size_t bytes,
                                   size_t offset, enum cudaMemcpyKind kind)
{
    char *to = NULL;
    cudaError_t error = ptx_place_in(&to, symbol, bytes, offset, kind, cudaMemcpyHostToDevice, CALLER);
    return error == cudaSuccess
               ? add_copy(node, graph, needs, count, runtime_row(to, from, bytes, kind), CALLER)
               : error;
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *needs, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    char *from = NULL;
    cudaError_t error = ptx_place_in(&from, symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, CALLER);
    return error == cudaSuccess
               ? add_copy(node, graph, needs, count, runtime_row(to, from, bytes, kind), CALLER)
               : error;
}

/* Allocates the memory now; it is freed only when the program ends, because a graph may be launched again. */
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                     size_t count, struct cuda_allocation_node *p)
{
    cudaError_t error = machine_malloc_of_graph(&p->dptr, p->bytesize);
    return machine_note_error(error == cudaSuccess ? cudaGraphAddEmptyNode(node, graph, needs, count)
                                                   : error);
}

CALL(cudaGraphAddDependencies_v2,
     (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const void *edges,
      size_t count),
     ((void)edges, machine_add_dependencies(graph, from, to, count)))

/* CUDA 13 passes the edges' data before `count`, and CUDA 12 has no such parameter. A pointer to the data is
 * NULL or larger than any number of edges. */
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, uintptr_t edges_or_count, size_t count)
{
    bool is_count = edges_or_count && edges_or_count < 65536;
    return cudaGraphAddDependencies_v2(graph, from, to, NULL, is_count ? edges_or_count : count);
}

SETS(cudaGraphNodeGetType, (cudaGraphNode_t node, int *type), type, machine_node_type(node))

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    *graph = node->child;
    return node->child ? cudaSuccess : machine_note_error(cudaErrorInvalidValue);
}

/* ---- executable graphs ---- */

CALL(cudaGraphInstantiateWithFlags,
     (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
     cudaGraphInstantiate(executable, graph, flags))

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           struct cuda_instantiation *p)
{
    cudaError_t error = cudaGraphInstantiate(executable, graph, p->flags);
    p->errNode_out = NULL;
    p->result_out = error != cudaSuccess;
    return machine_note_error(error);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                struct cuda_update_result *result)
{
    enum { SUCCESS, ERROR, TOPOLOGY_CHANGED }; /* the numbers of cudaGraphExecUpdateResult */
    cudaError_t error = machine_update(executable, graph);
    *result = (struct cuda_update_result){error == cudaSuccess ? SUCCESS : TOPOLOGY_CHANGED, NULL, NULL};
    return machine_note_error(error);
}
