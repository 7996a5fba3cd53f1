/* SPDX-License-Identifier: MIT */
/*
 * The base of every header of sync/: the CUDA runtime, and a thread's place in its block and grid, of
 * any shape.
 */
#ifndef GPUSYNC_DEVICE_CUH
#define GPUSYNC_DEVICE_CUH

#ifdef GPUSYNC_MACHINE
#include "machine/cuda/sync_device.h"
#else
#include <cuda_runtime.h>
#endif

namespace gpusync
{

/* Threads of the block, and the number of this thread among them; the block is divided into
 * warps in this order. */
static __device__ __forceinline__ unsigned threads_in_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
static __device__ __forceinline__ unsigned thread_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* The one thread that acts for its block. */
static __device__ __forceinline__ bool is_block_leader()
{
    return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}

/* Blocks of the grid, and the number of this block among them. */
static __device__ __forceinline__ unsigned blocks_in_grid()
{
    return gridDim.x * gridDim.y * gridDim.z;
}
static __device__ __forceinline__ unsigned block_in_grid()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* Does it hold in every thread of the block? All threads call it, and it synchronizes them. */
static __device__ __forceinline__ bool all_of_block(bool holds)
{
    __shared__ unsigned fails;
    if (is_block_leader())
        fails = 0;
    __syncthreads();
    if (!holds)
        atomicExch(&fails, 1u);
    __syncthreads();
    bool all = fails == 0;
    __syncthreads(); /* the next call changes it */
    return all;
}

} // namespace gpusync

/* With -DGPUSYNC_CHECKED, a broken contract stops the kernel with an error; without it,
 * the check costs nothing. */
#ifdef GPUSYNC_CHECKED
#define GPUSYNC_REQUIRE(condition) ((condition) ? (void)0 : (void)__trap())
#else
#define GPUSYNC_REQUIRE(condition) ((void)0)
#endif

/* For headers whose code needs independent threads and the memory model of PTX. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define GPUSYNC_NEEDS_70 static_assert(false, "this header of gpusync needs compute capability 7.0");
#else
#define GPUSYNC_NEEDS_70
#endif

#endif
