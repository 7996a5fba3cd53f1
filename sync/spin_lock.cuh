/* SPDX-License-Identifier: MIT */
/*
 * Spin locks by atomics, in shared or global memory; a mutex is a word that is 0 when free. They are Listings
 * 2 and 7 of Li 2015 with fences added, without which the PTX memory model does not order the data that the
 * lock protects. The fences have block scope, so the locks are for threads of one block only.
 */
#ifndef GPUSYNC_SPIN_LOCK_CUH
#define GPUSYNC_SPIN_LOCK_CUH

#include "convergence.cuh"

namespace gpusync
{

/*
 * Waits until this thread owns the mutex (Li 2015, Listing 2). On lockstep hardware no two threads of a warp
 * may want the same mutex: the thread that owns it would wait for the other at the end of the loop (section
 * 4.4.1).
 */
static __device__ __forceinline__ void spin_lock(unsigned *mutex)
{
    unsigned old;
    convergence_set();
    do {
        old = atomicCAS(mutex, 0u, 1u);
        dependent_instructions(2); /* ISETP and BRA of the while loop in Listing 3 of Li 2015 */
    } while (old != 0);
    convergence_wait();
    __threadfence_block();
}

/* Frees the mutex, whichever thread owns it. */
static __device__ __forceinline__ void spin_unlock(unsigned *mutex)
{
    __threadfence_block();
    atomicExch(mutex, 0u);
}

/* Calls body() once while this thread owns the mutex (Li 2015, Listing 7). Threads of one warp may want the
 * same mutex. */
template <class Body>
static __device__ __forceinline__ void spin_critical_section(unsigned *mutex, Body body)
{
    convergence_set();
    for (bool finished = false; !finished;) {
        convergence_set();
        unsigned old = atomicCAS(mutex, 0u, 1u);
        dependent_instructions(2);
        if (old == 0) {
            finished = true;
            __threadfence_block();
            body();
            spin_unlock(mutex);
        }
        convergence_wait();
    }
    convergence_wait();
}

} // namespace gpusync

#endif
