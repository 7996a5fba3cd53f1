/* SPDX-License-Identifier: MIT */
/*
 * Memory in which GPUs receive words from each other, for C and C++: peer access between the GPUs, and an
 * inbox in the memory of each. All functions return the runtime's error.
 */
#ifndef GPUSYNC_INBOXES_H
#define GPUSYNC_INBOXES_H

#include "runtime.h"

#define GPUSYNC_MOST_GPUS 8

static inline cudaError_t gpusync_free_inboxes(unsigned *const *inbox, unsigned gpus)
{
    cudaError_t error = cudaSuccess;
    for (unsigned g = 0; g < gpus; g++) {
        cudaError_t freed = cudaFree(inbox[g]);
        error = error != cudaSuccess ? error : freed;
    }
    return error;
}

/* Enables peer access from the current GPU to the other GPUs, and allocates its inbox with all words zero. */
static inline cudaError_t gpusync_prepare_gpu(const int *devices, unsigned gpus, unsigned me, size_t bytes,
                                              unsigned **inbox)
{
    cudaError_t error = cudaSuccess;
    for (unsigned peer = 0; peer < gpus && error == cudaSuccess; peer++)
        if (devices[peer] != devices[me])
            error = gpusync_enable_peer_access(devices[peer]);
    if (error == cudaSuccess)
        error = cudaMalloc((void **)inbox, bytes);
    return error == cudaSuccess ? cudaMemset(*inbox, 0, bytes) : error;
}

/* Allocates an inbox of `bytes` bytes, all zero, in the memory of each GPU, and lets all GPUs access it. If
 * the function fails, no inbox remains. */
static inline cudaError_t gpusync_make_inboxes(unsigned **inbox, const int *devices, unsigned gpus,
                                               size_t bytes)
{
    int current = 0;
    cudaError_t error = cudaGetDevice(&current);
    for (unsigned g = 0; g < gpus && error == cudaSuccess; g++) {
        error = cudaSetDevice(devices[g]);
        if (error == cudaSuccess)
            error = gpusync_prepare_gpu(devices, gpus, g, bytes, &inbox[g]);
        if (error == cudaSuccess)
            error = cudaDeviceSynchronize(); /* no GPU may write into an inbox before it is zero */
    }
    cudaError_t restored = cudaSetDevice(current);
    error = error != cudaSuccess ? error : restored;
    if (error != cudaSuccess)
        gpusync_free_inboxes(inbox, gpus);
    return error;
}

#endif
