/* SPDX-License-Identifier: MIT */
/*
 * The base of every device header of sync/: the CUDA runtime, and a thread's position in its block and grid,
 * which may have one, two or three dimensions.
 */
#ifndef GPUSYNC_DEVICE_CUH
#define GPUSYNC_DEVICE_CUH

#include <cuda_runtime.h>
#define GPUSYNC_UNROLL _Pragma("unroll")

namespace gpusync
{

/* Return the number of threads of the block, and this thread's position among them; warps are formed in this
 * order. */
static __device__ __forceinline__ unsigned threads_in_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
static __device__ __forceinline__ unsigned thread_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* Is this thread the one that acts for its block? */
static __device__ __forceinline__ bool is_block_leader()
{
    return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}

/* Return the number of blocks of the grid, and this block's position among them. */
static __device__ __forceinline__ unsigned blocks_in_grid()
{
    return gridDim.x * gridDim.y * gridDim.z;
}
static __device__ __forceinline__ unsigned block_in_grid()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* Returns whether `holds` is true in every thread of the block. All threads call it, and it synchronizes
 * them. */
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
    __syncthreads(); /* all threads have read `fails`, which the next call changes */
    return all;
}

} // namespace gpusync

/* With -DGPUSYNC_CHECKED, a violated contract stops the kernel with an error; without it, the check costs
 * nothing. */
#ifdef GPUSYNC_CHECKED
#define GPUSYNC_REQUIRE(condition) ((condition) ? (void)0 : (void)__trap())
#else
#define GPUSYNC_REQUIRE(condition) ((void)0)
#endif

/* Headers that need independently scheduled threads and the PTX memory model contain GPUSYNC_NEEDS_70. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define GPUSYNC_NEEDS_70 static_assert(false, "this header of gpusync needs compute capability 7.0");
#else
#define GPUSYNC_NEEDS_70
#endif

#endif
