/* SPDX-License-Identifier: MIT */
/* A barrier of one counter, with release and acquire in the accesses themselves: red.release arrives,
 * ld.acquire polls. */
#ifndef GPUSYNC_RELEASE_ACQUIRE_CUH
#define GPUSYNC_RELEASE_ACQUIRE_CUH

#include "barrier_memory.cuh"
#include "memory_order.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

struct ReleaseAcquire {
    gpusync_grid_barrier memory;
    unsigned goal;

    __device__ void begin(gpusync_grid_barrier m)
    {
        memory = m;
        barrier_enter(m);
        goal = is_block_leader() ? barrier_read_base(m) : 0;
    }

    __device__ void sync()
    {
        goal += blocks_in_grid();
        __syncthreads();
        if (is_block_leader()) {
            unsigned *counter = barrier_counter(memory);
            reduce_add_release(counter, 1);
            while ((int)(load_acquire(counter) - goal) < 0) {
            }
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
