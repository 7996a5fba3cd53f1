/*
 * The machine's implementation of the functions that the headers in sync/ write in PTX for a GPU. The scopes
 * and orders are the same as in the PTX.
 */
#ifndef MACHINE_SYNC_DEVICE_H
#define MACHINE_SYNC_DEVICE_H

#include "machine/memory/mbarrier.h"
#include "machine/cuda/cuda_machine.h"

namespace gpusync
{

/* ---- sync/memory_order.cuh ---- */

static __device__ __forceinline__ unsigned load_relaxed(const unsigned *p)
{
    return machine_load_32(p, SCOPE_DEVICE, ORDER_RELAXED);
}
static __device__ __forceinline__ void store_relaxed(unsigned *p, unsigned v)
{
    machine_store_32(p, v, SCOPE_DEVICE, ORDER_RELAXED);
}
static __device__ __forceinline__ unsigned load_acquire(const unsigned *p)
{
    return machine_load_32(p, SCOPE_DEVICE, ORDER_ACQUIRE);
}
static __device__ __forceinline__ auto add_relaxed(unsigned *p, unsigned v)
{
    MACHINE_OLD_VALUE(unsigned, machine_atomic_add_32(p, v, SCOPE_DEVICE, ORDER_RELAXED));
}
static __device__ __forceinline__ void reduce_add_relaxed(unsigned *p, unsigned v)
{
    machine_ask_for_no_value();
    machine_atomic_add_32(p, v, SCOPE_DEVICE, ORDER_RELAXED);
}
static __device__ __forceinline__ void reduce_add_release(unsigned *p, unsigned v)
{
    machine_ask_for_no_value();
    machine_atomic_add_32(p, v, SCOPE_DEVICE, ORDER_RELEASE);
}
static __device__ __forceinline__ void fence_release()
{
    machine_fence(SCOPE_DEVICE, ORDER_RELEASE);
}
static __device__ __forceinline__ void fence_acquire()
{
    machine_fence(SCOPE_DEVICE, ORDER_ACQUIRE);
}

/* ---- sync/system_order.cuh ---- */

static __device__ __forceinline__ unsigned load_relaxed_system(const unsigned *p)
{
    return machine_load_32(p, SCOPE_SYSTEM, ORDER_RELAXED);
}
static __device__ __forceinline__ void load_relaxed_system_4(const unsigned *p, unsigned value[4])
{
    value[0] = load_relaxed_system(p);
    value[1] = load_relaxed_system(p + 1);
    value[2] = load_relaxed_system(p + 2);
    value[3] = load_relaxed_system(p + 3);
}
static __device__ __forceinline__ void load_relaxed_system_16(const void *p, unsigned long long value[2])
{
    const volatile unsigned long long *words = (const volatile unsigned long long *)p;
    value[0] = words[0];
    value[1] = words[1];
}
static __device__ __forceinline__ void store_relaxed_system_16(void *p, const unsigned long long value[2])
{
    volatile unsigned long long *words = (volatile unsigned long long *)p;
    words[0] = value[0];
    words[1] = value[1];
}
static __device__ __forceinline__ void store_relaxed_system(unsigned *p, unsigned v)
{
    machine_store_32(p, v, SCOPE_SYSTEM, ORDER_RELAXED);
}
static __device__ __forceinline__ auto add_relaxed_system(unsigned *p, unsigned v)
{
    MACHINE_OLD_VALUE(unsigned, machine_atomic_add_32(p, v, SCOPE_SYSTEM, ORDER_RELAXED));
}
static __device__ __forceinline__ void fence_release_system()
{
    machine_fence(SCOPE_SYSTEM, ORDER_RELEASE);
}
static __device__ __forceinline__ void fence_acquire_system()
{
    machine_fence(SCOPE_SYSTEM, ORDER_ACQUIRE);
}

/* ---- sync/named_barrier.cuh ---- */

static __device__ __forceinline__ void named_barrier_sync(int barrier, int threads)
{
    machine_named_barrier(barrier, threads, 1);
}
static __device__ __forceinline__ void named_barrier_arrive(int barrier, int threads)
{
    machine_named_barrier(barrier, threads, 0);
}

/* ---- sync/mbarrier.cuh ---- */

typedef unsigned long long mbarrier;

static __device__ __forceinline__ void mbarrier_init(mbarrier *barrier, unsigned arrivals)
{
    *(volatile mbarrier *)barrier = mbarrier_at_first(arrivals);
}
static __device__ __forceinline__ void mbarrier_arrive(mbarrier *barrier)
{
    machine_use_mbarrier();
    machine_ask_for_no_value();
    machine_mbarrier_arrive(barrier, SCOPE_BLOCK, ORDER_RELEASE);
}
static __device__ __forceinline__ void mbarrier_invalidate(mbarrier *) {}
static __device__ __forceinline__ bool mbarrier_try_wait(const mbarrier *barrier, unsigned parity)
{
    machine_use_mbarrier();
    return machine_load_64(barrier, SCOPE_BLOCK, ORDER_ACQUIRE) >> 63 != parity;
}
static __device__ __forceinline__ bool mbarrier_test_wait(const mbarrier *barrier, unsigned parity)
{
    return mbarrier_try_wait(barrier, parity);
}

/* ---- sync/convergence.cuh ---- */

static __device__ __forceinline__ void convergence_set()
{
    machine_convergence_set();
}
static __device__ __forceinline__ void convergence_wait()
{
    machine_convergence_wait();
}
static __device__ __forceinline__ void dependent_instructions(int count)
{
    machine_arithmetic(count);
}

} // namespace gpusync

#endif
