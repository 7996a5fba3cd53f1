/* One counter with the orders in the accesses themselves: red.release to arrive, ld.acquire to poll. */
#ifndef SYNC_RELEASE_ACQUIRE_CUH
#define SYNC_RELEASE_ACQUIRE_CUH

#include "sync/barrier_memory.cuh"
#include "sync/memory_order.cuh"

struct ReleaseAcquire {
    grid_barrier_memory memory;
    unsigned goal;

    __device__ void begin(grid_barrier_memory m)
    {
        memory = m;
        goal = threadIdx.x == 0 ? barrier_read_base(m) : 0;
    }

    __device__ void wait()
    {
        goal += gridDim.x;
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned *counter = barrier_counter(memory);
            reduce_add_release(counter, 1);
            while ((int)(load_acquire(counter) - goal) < 0) {
            }
        }
        __syncthreads();
    }

    __device__ void end() { barrier_write_base(memory, goal); }
};

#endif
