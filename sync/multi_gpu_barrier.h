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
#include "inboxes.h"

/* The part of one GPU; passed to its kernel by value. An inbox lies in its GPU's memory: a part for each GPU,
 * and a line for the GPU's own counter. */
struct gpusync_multi_gpu_barrier {
    unsigned *inbox[GPUSYNC_MOST_GPUS];
    unsigned gpus, me, blocks;
    unsigned part_words; /* of a part, in whole lines */
};

static inline cudaError_t gpusync_multi_gpu_barrier_destroy(struct gpusync_multi_gpu_barrier *barriers)
{
    return gpusync_free_inboxes(barriers[0].inbox, barriers[0].gpus);
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
    if (gpus < 1 || gpus > GPUSYNC_MOST_GPUS)
        return cudaErrorInvalidValue;
    cudaError_t error = gpusync_make_inboxes(all.inbox, devices, gpus, bytes);
    for (unsigned g = 0; g < gpus; g++) {
        barriers[g] = all;
        barriers[g].me = g;
    }
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
