/* NCCL among the ranks that mpirun started, a GPU each; where NCCL was not found, nobody calls these. All of them are
 * called by every rank. They end the attempt (harness/cannot.h) if NCCL cannot. */
#ifndef MICRO_NCCL_RANK_H
#define MICRO_NCCL_RANK_H

#include "harness/platform.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is NCCL built in? */
bool nccl_rank_is_there(void);

/* A communicator of all ranks on the current GPU, whose id goes from the first to the others through MPI, and which has
 * connected. NVLink's multicast stays off, unless NCCL_NVLS_ENABLE says otherwise. */
void nccl_rank_open(void);
void nccl_rank_close(void);

/* Enqueues an all-reduce of one float: each rank's *number becomes the sum of all. */
void nccl_rank_add(float *number, cudaStream_t stream);

/* Enqueues a message to the next rank, and one from the rank before. */
void nccl_rank_pass(const unsigned *words, unsigned *from_previous, size_t count, cudaStream_t stream);

/* What connects the first rank with others, in NCCL's words ("P2P/CUMEM"), and NCCL's version. */
const char *nccl_rank_transport(void);
const char *nccl_rank_version(void);

#ifdef __cplusplus
}
#endif

#endif
