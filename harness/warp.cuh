/* Sums over the lanes of a warp. */
#ifndef HARNESS_WARP_CUH
#define HARNESS_WARP_CUH

#include "harness/kernel.cuh"

#define ALL_LANES 0xffffffffu

/* Returns the sum of the warp's values in all lanes. */
template <class T>
static __device__ __forceinline__ T sum_of_warp(T value)
{
    UNROLL(5)
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

/* sum_of_warp for integers, in one instruction on GPUs that have it. */
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
