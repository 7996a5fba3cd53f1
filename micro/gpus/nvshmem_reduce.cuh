/*
 * An all-reduce by NVSHMEM, whose ranks are processes: the GPUs beyond the first have one each (peers.h), which does what
 * this one does. If NVSHMEM was not found, shmem_reduce_is_there says so, and the others are never called. They end the
 * attempt (harness/cannot.h) if NVSHMEM cannot.
 */
#ifndef MICRO_NVSHMEM_REDUCE_CUH
#define MICRO_NVSHMEM_REDUCE_CUH

#include "micro/gpus/gpus.h"

struct shmem_reduce_point {
    unsigned gpus, blocks, threads, elements;
    unsigned rounds; /* of a run */
    bool graph; /* the host's call, as nodes of a CUDA graph, of numbers that stay; else inside a kernel */
};

/* To be called first in main: in the process of another GPU it does not return. */
void shmem_reduce_serve(int argc, char **argv);

bool shmem_reduce_is_there();
int shmem_reduce_resident_blocks(unsigned threads);

/* Allocates on all GPUs what the point needs; the first call starts the processes and NVSHMEM. NVLink's multicast stays off,
 * unless NVSHMEM_DISABLE_NVLS says otherwise. */
void shmem_reduce_open(const struct gpus *gpus, const shmem_reduce_point &point);
/* Enqueues a run on the first GPU's stream, and has the others begin theirs. */
void shmem_reduce_run(cudaStream_t stream);
/* Wrong sums of all GPUs since the point was opened; of a graph, those that its last round has left. */
unsigned shmem_reduce_wrong();
void shmem_reduce_close();

#endif
