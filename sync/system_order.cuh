/* SPDX-License-Identifier: MIT */
/*
 * The accesses of memory_order.cuh at system scope, for words that several GPUs share or that a GPU shares
 * with the host. A narrower scope is wrong there, even if it often seems to work.
 */
#ifndef GPUSYNC_SYSTEM_ORDER_CUH
#define GPUSYNC_SYSTEM_ORDER_CUH

#include "memory_order.cuh"

namespace gpusync
{

static __device__ __forceinline__ unsigned load_relaxed_system(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

/* Loads four adjacent words by one instruction: four relaxed loads at system scope, in any order. `p` is
 * 16-byte aligned. */
static __device__ __forceinline__ void load_relaxed_system_4(const unsigned *p, unsigned value[4])
{
    asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
                 : "l"(p)
                 : "memory");
}

/* Load or store two adjacent words of 64 bits by one instruction: two relaxed accesses at system scope, in
 * any order. `p` is 16-byte aligned. */
static __device__ __forceinline__ void load_relaxed_system_16(const void *p, unsigned long long value[2])
{
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(value[0]), "=l"(value[1])
                 : "l"(p)
                 : "memory");
}
static __device__ __forceinline__ void store_relaxed_system_16(void *p, const unsigned long long value[2])
{
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(p), "l"(value[0]), "l"(value[1])
                 : "memory");
}

static __device__ __forceinline__ void store_relaxed_system(unsigned *p, unsigned v)
{
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ unsigned add_relaxed_system(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("atom.relaxed.sys.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

static __device__ __forceinline__ void fence_release_system()
{
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7)
    asm volatile("fence.release.sys;" ::: "memory");
#else
    asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}

static __device__ __forceinline__ void fence_acquire_system()
{
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7)
    asm volatile("fence.acquire.sys;" ::: "memory");
#else
    asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}

} // namespace gpusync

#endif
