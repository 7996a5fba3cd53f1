/* NVSHMEM among the ranks that mpirun started, a GPU each; where it was not found, nobody calls these. But for what asks,
 * all of them are called by every rank. They end the attempt (harness/cannot.h) if NVSHMEM cannot. */
#ifndef MICRO_NVSHMEM_RANKS_CUH
#define MICRO_NVSHMEM_RANKS_CUH

#include "micro/gpus/rank_exchange.cuh"
#include "sync/grid_barrier.h"

/* Is NVSHMEM built in? */
bool shmem_ranks_are_there();

/* All ranks on their current GPUs; the id goes from the first to the others through MPI. NVLink's multicast stays off,
 * unless NVSHMEM_DISABLE_NVLS says otherwise. */
void shmem_ranks_open();
void shmem_ranks_close();

/* Memory at the same place of every rank's heap, which others put into. */
unsigned *shmem_ranks_memory(size_t words);
void shmem_ranks_free(unsigned *memory);

/* Enqueues: a put of this round's half of the board into the next rank's mail, which ends when it likes ... */
void shmem_ranks_put(const RankExchange &exchange, unsigned r, cudaStream_t stream);
/* ... and NVSHMEM's barrier, which promises that all puts before it have arrived everywhere. */
void shmem_ranks_meet(cudaStream_t stream);

/* All rounds in one kernel, whose blocks meet at sync/counter.cuh, one of them at NVSHMEM's barrier, and again at
 * sync/counter.cuh; and how many blocks may be resident on a multiprocessor. */
void shmem_ranks_rounds(const RankExchange &exchange, gpusync_grid_barrier memory, cudaStream_t stream);
int shmem_ranks_resident_blocks(unsigned threads);

/* How many of the other ranks' memories are reached by loads and stores, and what carries to the rest. */
const char *shmem_ranks_transport(const unsigned *memory);
const char *shmem_ranks_version();

#endif
