/*
 * Where threads of a warp that go apart meet again, on hardware whose warps run in lockstep (before compute
 * capability 7.0): the SSY instruction of Li 2015, Listings 3 and 8. Compilers for GPUs set these points
 * themselves; the memory machine has to be told where code waits for another thread of its own warp. No
 * effect where threads are independent.
 */
#ifndef SYNC_CONVERGENCE_CUH
#define SYNC_CONVERGENCE_CUH

#include "sync/device.cuh"

/* The threads that call this together meet at the matching convergence_wait. */
static __device__ __forceinline__ void convergence_set()
{
#ifdef GPUSYNC_MACHINE
    machine_convergence_set();
#endif
}

static __device__ __forceinline__ void convergence_wait()
{
#ifdef GPUSYNC_MACHINE
    machine_convergence_wait();
#endif
}

#endif
