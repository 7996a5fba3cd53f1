/* SPDX-License-Identifier: MIT */
/*
 * A barrier among neighbours only: the blocks form a line, and each block waits for the block before it and
 * the block after it. It is for stencils whose blocks own bands: in the next step a block reads data that its
 * two neighbours have written, and overwrites data that they have read. At no point have all blocks arrived:
 * two blocks at distance d in the line are at most d steps apart.
 *
 * Each block counts its arrivals in a cache line of its own, which its neighbours poll: a barrier costs one
 * hop and no atomic addition. Release and acquire are as in counter.cuh: a release fence before the relaxed
 * store, an acquire fence after the last poll. A block has at least two threads.
 */
#ifndef GPUSYNC_NEIGHBOURS_CUH
#define GPUSYNC_NEIGHBOURS_CUH

#include "barrier_memory.cuh"
#include "memory_order.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct Neighbours {
    gpusync_grid_barrier memory;
    unsigned goal;

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        barrier_enter(m);
        goal = load_relaxed(barrier_line(m, block_in_grid()));
    }

    /* arrive() and wait() are the two halves of the barrier. Between them a thread must neither read data
     * that the neighbours write in this step nor write data that they read. */
    __device__ void arrive()
    {
        goal++;
        __syncthreads();
        if (is_block_leader()) {
            fence_release();
            store_relaxed(barrier_line(memory, block_in_grid()), goal);
        }
    }
    /* Waits for both neighbours. A separate thread waits for each, so that the two hops overlap. */
    __device__ void wait()
    {
        unsigned side = thread_in_block();
        bool first = side == 0 && block_in_grid() > 0;
        bool last = side == 1 && block_in_grid() + 1 < blocks_in_grid();
        if (first || last) {
            wait_for(first ? block_in_grid() - 1 : block_in_grid() + 1);
            fence_acquire();
        }
        __syncthreads();
    }
    __device__ void sync()
    {
        arrive();
        wait();
    }

    /* Ends the launch. Block 0 also sets the counts of blocks that this grid does not have, for a later
     * launch that has them. */
    __device__ void end()
    {
        if (block_in_grid() == 0)
            for (unsigned i = blocks_in_grid() + thread_in_block(); i < memory.capacity;
                 i += threads_in_block())
                *barrier_line(memory, i) = goal;
        barrier_leave(memory);
    }

    /* Waits until the neighbour has reached the goal. The neighbour may already be one step ahead, and the
     * counts may wrap around. */
    __device__ void wait_for(unsigned block)
    {
        while ((int)(load_relaxed(barrier_line(memory, block)) - goal) < 0) {
        }
    }
};

} // namespace gpusync

#endif
