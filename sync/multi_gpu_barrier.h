/* SPDX-License-Identifier: MIT */
/*
 * The host's part of a barrier across GPUs, for C and C++: peer access between them, and an inbox in each
 * GPU's memory.
 *
 *     struct gpusync_multi_gpu_barrier barrier[2];
 *     const int devices[2] = {0, 1};
 *     gpusync_multi_gpu_barrier_create(barrier, devices, 2, blocks);
 *     for each g: cudaSetDevice(devices[g]); gpusync_launch(kernel, blocks, threads, 0, stream[g], barrier[g], ...);
 *     gpusync_multi_gpu_barrier_destroy(barrier);
 *
 * Every launch has the number of blocks on each GPU for which the barrier was created, all of them resident
 * at once (gpusync_most_resident_blocks says how many a GPU holds), and one kernel on each GPU takes part.
 * Launches may follow each other without a reset. All functions return the runtime's error, and leave the
 * current device unchanged.
 */
#ifndef GPUSYNC_MULTI_GPU_BARRIER_H
#define GPUSYNC_MULTI_GPU_BARRIER_H

#include "grid_barrier.h"

#define GPUSYNC_MOST_GPUS 8

/* The part of one GPU; passed to its kernel by value. An inbox lies in its GPU's memory: a part for each GPU,
 * and a line for the GPU's own counter. */
struct gpusync_multi_gpu_barrier {
    unsigned *inbox[GPUSYNC_MOST_GPUS];
    unsigned gpus, me, blocks;
    unsigned part_words; /* of a part, in whole lines */
};

static inline cudaError_t gpusync_multi_gpu_barrier_destroy(struct gpusync_multi_gpu_barrier *barriers)
{
    cudaError_t error = cudaSuccess;
    for (unsigned g = 0; g < barriers[0].gpus; g++) {
        cudaError_t freed = cudaFree(barriers[0].inbox[g]);
        error = error != cudaSuccess ? error : freed;
    }
    return error;
}

#ifndef GPUSYNC_MACHINE
/* It is no error if access is enabled already: another part of the program may have enabled it. */
static inline cudaError_t gpusync_enable_peer_access(int peer)
{
    cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        return error;
    cudaGetLastError(); /* which it also leaves for others to find */
    return cudaSuccess;
}
#endif

/* Prepares the current GPU: its access to the other GPUs, and its inbox, all words zero. */
static inline cudaError_t gpusync_prepare_gpu(const int *devices, unsigned gpus, unsigned me, size_t bytes,
                                              unsigned **inbox)
{
    cudaError_t error = cudaSuccess;
#ifndef GPUSYNC_MACHINE
    for (unsigned peer = 0; peer < gpus && error == cudaSuccess; peer++)
        if (peer != me)
            error = gpusync_enable_peer_access(devices[peer]);
#else
    (void)devices, (void)gpus, (void)me;
#endif
    if (error == cudaSuccess)
        error = cudaMalloc((void **)inbox, bytes);
    return error == cudaSuccess ? cudaMemset(*inbox, 0, bytes) : error;
}

/* Like gpusync_multi_gpu_barrier_create, but the inboxes' parts have `words` words, for a barrier that needs
 * more than one word of each GPU. */
static inline cudaError_t gpusync_multi_gpu_barrier_create_wide(struct gpusync_multi_gpu_barrier *barriers,
                                                                const int *devices, unsigned gpus,
                                                                unsigned blocks, unsigned words)
{
    unsigned part = (words + GPUSYNC_LINE_WORDS - 1) / GPUSYNC_LINE_WORDS * GPUSYNC_LINE_WORDS;
    size_t bytes = sizeof(unsigned) * ((size_t)gpus * part + GPUSYNC_LINE_WORDS);
    struct gpusync_multi_gpu_barrier all = {{0}, gpus, 0, blocks, part};
    int current = 0;
    if (gpus < 1 || gpus > GPUSYNC_MOST_GPUS)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaGetDevice(&current);
    for (unsigned g = 0; g < gpus && error == cudaSuccess; g++) {
        error = cudaSetDevice(devices[g]);
        if (error == cudaSuccess)
            error = gpusync_prepare_gpu(devices, gpus, g, bytes, &all.inbox[g]);
        if (error == cudaSuccess)
            error = cudaDeviceSynchronize(); /* no GPU may write an inbox before it is zero */
    }
    for (unsigned g = 0; g < gpus; g++) {
        barriers[g] = all;
        barriers[g].me = g;
    }
    cudaError_t restored = cudaSetDevice(current);
    error = error != cudaSuccess ? error : restored;
    if (error != cudaSuccess)
        gpusync_multi_gpu_barrier_destroy(barriers);
    return error;
}

/* `barriers` and `devices` have one element for each of the `gpus` GPUs, at most GPUSYNC_MOST_GPUS. Returns
 * cudaErrorPeerAccessUnsupported if one GPU cannot reach another's memory. */
static inline cudaError_t gpusync_multi_gpu_barrier_create(struct gpusync_multi_gpu_barrier *barriers,
                                                           const int *devices, unsigned gpus, unsigned blocks)
{
    return gpusync_multi_gpu_barrier_create_wide(barriers, devices, gpus, blocks, GPUSYNC_LINE_WORDS);
}

#endif
