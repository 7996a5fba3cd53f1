/* Declares what the suite's kernels need besides CUDA C itself, for a GPU and for the memory machine. */
#ifndef HARNESS_KERNEL_CUH
#define HARNESS_KERNEL_CUH

#include "sync/device.cuh"

/* The suite's own code uses the names of sync/ without a prefix. */
using namespace gpusync;

/* Returns the block's dynamic shared memory, whose size the launch gives. It is aligned to 128 bytes: one
 * word of 4 bytes in each of the 32 banks. */
template <class T>
static __device__ __forceinline__ T *dynamic_shared()
{
    extern __shared__ __align__(128) unsigned char dynamic_shared_memory[];
    return (T *)dynamic_shared_memory;
}

/* The two halves of programmatic dependent launch: trigger_next_kernel lets the next kernel begin, and
 * wait_for_kernel_before waits until the previous kernel has ended. In a launch that is not programmatic they
 * do nothing. */
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

/* Lets the next kernel begin, then waits until the previous kernel has ended. If one kernel is the whole run
 * of an experiment, its first statement is this call (--early, harness/streams.h). */
static __device__ __forceinline__ void begin_early()
{
    trigger_next_kernel();
    wait_for_kernel_before();
}

/* WARP_WIDTH is the number of threads in a warp. On a GPU it is a constant, so that the compiler can unroll
 * loops over a warp and divide by it in one instruction. */
#define WARP_WIDTH 32
#define WHOLE_WARPS(number) ((number) / 32u)
#define OF_NO_WHOLE_WARP(number) ((number) % 32u)

/* UNROLL(n) before a loop makes the compiler unroll it n times. It does so in programs for the memory
 * machine, too, because the machine counts instructions. */
#define GPUSYNC_TEXT(...) #__VA_ARGS__
#define UNROLL(times) _Pragma(GPUSYNC_TEXT(unroll times))

#endif
