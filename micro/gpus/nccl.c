#include "micro/gpus/nccl.h"

#ifdef GPUSYNC_NCCL

#include "harness/check.h"
#include "harness/memory.h"

#include <nccl.h>
#include <stdlib.h>

static struct {
    ncclComm_t of[GPUSYNC_MOST_GPUS];
    float *number[GPUSYNC_MOST_GPUS];
    unsigned count;
} members;

static void need(ncclResult_t result)
{
    need_library("NCCL", result == ncclSuccess, ncclGetErrorString(result));
}

void nccl_open(const struct gpus *gpus)
{
    members.count = gpus->count;
    /* keeps NVLink's multicast off, unless the user has set NCCL_NVLS_ENABLE */
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    need(ncclCommInitAll(members.of, (int)gpus->count, gpus->devices));
    for (unsigned g = 0; g < gpus->count; g++) {
        CHECK(cudaSetDevice(gpus->devices[g]));
        members.number[g] = device_memory(sizeof(float));
        CHECK(cudaMemset(members.number[g], 0, sizeof(float)));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(gpus->devices[0]));
    /* the first all-reduce connects the GPUs, which must not happen while a graph is captured */
    nccl_meet(gpus);
    for (unsigned g = 0; g < gpus->count; g++)
        CHECK(cudaStreamSynchronize(gpus->streams[g]));
}

void nccl_close(void)
{
    for (unsigned g = 0; g < members.count; g++) {
        need(ncclCommDestroy(members.of[g]));
        CHECK(cudaFree(members.number[g]));
    }
}

void *nccl_communicator(unsigned gpu)
{
    return members.of[gpu];
}

void nccl_meet(const struct gpus *gpus)
{
    need(ncclGroupStart());
    for (unsigned g = 0; g < gpus->count; g++)
        need(ncclAllReduce(members.number[g], members.number[g], 1, ncclFloat, ncclSum, members.of[g],
                           gpus->streams[g]));
    need(ncclGroupEnd());
}

void nccl_add_up(const struct gpus *gpus, unsigned *const *vectors, unsigned count)
{
    need(ncclGroupStart());
    for (unsigned g = 0; g < gpus->count; g++)
        need(ncclAllReduce(vectors[g], vectors[g] + count, count, ncclUint32, ncclSum, members.of[g],
                           gpus->streams[g]));
    need(ncclGroupEnd());
}

#else

void nccl_open(const struct gpus *gpus)
{
    (void)gpus;
}
void nccl_close(void) {}
void *nccl_communicator(unsigned gpu)
{
    (void)gpu;
    return NULL;
}
void nccl_meet(const struct gpus *gpus)
{
    (void)gpus;
}

void nccl_add_up(const struct gpus *gpus, unsigned *const *vectors, unsigned count)
{
    (void)gpus, (void)vectors, (void)count;
}

#endif
