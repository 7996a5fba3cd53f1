/* SPDX-License-Identifier: MIT */
/*
 * GPU lock-based synchronization: Xiao and Feng 2010, section V-A and Figure 4. One mutex variable counts
 * arrivals; each barrier raises the goal by the number of blocks. By Equation 6, a barrier of N blocks costs
 * N * t_a + t_c + t_s; this one has one __syncthreads more, 2 t_s.
 *
 * It departs from Figure 4 in two points, without which it is not a barrier:
 * - All threads of the block arrive at a __syncthreads before its leader arrives at the mutex. As printed,
 *   the leader arrives while other warps still compute.
 * - The block waits until the mutex has reached the goal, not until it is equal to the goal. As printed, a
 *   block that polls late finds the mutex already raised by the arrivals of the next barrier and waits for
 *   ever. The difference is signed, so that the comparison also survives the counter's wrap-around.
 *
 * Without the leader's fences nothing orders the blocks' data with the mutex (PTX memory model): the barrier
 * is then unordered.
 */
#ifndef GPUSYNC_LOCK_BASED_CUH
#define GPUSYNC_LOCK_BASED_CUH

#include "barrier_memory.cuh"

namespace gpusync
{

template <fences who>
struct LockBased {
    gpusync_grid_barrier memory;
    unsigned goal, blocks;
    bool leads;

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        blocks = blocks_in_grid();
        leads = is_block_leader();
        barrier_enter(m);
        goal = leads ? barrier_read_base(m) : 0;
    }

    __device__ void sync()
    {
        goal += blocks;
        fence_of_thread<who>();
        __syncthreads();
        if (leads) {
            unsigned *mutex = barrier_counter(memory);
            fence_before_arrival<who>();
            atomicAdd(mutex, 1u);
            while ((int)(*(volatile unsigned *)mutex - goal) < 0) {
            }
            fence_after_waiting<who>();
        }
        __syncthreads();
    }

    __device__ void end()
    {
        barrier_write_base(memory, goal);
        barrier_leave(memory);
    }
};

} // namespace gpusync

#endif
