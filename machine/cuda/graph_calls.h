/* Copies and settings of rows and planes, tasks of streams, and graphs made of nodes: functions of the
 * machine from which machine/ptx/ makes those of the CUDA runtime. Each returns what the function of CUDA
 * returns. */
#ifndef MACHINE_GRAPH_CALLS_H
#define MACHINE_GRAPH_CALLS_H

#include "machine/runtime_api.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct machine_node *cudaGraphNode_t;

/* A copy of planes of rows. The pitches are the distances in bytes from one row to the next, and the planes
 * those from one plane to the next. */
struct machine_copy {
    void *to;
    const void *from;
    size_t to_pitch, to_plane, from_pitch, from_plane;
    size_t width, height, depth; /* bytes of a row, number of rows in a plane, number of planes */
    enum cudaMemcpyKind kind;
};
/* A setting of rows of elements of 1, 2 or 4 bytes. */
struct machine_setting {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* number of elements in a row, and of rows */
};

/* Checks a copy of `bytes` bytes to or from a variable of `size` bytes. */
void machine_check_symbol(const void *symbol, size_t size, size_t offset, size_t bytes);
/* Makes the stream call a function of the host. */
cudaError_t machine_call_host(void (*function)(void *), void *argument, cudaStream_t stream);
/* Allocates the memory of a graph's allocation node now; it is freed only when the program ends. */
cudaError_t machine_malloc_of_graph(void **pointer, size_t bytes);
cudaError_t machine_malloc_async(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *state);

/* ---- graphs made of nodes ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
/* Each adds a node that comes after the nodes of `needs`. The launch of a kernel is copied;
 * `instruction` is the program's call. */
cudaError_t machine_add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                               size_t count, const struct machine_launch *launch, const void *instruction);
cudaError_t machine_add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t count, const struct machine_copy *copy);
cudaError_t machine_add_setting(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                size_t count, const struct machine_setting *setting);
cudaError_t machine_add_call(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t count, void (*function)(void *), void *argument);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *needs, size_t count, cudaEvent_t event);
cudaError_t machine_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
/* Returns the node's type as a number of enum cudaGraphNodeType. */
int machine_node_type(cudaGraphNode_t node);

/* These change what a node does: in its graph if `executable` is NULL, or else in the executable graph, which
 * was made of the node's graph. */
cudaError_t machine_change_kernel(cudaGraphNode_t node, cudaGraphExec_t executable,
                                  const struct machine_launch *launch, const void *instruction);
cudaError_t machine_change_copy(cudaGraphNode_t node, cudaGraphExec_t executable,
                                const struct machine_copy *copy);
cudaError_t machine_change_setting(cudaGraphNode_t node, cudaGraphExec_t executable,
                                   const struct machine_setting *setting);
cudaError_t machine_change_call(cudaGraphNode_t node, cudaGraphExec_t executable, void (*function)(void *),
                                void *argument);
/* Makes the executable graph do what the graph says, if their nodes and dependencies are alike. */
cudaError_t machine_update(cudaGraphExec_t executable, cudaGraph_t graph);

#ifdef __cplusplus
}
#endif

#endif
