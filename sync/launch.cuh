/* SPDX-License-Identifier: MIT */
/*
 * A cooperative launch from C++: it returns an error, and does not hang, if the blocks cannot all be
 * resident. Arguments become the kernel's parameters as in <<<>>>: an argument that does not convert
 * implicitly, such as a double * to a float *, does not compile.
 */
#ifndef GPUSYNC_LAUNCH_CUH
#define GPUSYNC_LAUNCH_CUH

#include "device.cuh"

namespace gpusync
{

/* Hides a parameter's type from template argument deduction, so that the other arguments determine it. */
template <class Type>
struct exactly {
    typedef Type type;
};

} // namespace gpusync

template <class... Parameters>
static cudaError_t gpusync_launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                  size_t shared_bytes, cudaStream_t stream,
                                  typename gpusync::exactly<Parameters>::type... arguments)
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
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
