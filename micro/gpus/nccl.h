/* NCCL's all-reduce of one number as a barrier across GPUs. If NCCL was not found, these functions are never
 * called. */
#ifndef MICRO_NCCL_H
#define MICRO_NCCL_H

#include "harness/gpus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a communicator of these GPUs, all in this process. Ends the attempt (harness/check.h) if NCCL
 * fails. */
void nccl_open(const struct gpus *gpus);
void nccl_close(void);

/* Returns the communicator of one GPU, an ncclComm_t. */
void *nccl_communicator(unsigned gpu);

/* Enqueues an all-reduce of one float on the stream of each GPU. */
void nccl_meet(const struct gpus *gpus);

/* Enqueues an all-reduce of a vector of `count` numbers of 32 bits on the stream of each GPU. The sums follow
 * the numbers in memory. */
void nccl_add_up(const struct gpus *gpus, unsigned *const *vectors, unsigned count);

#ifdef __cplusplus
}
#endif

#endif
