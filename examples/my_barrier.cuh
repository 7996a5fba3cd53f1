/* SPDX-License-Identifier: MIT */
/*
 * A grid barrier of one's own, to start from: the last block to arrive sets the counter back and turns the
 * sense, for which the other blocks wait. docs/my-kernel.md measures and checks it; with BROKEN defined it
 * lacks the fence after the wait, so that a block may read what its multiprocessor had cached before.
 */
#ifndef MY_BARRIER_CUH
#define MY_BARRIER_CUH

#include "sync/grid_barrier.h"

struct MyBarrier {
    unsigned *arrived, *sense; /* two words of the barrier's memory, which is zero before the first launch */

    __device__ void begin(gpusync_grid_barrier memory)
    {
        arrived = memory.words;
        sense = memory.words + GPUSYNC_LINE_WORDS; /* the sense is in another cache line than the counter */
    }
    __device__ void sync()
    {
        __syncthreads();
        if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
            unsigned before = *(volatile unsigned *)sense;
            __threadfence(); /* makes the block's writes visible before its arrival */
            if (atomicAdd(arrived, 1u) == gridDim.x * gridDim.y * gridDim.z - 1) {
                *(volatile unsigned *)arrived = 0;
                __threadfence();
                *(volatile unsigned *)sense = before + 1;
            } else {
                while (*(volatile unsigned *)sense == before) {
                }
            }
#ifndef BROKEN
            __threadfence(); /* makes the other blocks' writes visible after the wait */
#endif
        }
        __syncthreads();
    }
    __device__ void end() {}
};

#endif
