/* NCCL's all-reduce of one number as a barrier across GPUs; if NCCL was not found, these
 * functions are never called. */
#ifndef MICRO_NCCL_H
#define MICRO_NCCL_H

#include "micro/gpus/gpus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of these GPUs, all of this process. Ends the attempt (harness/cannot.h) if NCCL cannot. */
void nccl_open(const struct gpus *gpus);
void nccl_close(void);

/* The communicator of one GPU: an ncclComm_t. */
void *nccl_communicator(unsigned gpu);

/* Enqueues an all-reduce of one float on the stream of each GPU. */
void nccl_meet(const struct gpus *gpus);

/* The same of a vector of `count` numbers of 32 bits of each GPU; the sums come behind the numbers. */
void nccl_add_up(const struct gpus *gpus, unsigned *const *vectors, unsigned count);

#ifdef __cplusplus
}
#endif

#endif
