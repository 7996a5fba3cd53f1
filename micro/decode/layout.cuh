/* How a block of micro-decode divides its shared memory. */
#ifndef MICRO_DECODE_LAYOUT_CUH
#define MICRO_DECODE_LAYOUT_CUH

#include "harness/check.h"
#include "micro/decode/step.cuh"

/* Of a multiprocessor, and what a block may have; CUDA takes a kilobyte of each block itself. */
#define RESERVED_OF_BLOCK 1024
static inline unsigned shared_bytes_of_block(unsigned blocks_of_multiprocessor)
{
    int of_multiprocessor = 0, of_block = 0;
    CHECK(cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    of_block = of_multiprocessor - RESERVED_OF_BLOCK;
#ifndef GPUSYNC_MACHINE
    int device;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CHECK(cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
#endif
    int share = of_multiprocessor / (int)blocks_of_multiprocessor - RESERVED_OF_BLOCK;
    return (unsigned)(share < of_block ? share : of_block);
}

static inline unsigned whole_vectors(unsigned bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* With at most so many slots for a warp, and copies of it under way, or as many as there is room for; none:
 * slots_of_warp is 0. */
static inline shared_layout layout_of(const schedule &work, const decoder &d, unsigned room, unsigned slots,
                                      unsigned ahead)
{
    shared_layout l = {};
    unsigned numbers = d.hidden > results_of(&d, QKV) ? d.hidden : results_of(&d, QKV);
    unsigned x = whole_vectors(numbers), residual = whole_vectors(most_units(work, DOWN) * 4), items = 0;
    for (unsigned kind = 0; kind < STEPS_OF_LAYER; kind++)
        if (kind != ATTENTION && most_units(work, kind) * work.shapes[kind].items > items)
            items = most_units(work, kind) * work.shapes[kind].items;
    unsigned sums = whole_vectors(items * (unsigned)sizeof(int));
    unsigned most_chunks = most_units(work, ATTENTION),
             most_groups = (most_chunks - 1) / chunks_of_group(&d) + 2;
    unsigned parts =
        (most_groups < d.groups ? most_groups : d.groups) * d.heads * HEAD_NUMBERS * (unsigned)sizeof(int);
    unsigned of_slot = WORKERS * (ITEM_BYTES + 2 * (unsigned)sizeof(mbarrier)),
             rest = x + residual + sums + parts;
    unsigned most = rest < room ? (room - rest) / of_slot : 0;
    l.slots_of_warp = most < slots ? most : slots;
    l.slots = whole_vectors(WORKERS * l.slots_of_warp * 2 * (unsigned)sizeof(mbarrier));
    l.ahead = ahead < l.slots_of_warp ? ahead : l.slots_of_warp;
    l.x = l.slots + WORKERS * l.slots_of_warp * ITEM_BYTES;
    l.residual = l.x + x;
    l.sums = l.residual + residual;
    l.parts = l.sums + sums;
    l.bytes = l.parts + parts;
    return l;
}

#endif
