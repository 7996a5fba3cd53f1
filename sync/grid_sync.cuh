/*
 * The peer: grid.sync() of CUDA's cooperative groups. On the memory machine, which has no such library, the
 * same steps by our own means: fence, arrival at one counter with a phase bit, polling, fence.
 */
#ifndef SYNC_GRID_SYNC_CUH
#define SYNC_GRID_SYNC_CUH

#include "sync/barrier_memory.cuh"

#ifdef GPUSYNC_MACHINE

#include "sync/memory_order.cuh"
#include "sync/phase_bit.cuh"

struct GridSync {
    unsigned *counter;

    __device__ void begin(grid_barrier_memory m) { counter = barrier_counter(m); }

    __device__ void wait()
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            unsigned old = atomicAdd(counter, phase_increment(blockIdx.x == 0, gridDim.x));
            while (!phase_differs(old, load_acquire(counter))) {
            }
        }
        __syncthreads();
    }

    __device__ void end() {}
};

#else

#include <cooperative_groups.h>

struct GridSync {
    __device__ void begin(grid_barrier_memory) {}
    __device__ void wait() { cooperative_groups::this_grid().sync(); }
    __device__ void end() {}
};

#endif

#endif
