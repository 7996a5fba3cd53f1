/* SPDX-License-Identifier: MIT */
/* grid.sync() of CUDA's cooperative groups and its two halves, for comparison with the other barriers. The
 * kernel needs a cooperative launch. */
#ifndef GPUSYNC_GRID_SYNC_CUH
#define GPUSYNC_GRID_SYNC_CUH

#include "barrier_memory.cuh"

#include <cooperative_groups.h>

namespace gpusync
{

struct GridSync {
    cooperative_groups::grid_group::arrival_token token;

    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void arrive() { token = cooperative_groups::this_grid().barrier_arrive(); }
    __device__ void wait()
    {
        cooperative_groups::this_grid().barrier_wait(static_cast<decltype(token) &&>(token));
    }
    __device__ void sync() { cooperative_groups::this_grid().sync(); }
    __device__ void end() {}
};

} // namespace gpusync

#endif
