/* SPDX-License-Identifier: MIT */
/*
 * The sixteen barriers of a block (PTX ISA, bar.sync and bar.arrive), as a channel between warps: Li 2015,
 * Listing 12, after Bauer, Cook and Khailany 2011. `threads` counts all threads that sync or arrive, in whole
 * warps. Barrier 0 is __syncthreads. Both functions order shared and global memory among the threads that
 * take part.
 */
#ifndef GPUSYNC_NAMED_BARRIER_CUH
#define GPUSYNC_NAMED_BARRIER_CUH

#include "device.cuh"

namespace gpusync
{

static const int NAMED_BARRIERS_PER_BLOCK = 16;

/* Arrives at the barrier and waits until `threads` threads have arrived. */
static __device__ __forceinline__ void named_barrier_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

/* Arrives at the barrier and does not wait. */
static __device__ __forceinline__ void named_barrier_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

} // namespace gpusync

#endif
