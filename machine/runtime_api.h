/*
 * The part of the CUDA runtime API that the suite uses, for the memory machine: the same names with the same
 * meaning. A launch runs to its end at once in model time. But a launch in a stream made with
 * cudaStreamNonBlocking only begins; it shares the multiprocessors with other such launches until the host
 * waits for its stream, asks for its state or records an event in it.
 */
#ifndef MACHINE_RUNTIME_API_H
#define MACHINE_RUNTIME_API_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#include <cuda_runtime_api.h> /* NVIDIA's own declarations */
#else

#ifdef __cplusplus
extern "C" {
#endif

struct machine_index {
    unsigned x, y, z;
};

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorIllegalState = 401,
    cudaErrorNotReady = 600,
    cudaErrorLaunchTimeout = 702, /* a deadlock, which machine_deadlock_report() describes */
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureUnjoined = 904,
    cudaErrorStreamCaptureIsolation = 905,
    cudaErrorCapturedEvent = 907,
    cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorInvalidClusterSize = 912
} cudaError_t;

typedef struct machine_stream *cudaStream_t;
typedef struct machine_event *cudaEvent_t;
typedef struct machine_graph *cudaGraph_t;
typedef struct machine_graph_exec *cudaGraphExec_t;
/* machine_legacy_stream is the default stream with which blocking streams wait for each other
 * (cudaStreamLegacy). machine_stream_of_thread is a thread's own default stream (cudaStreamPerThread). */
#define machine_legacy_stream ((cudaStream_t)1)
#define machine_stream_of_thread ((cudaStream_t)2)

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrCooperativeLaunch = 95
};
enum { cudaEventDisableTiming = 2 };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0 };

const char *cudaGetErrorString(cudaError_t error);
/* Returns the last error of a launch. cudaGetLastError() also forgets it. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

/* the only device has the number 0 */
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared_bytes);

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
/* Copies between the host and a device take the time of launch_copy() (machine/time/launch.h). */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

/* A kernel launch. */
struct machine_launch {
    struct ptx_program *program; /* the kernel's instructions (machine/ptx/program.h) */
    const char *name;
    const void *closure; /* the kernel's parameters, which the launch copies */
    size_t closure_bytes;
    struct machine_index grid, block; /* extents */
    size_t shared_bytes;              /* including the __shared__ variables, which come first */
    unsigned registers;               /* registers of a thread; 0 means not known, and no limit */
    /* is the launch cooperative, that is, refused if its grid cannot be resident at once? */
    int cooperative;
    int programmatic; /* is the launch a programmatic dependent launch? */
    unsigned cluster; /* number of blocks in a cluster; 0 means that the launch has no clusters */
    struct machine_index cluster_extent; /* 0 means that the launch has no clusters */
};

static inline unsigned machine_blocks(const struct machine_launch *launch)
{
    return launch->grid.x * launch->grid.y * launch->grid.z;
}
static inline unsigned machine_threads(const struct machine_launch *launch)
{
    return launch->block.x * launch->block.y * launch->block.z;
}

cudaError_t machine_launch_kernel(const struct machine_launch *launch, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

/* ---- what the memory machine has beside CUDA's functions ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* These two functions set and return the size in bytes of the chosen device's heap, from which kernels take
 * memory by malloc() and new. It cannot be set after a kernel has done so (cudaErrorInvalidValue). */
cudaError_t machine_set_heap_size(size_t bytes);
size_t machine_heap_size(void);
/* Restricts the stream's kernels to the first `sm_count` multiprocessors, as a green context does. */
void machine_confine_stream(cudaStream_t stream, unsigned sm_count);
/* Returns the time units between two recorded events, where the CUDA runtime has milliseconds. */
double machine_event_elapsed(cudaEvent_t start, cudaEvent_t stop);
double machine_clock_hz(void); /* returns the number of time units in a second */

/* If `queue` is true, streams are queues from now on: tasks of several streams overlap, and the host goes
 * on meanwhile (machine/cuda/queues.h). Must be called before the first stream is made or used. */
void machine_queue_streams(bool queue);

/* Returns how many blocks of this size one multiprocessor can hold at once. `registers` is the number of
 * registers of a thread; 0 means that registers do not limit the number of blocks. */
int machine_resident_blocks_per_sm(int threads, size_t shared_bytes, unsigned registers);

#ifdef __cplusplus
}
#endif

#endif
