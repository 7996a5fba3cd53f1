/*
 * Loads, stores and fences with a stated order, at the scope of the device (PTX ISA, "Memory Consistency
 * Model"). Relaxed accesses are performed at the L2 cache and order nothing; what is written before a release
 * is seen after the acquire that observes it. Release and acquire need compute capability 7.0.
 */
#ifndef SYNC_MEMORY_ORDER_CUH
#define SYNC_MEMORY_ORDER_CUH

#include "sync/device.cuh"

#ifdef GPUSYNC_MACHINE

/* The machine keeps one order of all accesses; what the forms differ in is their cost. */
static __device__ __forceinline__ unsigned load_relaxed(const unsigned *p)
{
    return *(const volatile unsigned *)p;
}
static __device__ __forceinline__ unsigned load_acquire(const unsigned *p)
{
    unsigned value = *(const volatile unsigned *)p;
    machine_fence_acquire();
    return value;
}
static __device__ __forceinline__ unsigned add_relaxed(unsigned *p, unsigned v)
{
    return atomicAdd(p, v);
}
static __device__ __forceinline__ void reduce_add_release(unsigned *p, unsigned v)
{
    machine_fence_release();
    atomicAdd(p, v);
}
static __device__ __forceinline__ void fence_release()
{
    machine_fence_release();
}
static __device__ __forceinline__ void fence_acquire()
{
    machine_fence_acquire();
}

#else

static __device__ __forceinline__ unsigned load_relaxed(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
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

static __device__ __forceinline__ void reduce_add_release(unsigned *p, unsigned v)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

/* One-directional fences came with PTX ISA 8.6 (CUDA 12.7); before, the two-directional one has to do. */
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7)
#define SYNC_FENCE_RELEASE "fence.release.gpu;"
#define SYNC_FENCE_ACQUIRE "fence.acquire.gpu;"
#else
#define SYNC_FENCE_RELEASE "fence.acq_rel.gpu;"
#define SYNC_FENCE_ACQUIRE "fence.acq_rel.gpu;"
#endif

static __device__ __forceinline__ void fence_release()
{
    asm volatile(SYNC_FENCE_RELEASE ::: "memory");
}
static __device__ __forceinline__ void fence_acquire()
{
    asm volatile(SYNC_FENCE_ACQUIRE ::: "memory");
}

#endif

/* Stops the compiler, and only the compiler, from keeping values in registers across this point. */
static __device__ __forceinline__ void compiler_barrier()
{
    asm volatile("" ::: "memory");
}

#endif
