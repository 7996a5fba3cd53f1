/*
 * grid_group of CUDA's cooperative groups on the memory machine, by the same steps as on a GPU: fence,
 * arrival at a counter with a phase bit, polling, fence.
 */
#ifndef MACHINE_COOPERATIVE_GROUPS_H
#define MACHINE_COOPERATIVE_GROUPS_H

#include "machine/cuda/sync_device.h"
#include "sync/phase_bit.cuh"

namespace cooperative_groups
{

struct grid_group {
    typedef unsigned arrival_token; /* the counter before the block arrived; of its leader alone */

    __device__ arrival_token barrier_arrive() const
    {
        arrival_token token = 0;
        __syncthreads();
        if (gpusync::is_block_leader()) {
            __threadfence();
            token =
                atomicAdd(machine_grid_workspace(),
                          gpusync::phase_increment(gpusync::block_in_grid() == 0, gpusync::blocks_in_grid()));
        }
        return token;
    }
    __device__ void barrier_wait(arrival_token &&token) const
    {
        if (gpusync::is_block_leader())
            while (!gpusync::phase_differs(token, gpusync::load_acquire(machine_grid_workspace()))) {
            }
        __syncthreads();
    }
    __device__ void sync() const { barrier_wait(barrier_arrive()); }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned block_rank() const { return gpusync::block_in_grid(); }
    __device__ unsigned num_blocks() const { return gpusync::blocks_in_grid(); }
    __device__ dim3 group_dim() const { return gridDim; }
    __device__ dim3 dim_blocks() const { return gridDim; }
    __device__ dim3 block_index() const { return blockIdx; }
    __device__ unsigned long long thread_rank() const
    {
        return (unsigned long long)block_rank() * gpusync::threads_in_block() + gpusync::thread_in_block();
    }
    __device__ unsigned long long size() const
    {
        return (unsigned long long)num_blocks() * gpusync::threads_in_block();
    }
    __device__ unsigned long long num_threads() const { return size(); }
};

static inline __device__ grid_group this_grid()
{
    return grid_group();
}

} // namespace cooperative_groups

#endif
