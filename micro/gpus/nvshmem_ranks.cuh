/* NVSHMEM among the ranks that mpirun started, one for each GPU; if it was not found, these functions are
 * never called. Except for the queries, every rank calls all of them. They end the attempt (harness/cannot.h)
 * if NVSHMEM cannot. */
#ifndef MICRO_NVSHMEM_RANKS_CUH
#define MICRO_NVSHMEM_RANKS_CUH

#include "micro/gpus/rank_exchange.cuh"
#include "sync/grid_barrier.h"

/* Is NVSHMEM built in? */
bool shmem_ranks_are_there();

/* Initializes all ranks on their current GPUs; the first rank sends the id to the others through MPI.
 * NVLink's multicast stays off, unless NVSHMEM_DISABLE_NVLS says otherwise. */
void shmem_ranks_open();
void shmem_ranks_close();

/* Memory at the same place of every rank's heap, into which other ranks put words. */
unsigned *shmem_ranks_memory(size_t words);
void shmem_ranks_free(unsigned *memory);

/* Enqueues a put of this round's half of the board into the next rank's mail, which may complete at any later
 * time ... */
void shmem_ranks_put(const RankExchange &exchange, unsigned r, cudaStream_t stream);
/* ... and NVSHMEM's barrier, which promises that all puts before it have arrived everywhere. */
void shmem_ranks_meet(cudaStream_t stream);

/* All rounds in one kernel: in each round all blocks synchronize by sync/counter.cuh, one block calls
 * NVSHMEM's barrier, and all blocks synchronize again. The other function returns how many blocks can be
 * resident on a multiprocessor. */
void shmem_ranks_rounds(const RankExchange &exchange, gpusync_grid_barrier memory, cudaStream_t stream);
int shmem_ranks_resident_blocks(unsigned threads);

/* How many of the other ranks' memories are reached by loads and stores, and the transport to the rest. */
const char *shmem_ranks_transport(const unsigned *memory);
const char *shmem_ranks_version();

#endif
