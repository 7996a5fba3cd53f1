/* What the suite's kernels need beside CUDA C itself, on a GPU and on the memory machine. */
#ifndef HARNESS_KERNEL_CUH
#define HARNESS_KERNEL_CUH

#include "sync/device.cuh"

/* The suite's own code uses what sync/ offers everywhere. */
using namespace gpusync;

/* The block's dynamic shared memory, of the size that the launch asked for; aligned for any type, and to a line of its
 * banks. */
template <class T>
static __device__ __forceinline__ T *dynamic_shared()
{
#ifdef GPUSYNC_MACHINE
    return (T *)machine_dynamic_shared();
#else
    extern __shared__ __align__(128) unsigned char dynamic_shared_memory[];
    return (T *)dynamic_shared_memory;
#endif
}

/* Of a programmatic dependent launch, and nothing in another: lets the next kernel begin, and waits for the one before. */
static __device__ __forceinline__ void trigger_next_kernel()
{
#if defined(GPUSYNC_MACHINE) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
static __device__ __forceinline__ void wait_for_kernel_before()
{
#if defined(GPUSYNC_MACHINE) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
    cudaGridDependencySynchronize();
#endif
}

/* What a kernel does first that has one launch for a run (harness/early.h). */
static __device__ __forceinline__ void begin_early()
{
    trigger_next_kernel();
    wait_for_kernel_before();
}

/* Threads in a warp: a constant on a GPU, so that loops over it can be unrolled, and a number is divided by it in one
 * instruction. */
#ifdef GPUSYNC_MACHINE
#define WARP_WIDTH machine_warp_size()
#define WHOLE_WARPS(number) machine_whole_warps(number)
#define OF_NO_WHOLE_WARP(number) machine_of_no_whole_warp(number)
#else
#define WARP_WIDTH 32
#define WHOLE_WARPS(number) ((number) / 32u)
#define OF_NO_WHOLE_WARP(number) ((number) % 32u)
#endif

/* Before a loop: unroll it so many times. The machine counts instructions, so it cares too. */
#define GPUSYNC_TEXT(...) #__VA_ARGS__
#ifdef GPUSYNC_MACHINE
#define UNROLL(times) _Pragma(GPUSYNC_TEXT(GCC unroll times))
#else
#define UNROLL(times) _Pragma(GPUSYNC_TEXT(unroll times))
#endif

#endif
