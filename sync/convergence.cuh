/*
 * Where threads of a warp that go apart meet again, on hardware whose warps run in lockstep (before
 * compute capability 7.0): the SSY instruction of Li 2015, Listings 3 and 8. Compilers for GPUs set
 * these points themselves, so on a GPU these functions are empty; the memory machine has to be told
 * where code waits for another thread of its own warp.
 */
#ifndef GPUSYNC_CONVERGENCE_CUH
#define GPUSYNC_CONVERGENCE_CUH

#include "sync/device.cuh"

#ifndef GPUSYNC_MACHINE /* which has these in machine/sync_device.h */

namespace gpusync
{

/* The threads that call this together meet at the matching convergence_wait. */
static __device__ __forceinline__ void convergence_set() {}
static __device__ __forceinline__ void convergence_wait() {}

} // namespace gpusync

#endif

#endif
