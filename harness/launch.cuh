/* Launches kernels, and computes how many blocks of a kernel fit on a multiprocessor. */
#ifndef HARNESS_LAUNCH_CUH
#define HARNESS_LAUNCH_CUH

#include "harness/check.h"
#include "harness/device.h"
#include "harness/kernel.cuh"

struct launch_shape {
    dim3 blocks, threads;
    size_t shared_bytes;
    bool cooperative;  /* the launch is cooperative: it fails if the blocks cannot all be resident */
    bool programmatic; /* the launch is a programmatic dependent one */
    unsigned cluster;  /* number of blocks in a cluster; 0 means no clusters */
};

/* Allows the kernel to use `bytes` bytes of dynamic shared memory, which CUDA requires above 48 KB. Returns
 * false if a block of this device cannot have that much. */
template <class... Parameters>
static bool allow_shared_bytes(void (*kernel)(Parameters...), size_t bytes)
{
    if (bytes > 48 * 1024) {
        cudaError_t error = cudaFuncSetAttribute((const void *)kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (error == cudaErrorInvalidValue) {
            /* clears the error, because otherwise a later call of the runtime would report it */
            (void)cudaGetLastError();
            return false;
        }
        CHECK(error);
    }
    return true;
}

template <class... Parameters, class... Arguments>
static cudaError_t launch(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream,
                          Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[3] = {};
    config.gridDim = shape.blocks;
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (shape.cooperative) {
        attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (shape.programmatic) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (shape.cluster) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {shape.cluster, 1, 1};
    }
    if (!allow_shared_bytes(kernel, shape.shared_bytes))
        return cudaErrorInvalidValue;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Returns a CUDA graph of the launches that `enqueue` makes on harness_stream(). */
template <class Enqueue>
static cudaGraphExec_t capture_graph(Enqueue enqueue)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    enqueue();
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return executable;
}

/* Returns how many blocks of the kernel fit on a multiprocessor at once; 0 if not even one fits. */
template <class... Parameters>
static int resident_blocks_per_sm(void (*kernel)(Parameters...), unsigned threads, size_t shared_bytes)
{
    int blocks = 0;
    if (!allow_shared_bytes(kernel, shared_bytes))
        return 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, (int)threads,
                                                        shared_bytes));
    return blocks;
}

#endif
