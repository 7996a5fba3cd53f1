/* SPDX-License-Identifier: MIT */
/*
 * mbarrier objects in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions"): a
 * number of arrivals completes a phase, and phases alternate between parity 0 and 1. arrive is a release and
 * the wait an acquire, at block scope. try_wait needs compute capability 9.0: code for an older GPU may
 * include this header, and fails to compile only where it calls one of these functions. Code for several GPUs
 * tests GPUSYNC_HAS_MBARRIERS.
 */
#ifndef GPUSYNC_MBARRIER_CUH
#define GPUSYNC_MBARRIER_CUH

#include "device.cuh"

/* nvcc's host pass has no architecture and must see all functions. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define GPUSYNC_HAS_MBARRIERS 1
#else
#define GPUSYNC_HAS_MBARRIERS 0
#endif

namespace gpusync
{

typedef unsigned long long mbarrier;

#if GPUSYNC_HAS_MBARRIERS

static __device__ __forceinline__ unsigned mbarrier_address(const mbarrier *barrier)
{
    return (unsigned)__cvta_generic_to_shared(barrier);
}

/* Prepares the mbarrier for `arrivals` arrivals in each phase. One thread calls it, before a
 * __syncthreads. */
static __device__ __forceinline__ void mbarrier_init(mbarrier *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :
                 : "r"(mbarrier_address(barrier)), "r"(arrivals)
                 : "memory");
}

static __device__ __forceinline__ void mbarrier_arrive(mbarrier *barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
                 :
                 : "r"(mbarrier_address(barrier))
                 : "memory");
}

/* Ends the mbarrier. Call it before its memory is used for anything else, even for another mbarrier_init. */
static __device__ __forceinline__ void mbarrier_invalidate(mbarrier *barrier)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(mbarrier_address(barrier)) : "memory");
}

/* Has the phase of this parity completed? The thread may sleep a little before it returns false. */
static __device__ __forceinline__ bool mbarrier_try_wait(const mbarrier *barrier, unsigned parity)
{
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(mbarrier_address(barrier)), "r"(parity)
                 : "memory");
    return done != 0;
}

/* Has the phase of this parity completed? The thread does not sleep. */
static __device__ __forceinline__ bool mbarrier_test_wait(const mbarrier *barrier, unsigned parity)
{
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(mbarrier_address(barrier)), "r"(parity)
                 : "memory");
    return done != 0;
}

#endif

#if GPUSYNC_HAS_MBARRIERS

static __device__ __forceinline__ void mbarrier_wait(const mbarrier *barrier, unsigned parity)
{
    while (!mbarrier_try_wait(barrier, parity)) {
    }
}

#else /* these functions are templates, so that only a call of one is an error */

#define GPUSYNC_NO_MBARRIER(type)                                                                            \
    static_assert(sizeof(type) == 0, "mbarriers of gpusync need compute capability 9.0 (-arch=sm_90)")
template <class Barrier>
static __device__ void mbarrier_init(Barrier *, unsigned)
{
    GPUSYNC_NO_MBARRIER(Barrier);
}
template <class Barrier>
static __device__ void mbarrier_arrive(Barrier *)
{
    GPUSYNC_NO_MBARRIER(Barrier);
}
template <class Barrier>
static __device__ void mbarrier_invalidate(Barrier *)
{
    GPUSYNC_NO_MBARRIER(Barrier);
}
template <class Barrier>
static __device__ bool mbarrier_try_wait(const Barrier *, unsigned)
{
    GPUSYNC_NO_MBARRIER(Barrier);
    return false;
}
template <class Barrier>
static __device__ bool mbarrier_test_wait(const Barrier *, unsigned)
{
    GPUSYNC_NO_MBARRIER(Barrier);
    return false;
}
template <class Barrier>
static __device__ void mbarrier_wait(const Barrier *, unsigned)
{
    GPUSYNC_NO_MBARRIER(Barrier);
}

#endif

} // namespace gpusync

#endif
