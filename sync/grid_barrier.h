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

/* The words of a cache line, which has 128 bytes. Words that different blocks poll lie in different lines. */
#define GPUSYNC_LINE_WORDS 32
#define GPUSYNC_TREE_GROUPS 128

/* The memory of a grid barrier, passed to kernels by value. Launches may use it one after another without a
 * reset, one launch at a time. Each launch may have any number of blocks up to the capacity, and all launches
 * use the same kind of barrier. */
struct gpusync_grid_barrier {
    unsigned *words;   /* device memory; the host sets it to zero once, and then only the barrier writes it */
    unsigned capacity; /* the largest number of blocks that the barrier can serve */
};

/* Returns the bytes of device memory that any of the barriers needs for a grid of up to `blocks` blocks. */
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
    /* the memory may next be used in a stream that does not wait for the null stream */
    if (error == cudaSuccess)
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

/* Stores into `blocks` how many blocks of this kernel, with this number of threads and of bytes of dynamic
 * shared memory, an empty device can hold at once. A larger grid would wait for ever. Fewer blocks fit while
 * another kernel occupies multiprocessors, and a green context has only its own multiprocessors. */
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
