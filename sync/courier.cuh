/* SPDX-License-Identifier: MIT */
/*
 * A grid barrier whose whole latency overlaps with independent work. The last warp of each block is the
 * block's courier: it alone waits for the block, fences, arrives, polls and fences again, while the other
 * warps work.
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
 *             ...                                  // work that needs no data of other blocks
 *             barrier.wait();
 *         }
 *     barrier.end();
 *
 * All threads see after wait() what any thread wrote before arrive(). Between arrive() and wait() a thread
 * must neither read data that others write in this step nor write data that they read. Every worker calls
 * arrive() and wait() once for each carry(). The block has at least two warps and does not use the named
 * barriers 14 and 15 (PTX ISA, barrier) for anything else. sync() is for loops in which every warp works: it
 * overlaps with nothing, and a block may have one warp.
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
    /* number of the block's threads, rounded up to whole warps */
    int threads;

    __device__ void begin(gpusync_grid_barrier m)
    {
        counter.begin(m);
        threads = ((int)threads_in_block() + WARP - 1) / WARP * WARP;
    }
    __device__ bool is_courier() { return (int)thread_in_block() / WARP == threads / WARP - 1; }

    /* Carries out one barrier; the courier's warp calls it. The named barriers order the workers' writes
     * before the courier's release fence, and its acquire fence before the workers' reads. */
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
