/* SPDX-License-Identifier: MIT */
/*
 * GPU lock-free synchronization: Xiao and Feng 2010, section V-B and Figure 6. Block i announces its arrival
 * in Arrayin[i]. The threads of one collecting block poll one element each, synchronize, and open Arrayout[i]
 * for every block i. There are no atomics. By Equation 7, a barrier costs t_SI + t_CI + 2 t_s + t_SO + t_CO
 * for any number of blocks; this one has one __syncthreads more, 3 t_s.
 *
 * It departs from Figure 6 in three points: the collecting block is block 1 as printed, but block 0 in a grid
 * of one block; a thread polls several elements if there are more blocks than threads; the threads of a block
 * synchronize before the block announces its arrival (see lock_based.cuh).
 *
 * Without the leader's fences nothing orders the blocks' data with the arrays (PTX memory model): the barrier
 * is then unordered.
 *
 * With ONE_CHECKS the leader of the collecting block polls and opens all elements one after another, the
 * alternative that section V-B rejects.
 */
#ifndef GPUSYNC_LOCK_FREE_CUH
#define GPUSYNC_LOCK_FREE_CUH

#include "barrier_memory.cuh"
#include "convergence.cuh"

namespace gpusync
{

enum checkers { EACH_CHECKS, ONE_CHECKS };

template <fences who, checkers how = EACH_CHECKS>
struct LockFree {
    gpusync_grid_barrier memory;
    unsigned goal, blocks, block;
    /* the first element that a thread of the collecting block checks, and the distance to its next one */
    unsigned first, stride;
    bool leads, collects;

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        blocks = blocks_in_grid();
        block = block_in_grid();
        leads = is_block_leader();
        first = how == EACH_CHECKS || leads ? thread_in_block() : blocks;
        stride = how == EACH_CHECKS ? threads_in_block() : 1;
        collects = block == (blocks > 1 ? 1 : 0);
        barrier_enter(m);
        goal = barrier_read_base(m);
    }

    __device__ void collect()
    {
        volatile unsigned *in = barrier_in(memory), *out = barrier_out(memory);
        for (unsigned i = first; i < blocks; i += stride)
            while (in[i] != goal) {
            }
        fence_after_waiting<who>();
        __syncthreads();
        fence_after_waiting<who>();
        for (unsigned i = first; i < blocks; i += stride)
            out[i] = goal;
    }

    __device__ void sync()
    {
        goal++;
        fence_of_thread<who>();
        __syncthreads();
        /* without this, the other threads of a lockstep warp would begin to poll before the leader has
         * arrived */
        convergence_set();
        if (leads) {
            fence_before_arrival<who>();
            ((volatile unsigned *)barrier_in(memory))[block] = goal;
        }
        convergence_wait();
        if (collects)
            collect();
        if (leads) {
            volatile unsigned *out = barrier_out(memory);
            while (out[block] != goal) {
            }
            fence_after_waiting<who>();
        }
        __syncthreads();
    }

    /*
     * Ends the launch. Block 0 also sets the elements of blocks that this grid does not have: otherwise one
     * of them would equal a later goal when the numbers have wrapped around.
     */
    __device__ void end()
    {
        if (block_in_grid() == 0)
            for (unsigned i = blocks_in_grid() + thread_in_block(); i < memory.capacity;
                 i += threads_in_block())
                barrier_in(memory)[i] = barrier_out(memory)[i] = goal;
        barrier_write_base(memory, goal);
        barrier_leave(memory);
    }
};

typedef LockFree<NO_FENCE, ONE_CHECKS> LockFreeOneChecker;

} // namespace gpusync

#endif
