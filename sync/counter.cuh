/*
 * Our own barrier: one counter, and only the orders that the PTX memory model asks for. The data of a block
 * is released by a fence before a relaxed arrival; the last to arrive sees so by its own arrival and need not
 * poll; the others poll relaxed, and one acquire fence after the last poll takes the place of an acquire in
 * each.
 */
#ifndef SYNC_COUNTER_CUH
#define SYNC_COUNTER_CUH

#include "sync/barrier_memory.cuh"
#include "sync/memory_order.cuh"
#include "sync/phase_bit.cuh"

struct Counter {
    unsigned *counter;

    __device__ void begin(grid_barrier_memory m) { counter = barrier_counter(m); }

    __device__ void wait()
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned add = phase_increment(blockIdx.x == 0, gridDim.x);
            fence_release();
            unsigned old = add_relaxed(counter, add);
            if (!phase_differs(old, old + add))
                while (!phase_differs(old, load_relaxed(counter))) {
                }
            fence_acquire();
        }
        __syncthreads();
    }

    __device__ void end() {}
};

#endif
