/* The GPUs that take part in a point: first the current device, then other GPUs of the host, each with a
 * stream of its own. On the memory machine they are parts of one grid and share one stream. */
#ifndef HARNESS_GPUS_H
#define HARNESS_GPUS_H

#include "harness/platform.h"
#include "sync/multi_gpu_barrier.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpus {
    unsigned count;
    int devices[GPUSYNC_MOST_GPUS];
    cudaStream_t streams[GPUSYNC_MOST_GPUS]; /* one stream for each GPU; the first is harness_stream() */
    cudaEvent_t begun[GPUSYNC_MOST_GPUS], done[GPUSYNC_MOST_GPUS];
};

/* Opens `count` GPUs, the current device first. Exits with EXIT_CANNOT if the host has fewer, or if a GPU
 * cannot access another's memory with atomic operations. */
void gpus_open(unsigned count, struct gpus *out);
void gpus_close(struct gpus *gpus);

/* Returns whether the host has a second GPU. Returns false on the memory machine, where the time of a link is
 * a constant of the description. */
bool gpus_has_peer(void);
/* Lets each GPU access the memory of all others. */
void gpus_reach_each_other(const struct gpus *gpus);

/* Makes work that is enqueued later on any GPU's stream begin after the work that harness_stream() has
 * now. */
void gpus_fork(const struct gpus *gpus);
/* Makes work that is enqueued later on harness_stream() begin after the work that all GPUs' streams have
 * now. */
void gpus_join(const struct gpus *gpus);

/* Waits until GPU number `gpu` has done the work that its stream got between gpus_fork and gpus_join. Returns
 * the time of this work in nanoseconds, or 0 on the memory machine. */
double gpus_time(const struct gpus *gpus, unsigned gpu);

#ifdef __cplusplus
}
#endif

#endif
