/* The functions and types of the CUDA runtime for graphs. The machine lacks some of them, and refuses these
 * by name. */
#ifndef GPUSYNC_CHECK_GRAPHS_H
#define GPUSYNC_CHECK_GRAPHS_H

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree
};
struct cudaKernelNodeParams;
namespace gpusync_check
{
/* A function that is called with a node's launch. */
typedef cudaError_t (*with_launch)(const machine_launch *launch, void *data);

/* A kernel in the parameters of a node, together with the function that reads its arguments, which knows
 * their types. check/rewrite removes the cast in `parameters.func = (void *)kernel`. */
struct kernel_pointer {
    void *kernel;
    cudaError_t (*read)(void *kernel, const cudaKernelNodeParams *parameters, with_launch use, void *data);

    kernel_pointer() = default;
    kernel_pointer(const void *k) : kernel((void *)k), read(nullptr) {}
    template <class... Parameters>
    kernel_pointer(void (*k)(Parameters...));
    operator void *() const { return kernel; }
};
} // namespace gpusync_check
struct cudaKernelNodeParams {
    gpusync_check::kernel_pointer func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cudaHostNodeParams {
    void (*fn)(void *);
    void *userData;
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
static constexpr cudaStreamCaptureMode cudaStreamCaptureModeThreadLocal = (cudaStreamCaptureMode)1,
                                       cudaStreamCaptureModeRelaxed = (cudaStreamCaptureMode)2;
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess,
    cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

/* ---- capture ---- */

static inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    int state = 0;
    cudaError_t error = machine_stream_capture_state(stream, &state);
    *status = (cudaStreamCaptureStatus)state;
    return error;
}
static inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *)
{
    return cudaSuccess;
}

/* ---- nodes ---- */

namespace gpusync_check
{
template <class... Parameters, size_t... I>
cudaError_t read_launch(void (*kernel)(Parameters...), const cudaKernelNodeParams *p, with_launch use,
                        void *data, std::index_sequence<I...>)
{
    std::tuple<std::decay_t<Parameters>...> copy{*(std::decay_t<Parameters> *)p->kernelParams[I]...};
    auto closure = [kernel, copy] { std::apply(kernel, copy); };
    machine_launch launch =
        machine_launch_of(closure, (const void *)kernel, p->gridDim, p->blockDim, p->sharedMemBytes);
    return use(&launch, data);
}
template <class... Parameters>
cudaError_t read_node(void *kernel, const cudaKernelNodeParams *p, with_launch use, void *data)
{
    return read_launch((void (*)(Parameters...))kernel, p, use, data,
                       std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
kernel_pointer::kernel_pointer(void (*k)(Parameters...)) : kernel((void *)k), read(read_node<Parameters...>)
{
}
static inline cudaError_t use_launch(const char *call, const cudaKernelNodeParams *p, with_launch use,
                                     void *data)
{
    if (p->func.read && p->kernelParams)
        return p->func.read(p->func.kernel, p, use, data);
    fprintf(
        stderr,
        "%s: gpusync-check must see the kernel and its arguments: `parameters.func = (void *)kernel`, and "
        "kernelParams in place of extra\n",
        call);
    abort();
}
CHECK_METHOD machine_setting setting_of(const cudaMemsetParams *p)
{
    return {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
}
CHECK_METHOD machine_copy row_of(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return {to, from, 0, 0, 0, 0, bytes, 1, 1, kind};
}
} // namespace gpusync_check

CHECK_METHOD cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *needs, size_t count,
                                                const cudaKernelNodeParams *p)
{
    struct target {
        cudaGraphNode_t *node;
        cudaGraph_t graph;
        const cudaGraphNode_t *needs;
        size_t count;
        const void *instruction;
    } target_of = {node, graph, needs, count, machine_here()};
    auto add = [](const machine_launch *launch, void *data) {
        target *to = (target *)data;
        return machine_add_kernel(to->node, to->graph, to->needs, to->count, launch, to->instruction);
    };
    return gpusync_check::use_launch("cudaGraphAddKernelNode", p, add, &target_of);
}
static inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *needs, size_t count,
                                                 const cudaMemcpy3DParms *p)
{
    machine_copy copy = gpusync_check::copy_of(p);
    return machine_add_copy(node, graph, needs, count, &copy);
}
static inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *needs, size_t count, void *to,
                                                   const void *from, size_t bytes, cudaMemcpyKind kind)
{
    machine_copy copy = gpusync_check::row_of(to, from, bytes, kind);
    return machine_add_copy(node, graph, needs, count, &copy);
}
static inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *needs, size_t count,
                                                 const cudaMemsetParams *p)
{
    machine_setting setting = gpusync_check::setting_of(p);
    return machine_add_setting(node, graph, needs, count, &setting);
}
static inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                               const cudaGraphNode_t *needs, size_t count,
                                               const cudaHostNodeParams *p)
{
    return machine_add_call(node, graph, needs, count, p->fn, p->userData);
}
/* Allocates an allocation node's memory now; it is freed only when the program ends, because a graph may be
 * launched again. */
static inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *needs, size_t count,
                                                   cudaMemAllocNodeParams *p)
{
    cudaError_t error = machine_malloc_of_graph(&p->dptr, p->bytesize);
    return error == cudaSuccess ? cudaGraphAddEmptyNode(node, graph, needs, count) : error;
}
static inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *needs, size_t count, void *)
{
    return cudaGraphAddEmptyNode(node, graph, needs, count);
}
/* In CUDA 13, this function has an additional parameter, the edges' data. */
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count)
{
    return machine_add_dependencies(graph, from, to, count);
}
template <class Edge>
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, Edge, size_t count)
{
    return machine_add_dependencies(graph, from, to, count);
}
static inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    *type = (cudaGraphNodeType)machine_node_type(node);
    return cudaSuccess;
}

