/*
 * An all-reduce inside a kernel by NCCL's device API: plain words in windows that all GPUs reach by loads and stores, and
 * NCCL's barrier (nccl_lsa.cuh) in each round. Two halves of a window are used in turn, so one barrier a round is enough.
 */
#ifndef MICRO_NCCL_REDUCE_CUH
#define MICRO_NCCL_REDUCE_CUH

#include "micro/gpus/gpus.h"

/* All rounds of one launch on one GPU. */
struct nccl_reduce_rounds {
    unsigned me, blocks, threads, elements;
    unsigned first_round, rounds; /* no round comes twice, so that no value is right by what was there */
    unsigned *wrong;              /* sums */
};

/* To be called after nccl_lsa_open; for vectors of so many numbers. Ends the attempt (harness/cannot.h) if NCCL cannot. */
void nccl_reduce_open(const struct gpus *gpus, unsigned elements);
void nccl_reduce_close(const struct gpus *gpus);

/* Enqueues them on the current GPU: with `share`, block i of each GPU reads its share from all windows, behind a barrier
 * with the others' blocks i; without, it stores its share into all windows, and all blocks of all GPUs meet. */
void nccl_reduce(const nccl_reduce_rounds &rounds, bool share, cudaStream_t stream);
int nccl_reduce_resident_blocks(unsigned threads);

#endif
