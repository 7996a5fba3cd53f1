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

#ifdef GPUSYNC_MACHINE
#include "machine/runtime_api.h"
#else
#include <cuda_runtime_api.h>
#endif
#include <stddef.h>

/* A cache line of 128 bytes: words that different blocks poll lie in different lines. */
#define GPUSYNC_LINE_WORDS 32
#define GPUSYNC_TREE_GROUPS 128

/* Passed to kernels by value. Launches may use it one after another without a reset, one launch at a time,
 * with any number of blocks up to its capacity, each with the same kind of barrier. */
struct gpusync_grid_barrier {
    unsigned *words;   /* device memory; zero at first, the barrier's own from then on */
    unsigned capacity; /* the most blocks that it serves */
};

/* Bytes of device memory for a grid of up to `blocks` blocks, for any of the barriers. */
static inline size_t gpusync_grid_barrier_bytes(unsigned blocks)
{
    return sizeof(unsigned) *
           ((2 + GPUSYNC_TREE_GROUPS + (size_t)blocks) * GPUSYNC_LINE_WORDS + 2 * (size_t)blocks);
}

static inline cudaError_t gpusync_grid_barrier_create(struct gpusync_grid_barrier *barrier, unsigned blocks)
{
    barrier->capacity = blocks;
    cudaError_t error = cudaMalloc((void **)&barrier->words, gpusync_grid_barrier_bytes(blocks));
    if (error != cudaSuccess)
        return error;
    error = cudaMemset(barrier->words, 0, gpusync_grid_barrier_bytes(blocks));
    if (error == cudaSuccess) /* a stream that does not wait for this one may use it next */
        error = cudaStreamSynchronize(NULL);
    if (error != cudaSuccess)
        cudaFree(barrier->words);
    return error;
}

static inline cudaError_t gpusync_grid_barrier_destroy(struct gpusync_grid_barrier *barrier)
{
    cudaError_t error = cudaFree(barrier->words);
    barrier->words = NULL;
    return error;
}

/* The largest number of blocks of this kernel, with these numbers of threads and bytes of dynamic shared
 * memory, that the current device can hold at once when it is empty; a larger grid would wait for ever. While
 * another kernel holds multiprocessors there is room for fewer blocks, and a green context has
 * only its own multiprocessors. */
static inline cudaError_t gpusync_most_resident_blocks(unsigned *blocks, const void *kernel, unsigned threads,
                                                       size_t shared_bytes)
{
    int device = 0, multiprocessors = 0, each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, shared_bytes);
    *blocks = (unsigned)each * (unsigned)multiprocessors;
    return error;
}

#ifndef GPUSYNC_MACHINE
/* A cooperative launch: it returns an error, and does not hang, if the blocks cannot all be resident.
 * `arguments` points to the kernel's parameters, as for cudaLaunchKernel. */
static inline cudaError_t gpusync_launch_c(const void *kernel, unsigned blocks, unsigned threads,
                                           size_t shared_bytes, cudaStream_t stream, void **arguments)
{
#ifdef __cplusplus /* each language warns of the other's form */
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
