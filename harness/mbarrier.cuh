/*
 * Makes sync/mbarrier.cuh usable in programs that are also compiled for GPUs without mbarriers. For these
 * GPUs the functions below do nothing, so that the kernels compile; the variants that need mbarriers are not
 * offered there. The compiler prefers these functions to the functions of sync/mbarrier.cuh, which are
 * templates and would not compile.
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
