/*
 * NCCL's own barrier within kernels, by loads and stores of the GPUs that reach each other ("LSA", nccl_device.h of NCCL
 * 2.28 and later): block i of a GPU meets block i of the others. Behind a barrier of the grid, so do all blocks of all.
 */
#ifndef MICRO_NCCL_LSA_CUH
#define MICRO_NCCL_LSA_CUH

#include "micro/gpus/gpus.h"
#include "micro/gpus/multi_gpu_exchange.cuh"

/* Is it built in? If not, nobody calls the others. */
bool nccl_lsa_is_there();

/* After nccl_open; for so many blocks on each GPU, without NVLink's multicast. Ends the attempt (harness/cannot.h) if NCCL cannot. */
void nccl_lsa_open(const struct gpus *gpus, unsigned blocks);
void nccl_lsa_close(const struct gpus *gpus);

/* Enqueues all rounds on one GPU, the current one, in one kernel; how many blocks of it are resident at once on a
 * multiprocessor. */
void nccl_lsa_rounds(const Exchange &exchange, cudaStream_t stream);
int nccl_lsa_resident_blocks(unsigned threads);

#endif
