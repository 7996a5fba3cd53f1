/*
 * Our own barrier: one counter, and only the orders that the PTX memory model asks for. The data of
 * a block is released by a fence before a relaxed arrival; the last to arrive sees so by its own
 * arrival and need not poll; the others poll relaxed, and one acquire fence after the last poll
 * takes the place of an acquire in each.
 */
#ifndef GPUSYNC_COUNTER_CUH
#define GPUSYNC_COUNTER_CUH

#include "sync/barrier_memory.cuh"
#include "sync/memory_order.cuh"
#include "sync/phase_bit.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct Counter {
    gpusync_grid_barrier memory;
    unsigned before, added; /* the counter before this block's arrival, and what an arrival adds */

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        before = 0;
        added = phase_increment(block_in_grid() == 0, blocks_in_grid());
        barrier_enter(m);
    }

    /* The halves of one thread that acts for its block, when the block has met. */
    __device__ void arrive_alone()
    {
        fence_release();
        before = add_relaxed(barrier_counter(memory), added); /* nothing here may wait for it */
    }
    __device__ void wait_alone()
    {
        if (!phase_differs(before, before + added))
            while (!phase_differs(before, load_relaxed(barrier_counter(memory)))) {
            }
        fence_acquire();
    }

    __device__ void arrive()
    {
        __syncthreads();
        if (is_block_leader())
            arrive_alone();
    }
    __device__ void wait()
    {
        if (is_block_leader())
            wait_alone();
        __syncthreads();
    }
    __device__ void sync()
    {
        __syncthreads();
        if (is_block_leader()) {
            arrive_alone();
            wait_alone();
        }
        __syncthreads();
    }

    __device__ void end() { barrier_leave(memory); }
};

} // namespace gpusync

#endif
