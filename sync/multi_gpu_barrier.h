/* SPDX-License-Identifier: MIT */
/*
 * The host's part of a barrier across GPUs, for C and C++: peer access between the GPUs, and an inbox in each
 * GPU's memory.
 *
 *     struct gpusync_multi_gpu_barrier barrier[2];
 *     const int devices[2] = {0, 1};
 *     gpusync_multi_gpu_barrier_create(barrier, devices, 2, blocks);
 *     for each g: cudaSetDevice(devices[g]);
 *                 gpusync_launch(kernel, blocks, threads, 0, stream[g], barrier[g], ...);
 *     gpusync_multi_gpu_barrier_destroy(barrier);
 *
 * One kernel runs on each GPU. Every launch has `blocks` blocks on each GPU, and all of them are resident at
 * once (gpusync_most_resident_blocks says how many a GPU can hold). Launches may follow each other without a
 * reset. All functions return the runtime's error and leave the current device unchanged.
 */
#ifndef GPUSYNC_MULTI_GPU_BARRIER_H
#define GPUSYNC_MULTI_GPU_BARRIER_H

#include "grid_barrier_memory.h"
#include "inboxes.h"

/* One GPU's part of the barrier, passed to its kernel by value. An inbox lies in its GPU's memory. It has one
 * part for each GPU, then a cache line for the counter of its own GPU. */
struct gpusync_multi_gpu_barrier {
    unsigned *inbox[GPUSYNC_MOST_GPUS];
    unsigned gpus, me, blocks;
    unsigned part_words; /* number of words of one part of an inbox; a part has whole cache lines */
};

static inline cudaError_t gpusync_multi_gpu_barrier_destroy(struct gpusync_multi_gpu_barrier *barriers)
{
    return gpusync_free_inboxes(barriers[0].inbox, barriers[0].gpus);
}

/* Creates a barrier like gpusync_multi_gpu_barrier_create, but with `words` words in each part of an inbox,
 * for a barrier that needs more than one word of each GPU. */
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

/* Creates the barrier. `barriers` and `devices` have one element for each of the `gpus` GPUs, at most
 * GPUSYNC_MOST_GPUS. Returns cudaErrorInvalidValue if `gpus` is out of range and
 * cudaErrorPeerAccessUnsupported if one GPU cannot reach another's memory. */
static inline cudaError_t gpusync_multi_gpu_barrier_create(struct gpusync_multi_gpu_barrier *barriers,
                                                           const int *devices, unsigned gpus, unsigned blocks)
{
    return gpusync_multi_gpu_barrier_create_wide(barriers, devices, gpus, blocks, GPUSYNC_LINE_WORDS);
}

#endif
