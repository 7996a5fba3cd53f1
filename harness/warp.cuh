/* All lanes of a warp, and sums over them. */
#ifndef HARNESS_WARP_CUH
#define HARNESS_WARP_CUH

#include "harness/kernel.cuh"

#define ALL_LANES 0xffffffffu

/* The sum of the warp's values, in all lanes. */
template <class T>
static __device__ __forceinline__ T sum_of_warp(T value)
{
    UNROLL(5)
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

/* For GPUs that do it in one instruction. */
static __device__ __forceinline__ unsigned sum_of_warp(unsigned value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    return sum_of_warp<unsigned>(value);
#endif
}
static __device__ __forceinline__ int sum_of_warp(int value)
{
    return (int)sum_of_warp((unsigned)value);
}

#endif
