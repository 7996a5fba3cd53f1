/* A step that verifies a barrier */
#ifndef MICRO_PAYLOAD_CUH
#define MICRO_PAYLOAD_CUH

#include "harness/kernel.cuh"

/*
 * A step that verifies the barrier that follows it. Two arrays, the boards, have one word for each thread of
 * the grid. In round s each thread writes s to its own word on one of the boards; even rounds use the first
 * board, odd rounds the second. Before that, it must find exactly s - 1 on the other board, in the word of a
 * thread of another block. A smaller number means that a barrier let this block pass too early, a larger one
 * that it let the other block run ahead. Loads and stores are ordinary ones, as in an algorithm, so that
 * stale caches show, too. *errors counts the wrong words.
 */
struct PayloadStep {
    unsigned *boards, *errors;

    __device__ void operator()(int round)
    {
        unsigned s = (unsigned)round, threads = threads_in_block(), all = blocks_in_grid() * threads;
        unsigned i = block_in_grid() * threads + thread_in_block();
        if (s > 0) {
            unsigned others =
                /* a block never checks itself unless it is alone */
                blocks_in_grid() > 1 ? blocks_in_grid() - 1 : 1;
            unsigned block = (block_in_grid() + 1 + s * 7919u % others) % blocks_in_grid();
            unsigned thread = (thread_in_block() + s * 31u) % threads;
            const unsigned *before = boards + ((s - 1) & 1) * all;
            if (before[block * threads + thread] != s - 1)
                atomicAdd(errors, 1u);
        }
        boards[(s & 1) * all + i] = s;
    }
};

#endif
