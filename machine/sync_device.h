/*
 * The machine's halves of the headers in sync/: what those write in PTX for a GPU. The machine
 * keeps one order of all accesses; what the forms of an access differ in is their cost.
 */
#ifndef MACHINE_SYNC_DEVICE_H
#define MACHINE_SYNC_DEVICE_H

#include "machine/cuda_machine.h"

namespace gpusync
{

/* ---- sync/memory_order.cuh ---- */

static __device__ __forceinline__ unsigned load_relaxed(const unsigned *p)
{
    return *(const volatile unsigned *)p;
}
static __device__ __forceinline__ void store_relaxed(unsigned *p, unsigned v)
{
    *(volatile unsigned *)p = v;
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
    *(volatile mbarrier *)barrier = (mbarrier)arrivals << 32 | arrivals;
}
static __device__ __forceinline__ void mbarrier_arrive(mbarrier *barrier)
{
    machine_mbarrier_arrive(barrier);
}
static __device__ __forceinline__ void mbarrier_invalidate(mbarrier *) {}
static __device__ __forceinline__ bool mbarrier_try_wait(const mbarrier *barrier, unsigned parity)
{
    return *(const volatile mbarrier *)barrier >> 63 != parity;
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

} // namespace gpusync

#endif
