/*
 * GPU lock-free synchronization: Xiao and Feng 2010, section V-B and Figure 6. Block i announces itself in
 * Arrayin[i]; the threads of one collecting block watch an element each, meet, and open Arrayout[i] for every
 * block i. No atomics. Cost, by Equation 7: t_SI + t_CI + 2 t_s + t_SO + t_CO, whatever the number of blocks.
 *
 * Departures from Figure 6: the collecting block is block 1 as printed, but block 0 in a grid of one; a
 * thread watches several elements when there are more blocks than threads; the block meets before it
 * announces itself (see lock_based.cuh).
 *
 * Without the fence nothing orders the blocks' data with the arrays (PTX memory model): unordered.
 */
#ifndef SYNC_LOCK_FREE_CUH
#define SYNC_LOCK_FREE_CUH

#include "sync/barrier_memory.cuh"

template <bool fence>
struct LockFree {
    grid_barrier_memory memory;
    unsigned goal;

    __device__ void begin(grid_barrier_memory m)
    {
        memory = m;
        goal = barrier_read_base(m);
    }

    __device__ void collect()
    {
        volatile unsigned *in = barrier_in(memory), *out = barrier_out(memory);
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            while (in[i] != goal) {
            }
        threadfence_if<fence>();
        __syncthreads();
        threadfence_if<fence>();
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            out[i] = goal;
    }

    __device__ void wait()
    {
        goal++;
        __syncthreads();
        if (threadIdx.x == 0) {
            threadfence_if<fence>();
            ((volatile unsigned *)barrier_in(memory))[blockIdx.x] = goal;
        }
        if (blockIdx.x == (gridDim.x > 1 ? 1 : 0))
            collect();
        if (threadIdx.x == 0) {
            volatile unsigned *out = barrier_out(memory);
            while (out[blockIdx.x] != goal) {
            }
            threadfence_if<fence>();
        }
        __syncthreads();
    }

    /*
     * The elements of blocks that this grid does not have follow the goal too: left alone, one would equal a
     * later goal when the numbers have wrapped around.
     */
    __device__ void end()
    {
        if (blockIdx.x == 0)
            for (unsigned i = gridDim.x + threadIdx.x; i < memory.capacity; i += blockDim.x)
                barrier_in(memory)[i] = barrier_out(memory)[i] = goal;
        barrier_write_base(memory, goal);
    }
};

#endif
