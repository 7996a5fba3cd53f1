/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores, additions and fences with a stated order, at the scope of the device (PTX ISA, "Memory
 * Consistency Model"). Relaxed accesses are performed at the L2 cache and order nothing. A thread whose
 * acquire observes a release sees everything that was written before the release. Release and acquire need
 * compute capability 7.0.
 */
#ifndef GPUSYNC_MEMORY_ORDER_CUH
#define GPUSYNC_MEMORY_ORDER_CUH

#include "device.cuh"

GPUSYNC_NEEDS_70

/* PTX has fence.acquire and fence.release since ISA 8.6 (CUDA 12.7); older toolkits use fence.acq_rel. */
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7)
#define GPUSYNC_FENCE_RELEASE "fence.release.gpu;"
#define GPUSYNC_FENCE_ACQUIRE "fence.acquire.gpu;"
#else
#define GPUSYNC_FENCE_RELEASE "fence.acq_rel.gpu;"
#define GPUSYNC_FENCE_ACQUIRE "fence.acq_rel.gpu;"
#endif

namespace gpusync
{

static __device__ __forceinline__ unsigned load_relaxed(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

static __device__ __forceinline__ void store_relaxed(unsigned *p, unsigned v)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ unsigned load_acquire(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

static __device__ __forceinline__ unsigned add_relaxed(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

/* Adds without returning the old value. */
static __device__ __forceinline__ void reduce_add_relaxed(unsigned *p, unsigned v)
{
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ void reduce_add_release(unsigned *p, unsigned v)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ void fence_release()
{
    asm volatile(GPUSYNC_FENCE_RELEASE ::: "memory");
}
static __device__ __forceinline__ void fence_acquire()
{
    asm volatile(GPUSYNC_FENCE_ACQUIRE ::: "memory");
}

/* A compiler barrier: keeps the compiler, but not the GPU, from moving memory accesses across this point. */
static __device__ __forceinline__ void compiler_barrier()
{
    asm volatile("" ::: "memory");
}

} // namespace gpusync

#endif
