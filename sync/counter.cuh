/* SPDX-License-Identifier: MIT */
/*
 * Our own barrier: one counter, and only those orders that the PTX memory model requires. A fence releases
 * the block's data before a relaxed arrival. The last block to arrive sees this by its own arrival and need
 * not poll. The other blocks poll with relaxed loads; one acquire fence after the last poll replaces an
 * acquire in each poll.
 *
 * What was tried on an H200, 132 blocks (1,025 to 1,030 ns a round of micro-barrier, grid.sync 1,136 to 1,159):
 * several polls of the leader under way at once take 1,228 (two) to 1,325 ns (four), since the acquire fence
 * waits for them all; two, four or eight counters, to all of which every block arrives and one of which it polls,
 * 1,037, 1,014 and 1,047; two counters 128 bytes apart, the nearer one polled, 1,145, but 972 in a prototype
 * whose counters were 4 KB apart; a poll by every warp, in place of the second __syncthreads, 1,527; clusters of
 * two or four blocks, of which one arrives and polls for all, 1,547 and 1,614. By the line that the counter lies in,
 * 987 to 1,046 (sync/tuned.cuh). In a prototype (1,043 ns; without the release fence 752, without the acquire fence 825):
 * an arrival that returns nothing and a first poll that begins up to 0.2 us later, 1,028 to 1,084; a counter on either
 * side of the GPU, the nearer one polled, 1,003; 2 to 32 groups of blocks with a counter each, all polled by a warp's lanes,
 * 1,111 to 1,217, in one line 1,117 to 1,133.
 */
#ifndef GPUSYNC_COUNTER_CUH
#define GPUSYNC_COUNTER_CUH

#include "barrier_memory.cuh"
#include "memory_order.cuh"
#include "phase_bit.cuh"

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

    /* The halves for the one thread that acts for its block, after a __syncthreads. */
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

    /* Like wait(), but for at most this number of clock cycles. False in every thread of the block means:
     * some block has not arrived, perhaps because no multiprocessor is free for it. The block may wait again.
     * A grid that gives up leaves arrivals in the counter, so the memory must be created anew. */
    __device__ bool wait_for(long long cycles)
    {
        __shared__ bool open;
        if (is_block_leader()) {
            long long begin = clock64();
            bool seen = phase_differs(before, before + added);
            while (!seen && clock64() - begin < cycles)
                seen = phase_differs(before, load_relaxed(barrier_counter(memory)));
            if (seen)
                fence_acquire();
            open = seen;
        }
        __syncthreads();
        bool in_time = open;
        __syncthreads(); /* the next wait changes it */
        return in_time;
    }
};

} // namespace gpusync

#endif
