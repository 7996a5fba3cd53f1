/* How a block of micro-decode divides its shared memory */
#ifndef MICRO_DECODE_LAYOUT_CUH
#define MICRO_DECODE_LAYOUT_CUH

#include "harness/check.h"
#include "micro/decode/step.cuh"

#define RESERVED_OF_BLOCK 1024 /* bytes of shared memory that CUDA reserves in each block */
/* Returns the bytes of shared memory that a block may use if a multiprocessor holds this number of blocks. */
static inline unsigned shared_bytes_of_block(unsigned blocks_of_multiprocessor)
{
    int of_multiprocessor = 0, of_block = 0;
    CHECK(cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    of_block = of_multiprocessor - RESERVED_OF_BLOCK;
    int device;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&of_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CHECK(cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    int share = of_multiprocessor / (int)blocks_of_multiprocessor - RESERVED_OF_BLOCK;
    return (unsigned)(share < of_block ? share : of_block);
}

/* Arrays that copies fill, or whose whole lines warps read, begin with a line of shared memory's banks.
 * Otherwise a line of memory would occupy two lines of banks. */
#define LINE_OF_BANKS 128
static inline unsigned whole_lines(unsigned bytes)
{
    return (bytes + LINE_OF_BANKS - 1) / LINE_OF_BANKS * LINE_OF_BANKS;
}

/* Returns the largest number of groups of heads to which the chunks of one block can belong. */
static inline unsigned most_groups(const schedule &work, const decoder &d)
{
    unsigned groups = (most_units(work, ATTENTION) - 1) / chunks_of_group(&d) + 2;
    return groups < d.groups ? groups : d.groups;
}

/* Returns the rule that says how many copies a warp that fills the ring may have in flight: always `most`, or
 * with `by_need` from `most`, if none of its slots is filled, down to one, when two thirds of them are. */
static inline copies_ahead copies_by_need(unsigned most, bool by_need, unsigned slots)
{
    return {most, by_need && slots ? 1.5f * (float)(most - 1) / (float)slots : 0};
}

/* Returns how a block divides `room` bytes of shared memory. In the ring, a warp gets `slots` slots, or fewer
 * if they do not fit, possibly fewer than the two that it reads at once. `buffers` is the number of buffers
 * for the input of a step: 1 if a launch executes one step, otherwise 2. */
static inline shared_layout layout_of(const schedule &work, const decoder &d, unsigned room, unsigned slots,
                                      unsigned ahead, bool by_need, unsigned buffers)
{
    shared_layout l = {};
    unsigned numbers = d.hidden > results_of(&d, QKV) ? d.hidden : results_of(&d, QKV);
    l.x_bytes = whole_lines(numbers);
    unsigned parts = most_groups(work, d) * d.heads * HEAD_NUMBERS * (unsigned)sizeof(int);
    unsigned scores = WORKERS * SCORE_BYTES;
    unsigned places = FILLERS * MOST_AHEAD * (unsigned)sizeof(ring_place);
    unsigned of_slot = ITEM_BYTES + 2 * (unsigned)sizeof(mbarrier) + (unsigned)sizeof(unsigned);
    unsigned released = WORKERS * (unsigned)sizeof(unsigned);
    unsigned rest = places + released + buffers * l.x_bytes + parts + scores + LINE_OF_BANKS;
    unsigned most = rest < room ? (room - rest) / (WORKERS * of_slot) : 0;
    l.slots_of_warp = most < slots ? most : slots;
    l.ahead = copies_by_need(ahead, by_need, l.slots_of_warp * WORKERS / FILLERS);
    l.places = WORKERS * l.slots_of_warp * 2 * (unsigned)sizeof(mbarrier);
    l.phases = l.places + places;
    l.released = l.phases + WORKERS * l.slots_of_warp * (unsigned)sizeof(unsigned);
    l.slots = whole_lines(l.released + released);
    l.x = l.slots + WORKERS * l.slots_of_warp * ITEM_BYTES;
    l.parts = l.x + buffers * l.x_bytes;
    l.scores = l.parts + parts;
    l.bytes = l.scores + scores;
    return l;
}

#endif
