/*
 * NCCL's own barrier within kernels, by loads and stores between GPUs that reach each other's memory ("LSA",
 * nccl_device.h of NCCL 2.28 and later): block i of a GPU synchronizes with block i of the others. After a
 * barrier of the grid, it therefore synchronizes all blocks of all GPUs.
 */
#ifndef MICRO_NCCL_LSA_CUH
#define MICRO_NCCL_LSA_CUH

#include "micro/gpus/gpus.h"
#include "micro/gpus/multi_gpu_exchange.cuh"
#include "sync/grid_barrier.h"

#ifdef GPUSYNC_NCCL
#include <nccl.h>
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
#define HAS_NCCL_LSA
#endif
#endif

/* Is it built in? If not, the other functions are never called. */
bool nccl_lsa_is_there();

/* To be called after nccl_open; for this number of blocks on each GPU, without NVLink's multicast. Ends the
 * attempt (harness/cannot.h) if NCCL cannot. */
void nccl_lsa_open(const struct gpus *gpus, unsigned blocks);
void nccl_lsa_close(const struct gpus *gpus);

/* Enqueues all rounds on the current GPU, in one kernel; the other function returns how many of its blocks
 * can be resident on a multiprocessor. */
void nccl_lsa_rounds(const Exchange &exchange, cudaStream_t stream);
int nccl_lsa_resident_blocks(unsigned threads);

#ifdef HAS_NCCL_LSA
/* What was opened, for other kernels. */
const struct ncclDevComm *nccl_lsa_communicator(unsigned gpu);
gpusync_grid_barrier nccl_lsa_grid(unsigned gpu);

/* Ends the attempt if NCCL could not do this, with NCCL's own words, which are those of its last error. */
void need_nccl_device(ncclResult_t result, const char *what);
#endif

#endif
