/* SPDX-License-Identifier: MIT */
/*
 * What compilers for GPUs see themselves and the memory machine has to be told; on a GPU these
 * functions are empty. Where threads of a warp that go apart meet again, on hardware whose warps run
 * in lockstep (before compute capability 7.0): the SSY instruction of Li 2015, Listings 3 and 8. And
 * the instructions of a loop that polls, each of which waits for the one before.
 */
#ifndef GPUSYNC_CONVERGENCE_CUH
#define GPUSYNC_CONVERGENCE_CUH

#include "device.cuh"

#ifndef GPUSYNC_MACHINE /* which has these in machine/cuda/sync_device.h */

namespace gpusync
{

/* The threads that call this together meet at the matching convergence_wait. */
static __device__ __forceinline__ void convergence_set() {}
static __device__ __forceinline__ void convergence_wait() {}

/* So many instructions, such as a comparison and a branch, lie between a result and what comes next. */
static __device__ __forceinline__ void dependent_instructions(int) {}

} // namespace gpusync

#endif

#endif
