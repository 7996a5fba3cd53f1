/* Counts the multiprocessors on which the blocks of a launch run, because the GPU decides the placement: a
 * launch with one block for every multiprocessor may leave some without a block. */
#ifndef HARNESS_PLACEMENT_CUH
#define HARNESS_PLACEMENT_CUH

#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "base/memory.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#ifndef GPUSYNC_MACHINE

/* Stores the number of each block's multiprocessor. No block ends before all have begun, as in a kernel with
 * a grid barrier. */
static __global__ void note_multiprocessor(unsigned *multiprocessor, unsigned *arrived)
{
    unsigned id;
    asm volatile("mov.u32 %0, %smid;" : "=r"(id));
    if (threadIdx.x == 0) {
        multiprocessor[blockIdx.x] = id;
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
    }
    __syncthreads();
}

static int compare_ids(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static unsigned multiprocessors_of(unsigned blocks, unsigned threads)
{
    unsigned *ids, *arrived, distinct = 0, *host = (unsigned *)allocate(blocks * sizeof *host);
    allocate_on_device(ids, blocks * sizeof *ids);
    allocate_on_device(arrived, sizeof *arrived);
    CHECK(cudaMemset(arrived, 0, sizeof *arrived));
    launch_shape shape = {blocks, threads, 0, true, false};
    CHECK(launch(note_multiprocessor, shape, harness_stream(), ids, arrived));
    CHECK(cudaStreamSynchronize(harness_stream()));
    CHECK(cudaMemcpy(host, ids, blocks * sizeof *host, cudaMemcpyDeviceToHost));
    qsort(host, blocks, sizeof *host, compare_ids);
    for (unsigned i = 0; i < blocks; i++)
        distinct += !i || host[i] != host[i - 1];
    free(host);
    CHECK(cudaFree(ids));
    CHECK(cudaFree(arrived));
    return distinct;
}

#endif

/* Adds the number of multiprocessors on which the blocks run, as "multiprocessors", to the JSON of a point
 * whose blocks are all resident. An experiment can use this function as its member `describe`. */
static inline void describe_placement(const struct point *p, cJSON *json)
{
#ifndef GPUSYNC_MACHINE
    if (p->variant->resident)
        cJSON_AddNumberToObject(json, "multiprocessors", multiprocessors_of(p->blocks, p->threads));
#else
    (void)p, (void)json;
#endif
}

#endif
