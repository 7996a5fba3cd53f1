/* NVSHMEM among the ranks that mpirun started, one for each GPU. Every rank calls these functions; functions
 * that only return a fact need not be called by every rank. They end the attempt (harness/check.h) if NVSHMEM
 * fails. If NVSHMEM was not found, only shmem_ranks_are_there is called. */
#ifndef MICRO_NVSHMEM_RANKS_CUH
#define MICRO_NVSHMEM_RANKS_CUH

#include "micro/gpus/rank_exchange.cuh"
#include "sync/grid_barrier.h"

/* Returns whether NVSHMEM is built in. */
bool shmem_ranks_are_there();

/* Initializes all ranks on their current GPUs. The first rank sends the id to the others through MPI.
 * NVLink's multicast stays off, unless NVSHMEM_DISABLE_NVLS says otherwise. */
void shmem_ranks_open();
void shmem_ranks_close();

/* Returns memory at the same position of every rank's heap, into which other ranks put words. */
unsigned *shmem_ranks_memory(size_t words);
void shmem_ranks_free(unsigned *memory);

/* Enqueues a put that copies the half of this rank's board that belongs to round r to the mail of the next
 * rank (rank_exchange.cuh). The put may complete at any later time. */
void shmem_ranks_put(const RankExchange &exchange, unsigned r, cudaStream_t stream);
/* Enqueues NVSHMEM's barrier, which promises that all puts before it have arrived everywhere. */
void shmem_ranks_meet(cudaStream_t stream);

/* shmem_ranks_rounds executes all rounds in one kernel. In each round all blocks synchronize by
 * sync/counter.cuh, one block calls NVSHMEM's barrier, and all blocks synchronize again.
 * shmem_ranks_resident_blocks returns how many blocks of this kernel can be resident on a multiprocessor. */
void shmem_ranks_rounds(const RankExchange &exchange, gpusync_grid_barrier memory, cudaStream_t stream);
int shmem_ranks_resident_blocks(unsigned threads);

/* shmem_ranks_transport says how many of the other ranks' memories are accessed by loads and stores, and
 * which transport serves the rest. shmem_ranks_version returns NVSHMEM's version. */
const char *shmem_ranks_transport(const unsigned *memory);
const char *shmem_ranks_version();

#endif
