/* SPDX-License-Identifier: MIT */
/*
 * The host's part of a grid barrier, for C and C++: the barrier's device memory, the number of blocks that
 * can be resident, and a launch that the runtime refuses if the blocks could not all be resident.
 *
 *     struct gpusync_grid_barrier barrier;
 *     gpusync_grid_barrier_create(&barrier, blocks);
 *     gpusync_launch(kernel, blocks, threads, 0, stream, barrier, ...);      (C++; in C: gpusync_launch_c)
 *     gpusync_grid_barrier_destroy(&barrier);
 *
 * All functions return the runtime's error.
 */
#ifndef GPUSYNC_GRID_BARRIER_H
#define GPUSYNC_GRID_BARRIER_H

#include "grid_barrier_memory.h"

#if !defined(GPUSYNC_MACHINE) || defined(__CUDACC__) /* the machine's header for C lacks these types */
/* Launches the kernel cooperatively: the function returns an error, and does not hang, if the blocks cannot
 * all be resident. `arguments` points to the kernel's parameters, as for cudaLaunchKernel. */
static inline cudaError_t gpusync_launch_c(const void *kernel, unsigned blocks, unsigned threads,
                                           size_t shared_bytes, cudaStream_t stream, void **arguments)
{
#ifdef __cplusplus /* C compilers warn of {}, C++ compilers of {0} */
    struct cudaLaunchConfig_st config = {};
#else
    struct cudaLaunchConfig_st config = {0};
#endif
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim.x = blocks;
    config.blockDim.x = threads;
    config.gridDim.y = config.gridDim.z = config.blockDim.y = config.blockDim.z = 1;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}
#endif

#endif
