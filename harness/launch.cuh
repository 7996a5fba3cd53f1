/* A launch, and how many blocks of it fit, in the form that the suite's experiments use. */
#ifndef HARNESS_LAUNCH_CUH
#define HARNESS_LAUNCH_CUH

#include "harness/check.h"
#include "harness/kernel.cuh"

struct launch_shape {
    dim3 blocks, threads;
    size_t shared_bytes;
    bool cooperative;  /* fails if the blocks cannot all be resident */
    bool programmatic; /* programmatic dependent launch */
    unsigned cluster;  /* blocks in a cluster; 0: none */
};

/* More than 48 KB of dynamic shared memory must be asked for; false if no block of this device can have so much. */
template <class... Parameters>
static bool allow_shared_bytes(void (*kernel)(Parameters...), size_t bytes)
{
#ifndef GPUSYNC_MACHINE
    if (bytes > 48 * 1024) {
        cudaError_t error = cudaFuncSetAttribute((const void *)kernel,
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (error == cudaErrorInvalidValue) {
            (void)cudaGetLastError(); /* or a later call would report it */
            return false;
        }
        CHECK(error);
    }
#else
    (void)kernel, (void)bytes;
#endif
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

/* 0 if not even one block of this shape fits. */
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
