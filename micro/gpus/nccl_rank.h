/* NCCL among the ranks that mpirun started, one for each GPU. Every rank calls these functions, which end the
 * attempt (harness/check.h) if NCCL fails. If NCCL was not found, only nccl_rank_is_there is called. */
#ifndef MICRO_NCCL_RANK_H
#define MICRO_NCCL_RANK_H

#include "harness/platform.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether NCCL is built in. */
bool nccl_rank_is_there(void);

/* Makes a communicator of all ranks on their current GPUs and connects it. The first rank sends its id to the
 * others through MPI. NVLink's multicast stays off, unless NCCL_NVLS_ENABLE says otherwise. */
void nccl_rank_open(void);
void nccl_rank_close(void);

/* Enqueues an all-reduce of one float: each rank's *number becomes the sum of all ranks' numbers. */
void nccl_rank_add(float *number, cudaStream_t stream);

/* Enqueues a message to the next rank, and the receipt of one from the preceding rank. */
void nccl_rank_pass(const unsigned *words, unsigned *from_previous, size_t count, cudaStream_t stream);

/* nccl_rank_transport returns how the first rank is connected to others, in NCCL's words ("P2P/CUMEM");
 * nccl_rank_version returns NCCL's version. */
const char *nccl_rank_transport(void);
const char *nccl_rank_version(void);

#ifdef __cplusplus
}
#endif

#endif
