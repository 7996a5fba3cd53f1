/*
 * NCCL's own barrier within kernels, by loads and stores between GPUs that can access each other's memory
 * ("LSA", nccl_device.h of NCCL 2.28 and later). Block i of a GPU synchronizes with block i of the others.
 * After a barrier of the grid, it therefore synchronizes all blocks of all GPUs.
 */
#ifndef MICRO_NCCL_LSA_CUH
#define MICRO_NCCL_LSA_CUH

#include "harness/gpus.h"
#include "micro/gpus/multi_gpu_exchange.cuh"
#include "sync/grid_barrier.h"

#ifdef GPUSYNC_NCCL
#include <nccl.h>
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
#define HAS_NCCL_LSA
#endif
#endif

/* Returns whether NCCL's barrier within kernels is built in. If not, the other functions are never called. */
bool nccl_lsa_is_there();

/* Prepares the barrier for `blocks` blocks on each GPU, without NVLink's multicast, after nccl_open. Ends the
 * attempt (harness/check.h) if NCCL fails. */
void nccl_lsa_open(const struct gpus *gpus, unsigned blocks);
void nccl_lsa_close(const struct gpus *gpus);

/* nccl_lsa_rounds enqueues all rounds on the current GPU, in one kernel. nccl_lsa_resident_blocks returns how
 * many blocks of this kernel can be resident on a multiprocessor. */
void nccl_lsa_rounds(const Exchange &exchange, cudaStream_t stream);
int nccl_lsa_resident_blocks(unsigned threads);

#ifdef HAS_NCCL_LSA
/* nccl_lsa_communicator and nccl_lsa_grid return what nccl_lsa_open made for a GPU, the communicator and the
 * grid barrier, for other kernels. */
const struct ncclDevComm *nccl_lsa_communicator(unsigned gpu);
gpusync_grid_barrier nccl_lsa_grid(unsigned gpu);

/* Ends the attempt if `result` is an error. The message contains the text of NCCL's last error. */
void need_nccl_device(ncclResult_t result, const char *what);
#endif

#endif
