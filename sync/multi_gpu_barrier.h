/* SPDX-License-Identifier: MIT */
/*
 * The host's half of a barrier across GPUs, for C and C++: peer access between them, and an inbox in the memory of each.
 *
 *     struct gpusync_multi_gpu_barrier barrier[2];
 *     const int devices[2] = {0, 1};
 *     gpusync_multi_gpu_barrier_create(barrier, devices, 2, blocks);
 *     for each g: cudaSetDevice(devices[g]); gpusync_launch(kernel, blocks, threads, 0, stream[g], barrier[g], ...);
 *     gpusync_multi_gpu_barrier_destroy(barrier);
 *
 * Every launch has as many blocks on each GPU as the barrier was made for, all of them resident at once
 * (gpusync_most_resident_blocks tells how many a GPU holds), and one kernel on each GPU takes part. Launches may follow
 * each other without a reset. All functions return the runtime's error, and leave the current device as it was.
 */
#ifndef GPUSYNC_MULTI_GPU_BARRIER_H
#define GPUSYNC_MULTI_GPU_BARRIER_H

#include "grid_barrier.h"

#define GPUSYNC_MOST_GPUS 8

/* Of one GPU; to be passed to its kernel by value. An inbox lies in its GPU's memory: a part for each GPU, and a line
 * for its own counter. */
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
/* Twice is no error: another part of the program may have done so. */
static inline cudaError_t gpusync_enable_peer_access(int peer)
{
    cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        return error;
    cudaGetLastError(); /* which it also leaves for others to find */
    return cudaSuccess;
}
#endif

/* What belongs to the GPU that is current: its access to the others, and its inbox, all words zero. */
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

/* As gpusync_multi_gpu_barrier_create, with inboxes whose parts have `words` words, for a barrier that needs more than
 * one of each GPU. */
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

/* `barriers` and `devices`: one for each of the `gpus` GPUs, at most GPUSYNC_MOST_GPUS. cudaErrorPeerAccessUnsupported
 * where one GPU cannot reach another's memory. */
static inline cudaError_t gpusync_multi_gpu_barrier_create(struct gpusync_multi_gpu_barrier *barriers,
                                                           const int *devices, unsigned gpus, unsigned blocks)
{
    return gpusync_multi_gpu_barrier_create_wide(barriers, devices, gpus, blocks, GPUSYNC_LINE_WORDS);
}

#endif
