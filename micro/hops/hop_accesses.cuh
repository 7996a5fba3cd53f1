/*
 * Accesses of the hops between blocks that sync/hop.cuh and sync/memory_order.cuh do not have: scopes, and
 * forms of a release (PTX ISA, "Memory Consistency Model").
 */
#ifndef MICRO_HOP_ACCESSES_CUH
#define MICRO_HOP_ACCESSES_CUH

#include "harness/kernel.cuh"
#include "sync/hop.cuh"

enum hop_scope { WITHIN_GPU, WITHIN_SYSTEM };

template <hop_scope of>
static __device__ __forceinline__ unsigned relaxed_load(const unsigned *p)
{
    if (of == WITHIN_GPU)
        return load_relaxed(p);
    unsigned value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

template <hop_scope of>
static __device__ __forceinline__ unsigned acquiring_load(const unsigned *p)
{
    if (of == WITHIN_GPU)
        return load_acquire(p);
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

/* Executes a release fence, which orders both directions if the toolkit has no one-directional fence. */
template <hop_scope of>
static __device__ __forceinline__ void releasing_fence()
{
    if (of == WITHIN_GPU)
        fence_release();
    else
        asm volatile("fence.acq_rel.sys;" ::: "memory");
}
template <hop_scope of>
static __device__ __forceinline__ void acquiring_fence()
{
    if (of == WITHIN_GPU)
        fence_acquire();
    else
        asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* Adds 1, relaxed, without returning the old value. */
template <hop_scope of>
static __device__ __forceinline__ void relaxed_reduction(unsigned *p)
{
    if (of == WITHIN_GPU)
        reduce_add_relaxed(p, 1);
    else
        asm volatile("red.relaxed.sys.global.add.u32 [%0], 1;" : : "l"(p) : "memory");
}

/* Adds 1 with release semantics, and waits for the old value. */
static __device__ __forceinline__ void releasing_addition(unsigned *p)
{
    unsigned old;
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(p) : "memory");
    if (old == 0xffffffffu)
        asm volatile("trap;");
}

static __device__ __forceinline__ void releasing_store(unsigned *p, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
}

static __device__ __forceinline__ void sleep_ns(unsigned ns)
{
    __nanosleep(ns);
}

#endif
