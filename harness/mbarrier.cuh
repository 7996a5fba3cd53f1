/*
 * sync/mbarrier.cuh for programs that are compiled for older GPUs, too. There the functions below do nothing,
 * so that the kernels compile; variants with mbarriers are not offered. The compiler prefers these functions
 * to those of sync/, which are templates that would not compile.
 */
#ifndef HARNESS_MBARRIER_CUH
#define HARNESS_MBARRIER_CUH

#include "harness/kernel.cuh"
#include "sync/mbarrier.cuh"

#if !GPUSYNC_HAS_MBARRIERS
static __device__ __forceinline__ void mbarrier_init(mbarrier *, unsigned) {}
static __device__ __forceinline__ void mbarrier_arrive(mbarrier *) {}
static __device__ __forceinline__ void mbarrier_invalidate(mbarrier *) {}
static __device__ __forceinline__ bool mbarrier_try_wait(const mbarrier *, unsigned)
{
    return true;
}
static __device__ __forceinline__ bool mbarrier_test_wait(const mbarrier *, unsigned)
{
    return true;
}
static __device__ __forceinline__ void mbarrier_wait(const mbarrier *, unsigned) {}
#endif

#endif
