/* SPDX-License-Identifier: MIT */
/*
 * Our own barrier: one counter, and only the orders that the PTX memory model requires. A fence releases the
 * block's data before a relaxed arrival. The last block to arrive sees this by its own arrival and need not
 * poll. The other blocks poll with relaxed loads; one acquire fence after the last poll replaces an acquire
 * in each poll.
 *
 * Alternatives that were tried on an H200 with 132 blocks. In micro-barrier a round takes 1,025 to 1,030 ns
 * (grid.sync: 1,136 to 1,159 ns):
 *     two to four polls of the leader in flight at once;
 *         the acquire fence waits for all of them             1,228 to 1,325
 *     two, four or eight counters; every block arrives at
 *         all of them and polls one                           1,037, 1,014 and 1,047
 *     two counters 128 bytes apart, the nearer one polled     1,145; but 972 in a prototype, 4 KB apart
 *     every warp polls, instead of the second __syncthreads   1,527
 *     clusters of two or four blocks; one block arrives
 *         and polls for its cluster                           1,547 and 1,614
 *     other cache lines for the counter (sync/tuned.cuh)      987 to 1,046
 * In a prototype a round takes 1,043 ns (without the release fence 752, without the acquire fence 825):
 *     an arrival without a result; the first poll begins up
 *         to 0.2 us later                                     1,028 to 1,084
 *     a counter on either side of the GPU, the nearer polled  1,003
 *     2 to 32 groups of blocks with a counter each; a warp's
 *         lanes poll all of them                              1,111 to 1,217; in one line 1,117 to 1,133
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
    /* the counter's value before this block's arrival, and the number that the block adds */
    unsigned before, added;

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        before = 0;
        added = phase_increment(block_in_grid() == 0, blocks_in_grid());
        barrier_enter(m);
    }

    /* arrive_alone and wait_alone are called by one thread for its whole block, after a __syncthreads. */
    __device__ void arrive_alone()
    {
        fence_release();
        /* no instruction in this function may wait for the addition's result */
        before = add_relaxed(barrier_counter(memory), added);
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

    /* Waits like wait(), for at most `cycles` clock cycles. It returns false in every thread of the block if
     * some block has not arrived, perhaps because no multiprocessor is free for it. The block may then wait
     * again. A grid that gives up leaves arrivals in the counter, so the host must create the memory anew. */
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
        __syncthreads(); /* all threads have read `open`, which the next wait_for changes */
        return in_time;
    }
};

} // namespace gpusync

#endif
