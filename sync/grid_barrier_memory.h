/* SPDX-License-Identifier: MIT */
/*
 * The device memory of a grid barrier, and the number of blocks that can be resident, for C and C++. Programs
 * include grid_barrier.h, which says how to use it. All functions return the runtime's error.
 */
#ifndef GPUSYNC_GRID_BARRIER_MEMORY_H
#define GPUSYNC_GRID_BARRIER_MEMORY_H

#include "runtime.h"

/* The number of words of a cache line of 128 bytes. Words that different blocks poll lie in different
 * lines. */
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
    /* waits for cudaMemset, since a stream that later uses the memory need not wait for the null stream */
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

#endif
