/*
 * grid_group of CUDA's cooperative groups on the memory machine, by the same steps as on a GPU: fence,
 * arrival at a counter with a phase bit, polling, fence.
 */
#ifndef MACHINE_COOPERATIVE_GROUPS_H
#define MACHINE_COOPERATIVE_GROUPS_H

#include "machine/cuda/sync_device.h"

namespace cooperative_groups
{

struct grid_group {
    /* the counter's value before the block's first thread added to it; other threads' tokens have no
     * meaning */
    typedef unsigned arrival_token;

    /* The counter's top bit is the phase. In each round the first block adds 2^31 - (blocks - 1) and each
     * other block adds 1, so that the last arrival flips the phase and leaves the lower bits at zero. */
    static const unsigned PHASE_BIT = 0x80000000u;
    static __device__ __forceinline__ unsigned increment(bool is_first, unsigned blocks)
    {
        return is_first ? PHASE_BIT - (blocks - 1) : 1u;
    }

    __device__ arrival_token barrier_arrive() const
    {
        arrival_token token = 0;
        __syncthreads();
        if (machine_is_block_leader()) {
            __threadfence();
            token = atomicAdd(machine_grid_workspace(), increment(block_rank() == 0, num_blocks()));
        }
        return token;
    }
    __device__ void barrier_wait(arrival_token &&token) const
    {
        if (machine_is_block_leader())
            while (!((token ^ gpusync::load_acquire(machine_grid_workspace())) & PHASE_BIT)) {
            }
        __syncthreads();
    }
    __device__ void sync() const { barrier_wait(barrier_arrive()); }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned block_rank() const { return machine_block_in_grid(); }
    __device__ unsigned num_blocks() const { return machine_blocks_in_grid(); }
    __device__ dim3 group_dim() const { return gridDim; }
    __device__ dim3 dim_blocks() const { return gridDim; }
    __device__ dim3 block_index() const { return blockIdx; }
    __device__ unsigned long long thread_rank() const
    {
        return (unsigned long long)block_rank() * machine_threads_in_block() + machine_thread_in_block();
    }
    __device__ unsigned long long size() const
    {
        return (unsigned long long)num_blocks() * machine_threads_in_block();
    }
    __device__ unsigned long long num_threads() const { return size(); }
};

static inline __device__ grid_group this_grid()
{
    return grid_group();
}

} // namespace cooperative_groups

#endif
