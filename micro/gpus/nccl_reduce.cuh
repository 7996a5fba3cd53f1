/*
 * An all-reduce inside a kernel by NCCL's device API: plain words in windows, which all GPUs access by loads
 * and stores, and NCCL's barrier (nccl_lsa.cuh) in each round. Two halves of a window are used in turn, so
 * one barrier in each round is enough.
 */
#ifndef MICRO_NCCL_REDUCE_CUH
#define MICRO_NCCL_REDUCE_CUH

#include "harness/gpus.h"

/* The parameters of a launch that executes all rounds on one GPU */
struct nccl_reduce_rounds {
    unsigned me, blocks, threads, elements;
    /* number of the first round, and number of rounds; each launch has new round numbers, so that an old
     * value is never right */
    unsigned first_round, rounds;
    unsigned *wrong; /* tally of the wrong sums that the launch has found */
};

/* Prepares windows for vectors of `elements` numbers, after nccl_lsa_open. Ends the attempt
 * (harness/check.h) if NCCL fails. */
void nccl_reduce_open(const struct gpus *gpus, unsigned elements);
void nccl_reduce_close(const struct gpus *gpus);

/* Enqueues the rounds on the current GPU. With `share`, block i of each GPU reads its share from all windows
 * after a barrier with the other GPUs' blocks i. Otherwise it stores its share into all windows, and all
 * blocks of all GPUs synchronize. */
void nccl_reduce(const nccl_reduce_rounds &rounds, bool share, cudaStream_t stream);
int nccl_reduce_resident_blocks(unsigned threads);

#endif
