/* SPDX-License-Identifier: MIT */
/*
 * A grid barrier that hides all of itself behind independent work: one warp of each block, the
 * last, is its courier. It alone waits for the block, fences, arrives, polls and fences again,
 * while the others work.
 *
 *     gpusync::Courier barrier;
 *     barrier.begin(memory);
 *     if (barrier.is_courier())                    // this warp does nothing else
 *         for (int step = 0; step < steps; step++)
 *             barrier.carry();
 *     else
 *         for (int step = 0; step < steps; step++) {
 *             ...                                  // writes that other blocks read
 *             barrier.arrive();
 *             ...                                  // work that needs none of theirs
 *             barrier.wait();
 *         }
 *     barrier.end();
 *
 * What is written before arrive() is seen after wait(). Between them a thread must neither read
 * what others write in this step nor write what they read. Every worker calls both once for each
 * carry(). The block has at least two warps and does not use the named barriers 14 and 15 (PTX ISA,
 * barrier) for anything else. sync() is for loops in which every warp works: there is nothing to
 * hide, and a block may have one warp.
 */
#ifndef GPUSYNC_COURIER_CUH
#define GPUSYNC_COURIER_CUH

#include "counter.cuh"
#include "named_barrier.cuh"

namespace gpusync
{

struct Courier {
    static const int ARRIVED = 14, OPEN = 15, WARP = 32;
    Counter counter;
    int threads; /* of the block, in whole warps */

    __device__ void begin(gpusync_grid_barrier m)
    {
        counter.begin(m);
        threads = ((int)threads_in_block() + WARP - 1) / WARP * WARP;
    }
    __device__ bool is_courier() { return (int)thread_in_block() / WARP == threads / WARP - 1; }

    /* The courier's warp: one barrier. bar.sync orders what the workers wrote before its fence, and
     * what it acquired before what they read. */
    __device__ void carry()
    {
        named_barrier_sync(ARRIVED, threads);
        if (thread_in_block() % WARP == 0) {
            counter.arrive_alone();
            counter.wait_alone();
        }
        __syncwarp();
        if (threads > WARP)
            named_barrier_arrive(OPEN, threads);
    }
    __device__ void arrive() { named_barrier_arrive(ARRIVED, threads); }
    __device__ void wait() { named_barrier_sync(OPEN, threads); }

    __device__ void sync()
    {
        if (is_courier()) {
            carry();
        } else {
            arrive();
            wait();
        }
    }

    __device__ void end() { counter.end(); }
};

} // namespace gpusync

#endif
