/*
 * Input that a kernel copies itself, from the host, while it computes. The blocks that begin first copy it by
 * ordinary loads, chunk after chunk, and every warp waits for its own chunk. Nothing is enqueued in addition
 * to the kernel: no events, and no copy, whose first byte would arrive only after 2 us.
 *
 * One warp of each block calls `copy` before it waits itself. The copiers are the first of these warps to
 * call it. A chunk has arrived when all copiers have copied their share. So there must be at most as many
 * copiers as blocks that can be resident at once.
 */
#ifndef PAIRHMM_ARRIVALS_CUH
#define PAIRHMM_ARRIVALS_CUH

#include "harness/kernel.cuh"
#include "sync/memory_order.cuh"

enum { ARRIVING_ARRAYS = 4, ARRIVING_CHUNKS = 16, COPIES_AT_ONCE = 8, WORDS_OF_LINE = 32 };

/* time between two polls in nanoseconds; it is not shorter because many warps poll the same word */
#define POLL_NS 100

static __device__ __forceinline__ void pause_polling()
{
    __nanosleep(POLL_NS);
}

/* Counters on the device, 0 before each launch. Each counter has its own cache line. */
struct arrival_counts {
    unsigned begun[WORDS_OF_LINE]; /* number of warps that have begun copy() */
    /* for each chunk of the input, number of warps that have copied their share of it */
    unsigned copied[ARRIVING_CHUNKS][WORDS_OF_LINE];
};

/* The input that a launch copies, in vectors of 16 bytes and in chunks. A share is the range of an array's
 * vectors that belongs to a chunk; shares are ordered by chunk and then by array. */
struct Arrivals {
    /* number of chunks of the input; 0 means that all input is already on the device and no warp waits */
    unsigned chunks;
    unsigned copiers; /* number of warps that copy; it is at most the number of resident blocks */
    arrival_counts *counts;
    const uint4 *from[ARRIVING_ARRAYS];
    uint4 *to[ARRIVING_ARRAYS];
    /* for each share, the number of its last vector plus one, where vectors are numbered through all
     * shares */
    unsigned ends[ARRIVING_CHUNKS * ARRIVING_ARRAYS];
    /* for each share, the difference between a vector's index in its array and its number among all vectors
     * of all shares */
    unsigned shifts[ARRIVING_CHUNKS * ARRIVING_ARRAYS];
    /* for each chunk, the number of the first warp that also needs the next chunk */
    unsigned end_warps[ARRIVING_CHUNKS];

    /* Adds a chunk to the input: the vectors first..end - 1 of each array, for the warps before
     * `end_warp`. */
    __host__ void add(const unsigned first[ARRIVING_ARRAYS], const unsigned end[ARRIVING_ARRAYS],
                      unsigned end_warp)
    {
        unsigned share = chunks * ARRIVING_ARRAYS, at = share ? ends[share - 1] : 0;
        for (unsigned array = 0; array < ARRIVING_ARRAYS; array++, share++) {
            shifts[share] = first[array] - at;
            ends[share] = at += end[array] - first[array];
        }
        end_warps[chunks++] = end_warp;
    }

    /* Copies this warp's part of all chunks, if it is one of the first `copiers` warps that call this; called
     * by a whole warp. */
    __device__ void copy() const
    {
        if (!chunks)
            return;
        unsigned lane = threadIdx.x % 32, turn = lane == 0 ? atomicAdd(counts->begun, 1u) : 0;
        turn = __shfl_sync(0xffffffffu, turn, 0);
        if (turn >= copiers)
            return;
        const unsigned end = ends[chunks * ARRIVING_ARRAYS - 1], apart = 32 * copiers;
        unsigned share = 0, chunk = 0;
        UNROLL(1)
        for (unsigned at = 32 * turn + lane, done = 0; chunk < chunks; at += apart * COPIES_AT_ONCE) {
            copy_some(at, apart, end, &share);
            done += apart * COPIES_AT_ONCE;
            __syncwarp();
            for (; chunk < chunks && ends[chunk * ARRIVING_ARRAYS + ARRIVING_ARRAYS - 1] <= done; chunk++)
                if (lane == 0)
                    reduce_add_release(counts->copied[chunk], 1);
        }
    }
    /* Copies the vectors with the numbers at, at + apart, at + 2 apart, ... below `end`, at most
     * COPIES_AT_ONCE of them. A share is one array's part of a chunk. *share is no later than the first
     * vector's share, and becomes the last vector's. */
    __device__ __forceinline__ void copy_some(unsigned at, unsigned apart, unsigned end,
                                              unsigned *share) const
    {
        uint4 vectors[COPIES_AT_ONCE], *places[COPIES_AT_ONCE];
        UNROLL(8)
        for (int i = 0; i < COPIES_AT_ONCE; i++, at += apart) {
            places[i] = NULL;
            if (at >= end)
                continue;
            while (at >= ends[*share])
                ++*share;
            unsigned in_array = at + shifts[*share], array = *share % ARRIVING_ARRAYS;
            vectors[i] = from[array][in_array];
            places[i] = to[array] + in_array;
        }
        UNROLL(8)
        for (int i = 0; i < COPIES_AT_ONCE; i++)
            if (places[i])
                *places[i] = vectors[i];
    }

    /* Waits until the chunk that warp number `warp` needs, and all chunks before it, have arrived; called by
     * a whole warp. */
    __device__ void wait(unsigned warp) const
    {
        if (!chunks)
            return;
        if (threadIdx.x % 32 == 0) {
            unsigned chunk = 0;
            while (warp >= end_warps[chunk])
                chunk++;
            while (load_relaxed(counts->copied[chunk]) < copiers)
                pause_polling();
            fence_acquire();
        }
        __syncwarp();
    }
};

#endif
