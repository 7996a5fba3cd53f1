/* A step that shows whether a barrier is one. */
#ifndef MICRO_PAYLOAD_CUH
#define MICRO_PAYLOAD_CUH

#include "harness/kernel.cuh"

/*
 * Two boards of gridDim * blockDim words, written in turn. In round s a thread must find exactly s - 1 on the
 * other board, where a thread of another block left it: less if a barrier let this block through early, more
 * if it let the other block run ahead. Ordinary loads and stores, as an algorithm's, so that stale caches
 * show too. *errors counts.
 */
struct PayloadStep {
    unsigned *boards, *errors;

    __device__ void operator()(int round)
    {
        unsigned s = (unsigned)round, all = gridDim.x * blockDim.x;
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (s > 0) {
            unsigned block = (blockIdx.x + 1 + s * 7919u) % gridDim.x;
            unsigned thread = (threadIdx.x + s * 31u) % blockDim.x;
            const unsigned *before = boards + ((s - 1) & 1) * all;
            if (before[block * blockDim.x + thread] != s - 1)
                atomicAdd(errors, 1u);
        }
        boards[(s & 1) * all + i] = s;
    }
};

#endif
