/* SPDX-License-Identifier: MIT */
/*
 * GPU tree-based synchronization in two levels, which the later literature calls Xiao's third scheme. The N
 * blocks form about sqrt(N) groups. The last block to arrive in its group arrives at the root for the whole
 * group, and all blocks poll the root. About 2 sqrt(N) atomics are serialized instead of N.
 *
 * Without the leader's fences nothing orders the blocks' data with the counters (PTX memory model): the
 * barrier is then unordered.
 */
#ifndef GPUSYNC_TREE_CUH
#define GPUSYNC_TREE_CUH

#include "barrier_memory.cuh"
#include "phase_bit.cuh"

namespace gpusync
{

template <fences who>
struct Tree {
    gpusync_grid_barrier memory;
    /* number of groups: the smallest whose square is at least the number of blocks */
    unsigned groups;
    unsigned phase; /* the root's phase, which cannot change before this block has arrived */

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        barrier_enter(m);
        groups = 1;
        while (groups * groups < blocks_in_grid() && groups < GPUSYNC_TREE_GROUPS)
            groups++;
        phase = is_block_leader() ? *(volatile unsigned *)barrier_counter(m) : 0;
    }

    __device__ bool last_of_group()
    {
        unsigned block = block_in_grid(), blocks = blocks_in_grid(), group = block % groups;
        unsigned size = blocks / groups + (group < blocks % groups ? 1 : 0);
        unsigned add = phase_increment(block < groups, size);
        unsigned old = atomicAdd(barrier_group(memory, group), add);
        return phase_differs(old, old + add);
    }

    __device__ void sync()
    {
        fence_of_thread<who>();
        __syncthreads();
        if (is_block_leader()) {
            unsigned *root = barrier_counter(memory);
            fence_before_arrival<who>();
            if (last_of_group()) {
                fence_after_waiting<who>();
                atomicAdd(root, phase_increment(block_in_grid() % groups == 0, groups));
            }
            while (!phase_differs(*(volatile unsigned *)root, phase)) {
            }
            phase ^= PHASE_BIT;
            fence_after_waiting<who>();
        }
        __syncthreads();
    }

    __device__ void end() { barrier_leave(memory); }
};

} // namespace gpusync

#endif
