/*
 * GPU tree-based synchronization in two levels, which the later literature counts as Xiao's third scheme: the
 * blocks form about sqrt(N) groups; the last block to arrive in its group arrives at the root for all of it,
 * and all poll the root. About 2 sqrt(N) atomics wait for each other instead of N.
 *
 * Without the fence nothing orders the blocks' data with the counters (PTX memory model): unordered.
 */
#ifndef SYNC_TREE_CUH
#define SYNC_TREE_CUH

#include "sync/barrier_memory.cuh"
#include "sync/phase_bit.cuh"

template <bool fence>
struct Tree {
    grid_barrier_memory memory;
    unsigned groups; /* the smallest number whose square is at least N */
    unsigned phase;  /* of the root; cannot change before this block has arrived */

    __device__ void begin(grid_barrier_memory m)
    {
        memory = m;
        groups = 1;
        while (groups * groups < gridDim.x && groups < BARRIER_TREE_GROUPS)
            groups++;
        phase = threadIdx.x == 0 ? *(volatile unsigned *)barrier_counter(m) : 0;
    }

    __device__ bool last_of_group()
    {
        unsigned group = blockIdx.x % groups;
        unsigned size = gridDim.x / groups + (group < gridDim.x % groups ? 1 : 0);
        unsigned add = phase_increment(blockIdx.x < groups, size);
        unsigned old = atomicAdd(barrier_group(memory, group), add);
        return phase_differs(old, old + add);
    }

    __device__ void wait()
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned *root = barrier_counter(memory);
            threadfence_if<fence>();
            if (last_of_group()) {
                threadfence_if<fence>();
                atomicAdd(root, phase_increment(blockIdx.x % groups == 0, groups));
            }
            while (!phase_differs(*(volatile unsigned *)root, phase)) {
            }
            phase ^= PHASE_BIT;
            threadfence_if<fence>();
        }
        __syncthreads();
    }

    __device__ void end() {}
};

#endif
