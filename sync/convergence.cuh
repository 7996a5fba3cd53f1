/* SPDX-License-Identifier: MIT */
/*
 * Hints for the memory machine about facts that GPU compilers find themselves; on a GPU these functions are
 * empty. The first two mark where diverged threads of a warp reconverge on hardware whose warps run in
 * lockstep (before compute capability 7.0): the SSY instruction of Li 2015, Listings 3 and 8. The third
 * counts the instructions of a polling loop, which form a dependent chain.
 */
#ifndef GPUSYNC_CONVERGENCE_CUH
#define GPUSYNC_CONVERGENCE_CUH

#include "device.cuh"

namespace gpusync
{

/* The threads that call convergence_set together reconverge at the matching convergence_wait. */
#ifdef GPUSYNC_MACHINE /* the memory machine executes nvcc's PTX; pragmas name instructions of its own */
static __device__ __forceinline__ void convergence_set()
{
    asm volatile(".pragma \"gpusync.ssy;\";");
}
static __device__ __forceinline__ void convergence_wait()
{
    asm volatile(".pragma \"gpusync.sync;\";");
}
#else
static __device__ __forceinline__ void convergence_set() {}
static __device__ __forceinline__ void convergence_wait() {}
#endif

/* Tells the memory machine that `count` instructions lie between a result and the thread's next access to
 * memory or barrier, such as a comparison and a branch, and that each needs the result of the preceding
 * one. */
#ifdef GPUSYNC_MACHINE
static __device__ __forceinline__ void dependent_instructions(int count)
{
    asm volatile(".pragma \"gpusync.arithmetic %0;\";" ::"r"(count));
}
#else
static __device__ __forceinline__ void dependent_instructions(int) {}
#endif

} // namespace gpusync

#endif
