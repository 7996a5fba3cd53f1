/*
 * An all-reduce by NVSHMEM, whose ranks are processes: each GPU after the first has one (peers.h), which does
 * the same work as this process. If NVSHMEM was not found, shmem_reduce_is_there returns false, and the
 * others are never called. They end the attempt (harness/check.h) if NVSHMEM fails.
 */
#ifndef MICRO_NVSHMEM_REDUCE_CUH
#define MICRO_NVSHMEM_REDUCE_CUH

#include "harness/gpus.h"

struct shmem_reduce_point {
    unsigned gpus, blocks, threads, elements;
    unsigned rounds; /* number of all-reduces in a run */
    /* true if the host calls the all-reduce, as nodes of a CUDA graph whose numbers never change; false if a
     * kernel calls it */
    bool graph;
};

/* In the process of another GPU, does that GPU's work and does not return. main calls this function first. */
void shmem_reduce_serve(int argc, char **argv);

bool shmem_reduce_is_there();
int shmem_reduce_resident_blocks(unsigned threads);

/* Allocates the point's memory on all GPUs. The first call starts the processes and NVSHMEM. NVLink's
 * multicast stays off, unless NVSHMEM_DISABLE_NVLS says otherwise. */
void shmem_reduce_open(const struct gpus *gpus, const shmem_reduce_point &point);
/* Enqueues a run on the first GPU's stream, and makes the processes of the other GPUs begin theirs. */
void shmem_reduce_run(cudaStream_t stream);
/* Returns the number of wrong sums of all GPUs since the point was opened; for a graph, only of its last
 * round. */
unsigned shmem_reduce_wrong();
void shmem_reduce_close();

#endif
