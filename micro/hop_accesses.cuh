/*
 * The accesses that hops between blocks differ in, beside those of sync/memory_order.cuh: scopes, forms of a
 * release, 16 bytes at once (PTX ISA, "Memory Consistency Model"). The memory machine has no access of 16 bytes that
 * is one.
 */
#ifndef MICRO_HOP_ACCESSES_CUH
#define MICRO_HOP_ACCESSES_CUH

#include "harness/kernel.cuh"
#include "sync/memory_order.cuh"

enum hop_scope { WITHIN_GPU, WITHIN_SYSTEM };

#ifndef GPUSYNC_MACHINE

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

/* Both directions, where the toolkit has no fence of one. */
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

/* An addition whose sender does not ask for the old value. */
template <hop_scope of>
static __device__ __forceinline__ void relaxed_reduction(unsigned *p)
{
    if (of == WITHIN_GPU)
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" : : "l"(p) : "memory");
    else
        asm volatile("red.relaxed.sys.global.add.u32 [%0], 1;" : : "l"(p) : "memory");
}

/* One that does, and waits for it. */
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

/* Four words that come in any order, past the L1 cache. */
static __device__ __forceinline__ void volatile_store(uint4 *p, uint4 v)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
static __device__ __forceinline__ uint4 volatile_load(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}

/* 16 bytes as one access came with PTX ISA 8.3 (CUDA 12.3). */
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 3)
#define HAS_ACCESSES_OF_16_BYTES true
static __device__ __forceinline__ void relaxed_store_16(uint4 *p, uint4 v)
{
    asm volatile("{ .reg .b64 low, high; .reg .b128 all; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4};\n"
                 "  mov.b128 all, {low, high}; st.relaxed.gpu.global.b128 [%0], all; }"
                 :
                 : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
static __device__ __forceinline__ uint4 relaxed_load_16(const uint4 *p)
{
    uint4 v;
    asm volatile("{ .reg .b64 low, high; .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%4];\n"
                 "  mov.b128 {low, high}, all; mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}
#else
#define HAS_ACCESSES_OF_16_BYTES false
#endif

static __device__ __forceinline__ void sleep_ns(unsigned ns)
{
    __nanosleep(ns);
}

#else

static constexpr machine_scope scope_of(hop_scope of)
{
    return of == WITHIN_GPU ? SCOPE_DEVICE : SCOPE_SYSTEM;
}
template <hop_scope of>
static __device__ __forceinline__ unsigned relaxed_load(const unsigned *p)
{
    return machine_load_32(p, scope_of(of), ORDER_RELAXED);
}
template <hop_scope of>
static __device__ __forceinline__ unsigned acquiring_load(const unsigned *p)
{
    return machine_load_32(p, scope_of(of), ORDER_ACQUIRE);
}
template <hop_scope of>
static __device__ __forceinline__ void releasing_fence()
{
    machine_fence(scope_of(of), ORDER_RELEASE);
}
template <hop_scope of>
static __device__ __forceinline__ void acquiring_fence()
{
    machine_fence(scope_of(of), ORDER_ACQUIRE);
}
template <hop_scope of>
static __device__ __forceinline__ void relaxed_reduction(unsigned *p)
{
    machine_ask_for_no_value();
    machine_atomic_add_32(p, 1, scope_of(of), ORDER_RELAXED);
}
static __device__ __forceinline__ void releasing_addition(unsigned *p)
{
    machine_atomic_add_32(p, 1, SCOPE_DEVICE, ORDER_RELEASE);
}
static __device__ __forceinline__ void releasing_store(unsigned *p, unsigned value)
{
    machine_store_32(p, value, SCOPE_DEVICE, ORDER_RELEASE);
}
static __device__ __forceinline__ void volatile_store(uint4 *p, uint4 v)
{
    volatile unsigned *words = (volatile unsigned *)p;
    words[0] = v.x;
    words[1] = v.y;
    words[2] = v.z;
    words[3] = v.w;
}
static __device__ __forceinline__ uint4 volatile_load(const uint4 *p)
{
    const volatile unsigned *words = (const volatile unsigned *)p;
    return make_uint4(words[0], words[1], words[2], words[3]);
}
/* For the compiler alone: the variants that sleep are not offered. */
static __device__ __forceinline__ void sleep_ns(unsigned) {}
#define HAS_ACCESSES_OF_16_BYTES false

#endif

/* For the compiler alone: the variant that uses these is not offered. */
#if !HAS_ACCESSES_OF_16_BYTES
static __device__ __forceinline__ void relaxed_store_16(uint4 *p, uint4 v)
{
    volatile_store(p, v);
}
static __device__ __forceinline__ uint4 relaxed_load_16(const uint4 *p)
{
    return volatile_load(p);
}
#endif

#endif
