/* SPDX-License-Identifier: MIT */
/*
 * The host's part of an all-reduce inside kernels (all_reduce.cuh), for C and C++: it gives each GPU an inbox
 * in its memory.
 *
 *     struct gpusync_all_reduce sum[2];
 *     const int devices[2] = {0, 1};
 *     gpusync_all_reduce_create(sum, devices, 2, blocks, elements);
 *     for each g: cudaSetDevice(devices[g]);
 *                 gpusync_launch(kernel, blocks, threads, 0, stream[g], sum[g], ...);
 *     gpusync_all_reduce_destroy(sum);
 *
 * One kernel runs on each GPU. Every launch has `blocks` blocks on each GPU, and all of them are resident at
 * once. Launches may follow each other without a reset if all of them use the same type of AllReduce. All
 * functions return the runtime's error and leave the current device unchanged.
 */
#ifndef GPUSYNC_ALL_REDUCE_MEMORY_H
#define GPUSYNC_ALL_REDUCE_MEMORY_H

#include "inboxes.h"

#define GPUSYNC_ALL_REDUCE_SLOTS 2
#define GPUSYNC_UNIT_BYTES 16

/* One GPU's part of the all-reduce, passed to its kernel by value. An inbox lies in its GPU's memory. It has
 * GPUSYNC_ALL_REDUCE_SLOTS slots, which are used in turn; a slot holds the vector of every GPU, in units of
 * 16 bytes. After the slots, the inbox has one word for each block of its GPU: the number of rounds that the
 * block has done. */
struct gpusync_all_reduce {
    unsigned *inbox[GPUSYNC_MOST_GPUS];
    unsigned gpus, me, blocks;
    unsigned elements; /* number of elements of a vector */
    unsigned units;    /* number of units that an inbox reserves for one GPU's vector in one slot */
};

static inline size_t gpusync_all_reduce_bytes(const struct gpusync_all_reduce *all)
{
    return (size_t)GPUSYNC_ALL_REDUCE_SLOTS * all->gpus * all->units * GPUSYNC_UNIT_BYTES +
           sizeof(unsigned) * all->blocks;
}

static inline cudaError_t gpusync_all_reduce_destroy(struct gpusync_all_reduce *members)
{
    return gpusync_free_inboxes(members[0].inbox, members[0].gpus);
}

/* Creates an inbox on each GPU. `members` and `devices` have one element for each of the `gpus` GPUs, at most
 * GPUSYNC_MOST_GPUS; a vector has `elements` values of 4 bytes. A device may be named several times: then its
 * blocks form several members. Each inbox ends with `more` bytes that the caller may use. The function
 * returns cudaErrorInvalidValue if a number is out of range and cudaErrorPeerAccessUnsupported if one GPU
 * cannot reach another's memory. */
static inline cudaError_t gpusync_all_reduce_create_with(struct gpusync_all_reduce *members,
                                                         const int *devices, unsigned gpus, unsigned blocks,
                                                         unsigned elements, size_t more)
{
    unsigned packed_units =
        /* number of units of a vector as PackedUnit; PhaseUnit needs half as many */
        elements / 2 + elements % 2;
    /* every block sends at least one unit */
    unsigned units = packed_units > blocks ? packed_units : blocks;
    struct gpusync_all_reduce all = {{0}, gpus, 0, blocks, elements, units};
    if (gpus < 1 || gpus > GPUSYNC_MOST_GPUS || blocks < 1 || elements < 1)
        return cudaErrorInvalidValue;
    cudaError_t error = gpusync_make_inboxes(all.inbox, devices, gpus, gpusync_all_reduce_bytes(&all) + more);
    for (unsigned g = 0; g < gpus; g++) {
        members[g] = all;
        members[g].me = g;
    }
    return error;
}

static inline cudaError_t gpusync_all_reduce_create(struct gpusync_all_reduce *members, const int *devices,
                                                    unsigned gpus, unsigned blocks, unsigned elements)
{
    return gpusync_all_reduce_create_with(members, devices, gpus, blocks, elements, 0);
}

#endif