/* ---- changes ---- */

CHECK_METHOD cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                          const cudaKernelNodeParams *p)
{
    struct target {
        cudaGraphExec_t executable;
        cudaGraphNode_t node;
        const void *instruction;
    } target_of = {executable, node, machine_here()};
    auto change = [](const machine_launch *launch, void *data) {
        target *to = (target *)data;
        return machine_change_kernel(to->node, to->executable, launch, to->instruction);
    };
    return gpusync_check::use_launch("cudaGraphExecKernelNodeSetParams", p, change, &target_of);
}
CHECK_METHOD cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p)
{
    return cudaGraphExecKernelNodeSetParams(nullptr, node, p);
}
static inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           const cudaMemcpy3DParms *p)
{
    machine_copy copy = gpusync_check::copy_of(p);
    return machine_change_copy(node, executable, &copy);
}
static inline cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *p)
{
    return cudaGraphExecMemcpyNodeSetParams(nullptr, node, p);
}
static inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                             void *to, const void *from, size_t bytes,
                                                             cudaMemcpyKind kind)
{
    machine_copy copy = gpusync_check::row_of(to, from, bytes, kind);
    return machine_change_copy(node, executable, &copy);
}
static inline cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                           const cudaMemsetParams *p)
{
    machine_setting setting = gpusync_check::setting_of(p);
    return machine_change_setting(node, executable, &setting);
}
static inline cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *p)
{
    return cudaGraphExecMemsetNodeSetParams(nullptr, node, p);
}
static inline cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                         const cudaHostNodeParams *p)
{
    return machine_change_call(node, executable, p->fn, p->userData);
}
static inline cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *p)
{
    return machine_change_call(node, nullptr, p->fn, p->userData);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                              cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t error = machine_update(executable, graph);
    *info = {error == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged,
             nullptr, nullptr};
    return error;
}
/* the form of the function before CUDA 12 */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                              cudaGraphNode_t *node, cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    *node = nullptr;
    *result = info.result;
    return error;
}

/* ---- executable graphs ---- */

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph)
{
    return cudaGraphInstantiate(executable, graph, 0);
}
/* the form of the function before CUDA 12 */
template <class Size>
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *, char *,
                                 Size)
{
    return cudaGraphInstantiate(executable, graph, 0);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                               decltype(nullptr), decltype(nullptr), size_t)
{
    return cudaGraphInstantiate(executable, graph, 0);
}
static inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                                        unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}
static inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}

/* ---- what is not there ---- */

#define GPUSYNC_NOT_THERE(name)                                                                              \
    template <class... Arguments>                                                                            \
    __attribute__((error(#name                                                                               \
                         "() is not there: of graphs, gpusync-check has kernels, copies, memsets, host "     \
                         "functions, child graphs and what a stream captures"))) cudaError_t                 \
    name(Arguments...);
GPUSYNC_NOT_THERE(cudaGraphAddNode)
GPUSYNC_NOT_THERE(cudaGraphAddEventWaitNode)
GPUSYNC_NOT_THERE(cudaGraphAddExternalSemaphoresSignalNode)
GPUSYNC_NOT_THERE(cudaGraphAddExternalSemaphoresWaitNode)
GPUSYNC_NOT_THERE(cudaGraphAddMemcpyNodeToSymbol)
GPUSYNC_NOT_THERE(cudaGraphAddMemcpyNodeFromSymbol)
GPUSYNC_NOT_THERE(cudaGraphChildGraphNodeGetGraph)
GPUSYNC_NOT_THERE(cudaGraphConditionalHandleCreate)
GPUSYNC_NOT_THERE(cudaGraphDebugDotPrint)
GPUSYNC_NOT_THERE(cudaGraphDestroyNode)
GPUSYNC_NOT_THERE(cudaGraphExecChildGraphNodeSetParams)
GPUSYNC_NOT_THERE(cudaGraphExecGetFlags)
GPUSYNC_NOT_THERE(cudaGraphExecNodeSetParams)
GPUSYNC_NOT_THERE(cudaGraphGetEdges)
GPUSYNC_NOT_THERE(cudaGraphInstantiateWithParams)
GPUSYNC_NOT_THERE(cudaGraphKernelNodeGetParams)
GPUSYNC_NOT_THERE(cudaGraphKernelNodeSetAttribute)
GPUSYNC_NOT_THERE(cudaGraphMemcpyNodeGetParams)
GPUSYNC_NOT_THERE(cudaGraphMemsetNodeGetParams)
GPUSYNC_NOT_THERE(cudaGraphNodeFindInClone)
GPUSYNC_NOT_THERE(cudaGraphNodeGetDependencies)
GPUSYNC_NOT_THERE(cudaGraphNodeGetDependentNodes)
GPUSYNC_NOT_THERE(cudaGraphNodeSetEnabled)
GPUSYNC_NOT_THERE(cudaGraphNodeSetParams)
GPUSYNC_NOT_THERE(cudaGraphRemoveDependencies)
GPUSYNC_NOT_THERE(cudaStreamBeginCaptureToGraph)
GPUSYNC_NOT_THERE(cudaStreamGetCaptureInfo)
GPUSYNC_NOT_THERE(cudaStreamUpdateCaptureDependencies)
#undef GPUSYNC_NOT_THERE

#endif
