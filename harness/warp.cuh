/* Computes sums over the lanes of a warp. */
#ifndef HARNESS_WARP_CUH
#define HARNESS_WARP_CUH

#include "harness/kernel.cuh"

#define ALL_LANES 0xffffffffu

/* Returns, to every lane, the sum of the values of all lanes of the warp. */
template <class T>
static __device__ __forceinline__ T sum_of_warp(T value)
{
    UNROLL(5)
    for (int distance = 16; distance; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

/* sum_of_warp for unsigned numbers, which takes one instruction on GPUs that have it. */
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
