/* Reads a clock that all multiprocessors share. It counts nanoseconds on a GPU, and time units on the memory
 * machine. */
#ifndef HARNESS_DEVICE_TIME_CUH
#define HARNESS_DEVICE_TIME_CUH

#include "harness/kernel.cuh"

typedef unsigned long long instant;

static __device__ __forceinline__ instant device_time()
{
#ifdef GPUSYNC_MACHINE
    return (instant)clock64();
#else
    instant t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
#endif
}

#endif
