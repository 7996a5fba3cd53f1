/* The power, in watts, that a GPU draws while a block on each of its multiprocessors waits */
#ifndef MICRO_WAITING_POWER_CUH
#define MICRO_WAITING_POWER_CUH

#include "base/statistics.h"
#include "harness/check.h"
#include "harness/conditions.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/hops/hops.cuh"

#include <cjson/cJSON.h>
#include <math.h>
#include <unistd.h>

#ifndef GPUSYNC_MACHINE

/* A kernel in which all blocks wait, as with the given hop, for block 0, which sleeps for `ns`
 * nanoseconds. */
template <class Hop>
__global__ void wait_long(unsigned *word, unsigned long long ns)
{
    if (block_in_grid() > 0)
        return block_waits<typename Hop::poll, Hop::POLLING>(word, 1);
    if (!is_block_leader())
        return;
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
        __nanosleep(1000);
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < ns);
    store_relaxed(word, 1);
}

#define SETTLING_US 40000
#define BETWEEN_READINGS_US 10000
#define READINGS 8

/* Adds "watts_waiting" to the JSON if the driver reports the power. */
template <class Hop>
static void add_waiting_power(const struct point *p, cJSON *json)
{
    int device, multiprocessors;
    unsigned *word;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (isnan(device_power_watts()))
        return;
    allocate_on_device(word, sizeof *word);
    CHECK(cudaMemset(word, 0, sizeof *word));
    launch_shape shape = {(unsigned)multiprocessors, p->threads, 0, true, false};
    CHECK(launch(wait_long<Hop>, shape, harness_stream(), word,
                 1000ull * (2 * SETTLING_US + READINGS * BETWEEN_READINGS_US)));
    usleep(SETTLING_US);
    double watts[READINGS];
    for (double &reading : watts) {
        usleep(BETWEEN_READINGS_US);
        reading = device_power_watts();
    }
    wait_for_device();
    CHECK(cudaFree(word));
    cJSON_AddNumberToObject(json, "watts_waiting", summarize(watts, READINGS).median);
}

#else

template <class Hop>
static void add_waiting_power(const struct point *, cJSON *)
{
}

#endif

#endif
