/* A cooperative launch from C++: an error, and no hang, where the blocks cannot all be resident. */
#ifndef GPUSYNC_LAUNCH_CUH
#define GPUSYNC_LAUNCH_CUH

#include "sync/device.cuh"

template <class... Parameters, class... Arguments>
static cudaError_t gpusync_launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                  size_t shared_bytes, cudaStream_t stream, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

#endif
