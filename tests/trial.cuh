/* Runs a trial of a grid barrier: one or two launches with the payload of micro/barrier/payload.cuh, which
 * counts errors of the barrier. */
#ifndef TESTS_TRIAL_CUH
#define TESTS_TRIAL_CUH

#include "base/memory.h"
#include "harness/steps.cuh"
#include "harness/timer.h"
#include "micro/barrier/payload.cuh"

#include <stdlib.h>

/* The content of the barrier's memory before the first launch: zeros, or numbers that will soon wrap around
 * to 0. */
enum start { START_ZERO, START_BEFORE_WRAP };

struct trial_shape {
    /* the grid sizes of the launches, which use the same memory one after the other, and their block size */
    dim3 blocks[2], threads;
    int count; /* number of launches, 1 or 2 */
    enum start start;
};

/* Sets the barrier's memory to zeros or, for START_BEFORE_WRAP, to its state after many launches: all numbers
 * are equal, and wrap around to 0 within the next 25 arrivals, in the middle of a round. */
static void set_start(gpusync_grid_barrier memory, sync_id method, enum start start, unsigned seed)
{
    size_t bytes = gpusync_grid_barrier_bytes(memory.capacity), count = bytes / sizeof(unsigned);
    unsigned *content = (unsigned *)allocate(bytes), before = 0u - (1 + seed % 25);
    if (start == START_BEFORE_WRAP)
        switch (sync_methods[method].memory) {
        case MEMORY_PHASE:
            content[0] = PHASE_BIT;
            break;
        case MEMORY_COUNTS:
            content[0] = content[GPUSYNC_LINE_WORDS] = before;
            break;
        case MEMORY_ARRAYS:
            content[GPUSYNC_LINE_WORDS] = before;
            for (size_t i = count - 2 * memory.capacity; i < count; i++)
                content[i] = before;
            break;
        }
    CHECK(cudaMemcpy(memory.words, content, bytes, cudaMemcpyHostToDevice));
    free(content);
}

static unsigned volume(dim3 extent)
{
    return extent.x * extent.y * extent.z;
}

/* The counter barrier with a time-out for its waits. The time-out is so short that it expires several times
 * in a round. */
struct Impatient : Counter {
    __device__ void sync()
    {
        arrive();
        while (!wait_for(100)) {
        }
    }
};

/* Runs the launches of a trial. Returns the number of payload errors, or -1 if there was a deadlock. */
template <class Barrier>
static int run_trial(const trial_shape &t, sync_id method, int rounds, unsigned seed)
{
    unsigned first = volume(t.blocks[0]), second = volume(t.blocks[1]);
    unsigned most = first > second ? first : second, errors = 0;
    gpusync_grid_barrier memory = {NULL, most};
    PayloadStep step;
    size_t boards = 2 * sizeof(unsigned) * most * volume(t.threads);
    CHECK(cudaMalloc((void **)&memory.words, gpusync_grid_barrier_bytes(most)));
    CHECK(cudaMalloc((void **)&step.boards, boards));
    CHECK(cudaMalloc((void **)&step.errors, sizeof errors));
    CHECK(cudaMemset(step.errors, 0, sizeof errors));
    set_start(memory, method, t.start, seed);
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < t.count && result == cudaSuccess; i++) {
        CHECK(cudaMemset(step.boards, 0xff, boards));
        launch_shape shape = {t.blocks[i], t.threads, 0, sync_methods[method].cooperative, false};
        result = launch(step_loop<Barrier, PayloadStep>, shape, harness_stream(), step, rounds, memory);
        if (result == cudaSuccess)
            wait_for_device();
    }
    CHECK(cudaMemcpy(&errors, step.errors, sizeof errors, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory.words));
    CHECK(cudaFree(step.boards));
    CHECK(cudaFree(step.errors));
    if (result != cudaErrorLaunchTimeout)
        CHECK(result);
    return result == cudaErrorLaunchTimeout ? -1 : (int)errors;
}

struct tally {
    int runs, wrong, deadlocks;
};

/* Runs trials with the seeds 1 to `seeds`, on the memory machine under the schedule, or with ANY_SCHEDULE
 * under a random and an adversarial one in turn. */
enum { ANY_SCHEDULE = -1 };
template <class Barrier>
static tally run_seeds(const trial_shape &t, sync_id method, int rounds, int seeds, int schedule)
{
    tally tally = {0, 0, 0};
    for (int seed = 1; seed <= seeds; seed++) {
#ifdef GPUSYNC_MACHINE
        machine_schedule any = seed % 2 ? MACHINE_RANDOM : MACHINE_ADVERSARIAL;
        machine_set_schedule(schedule == ANY_SCHEDULE ? any : (machine_schedule)schedule, (uint64_t)seed);
#else
        (void)schedule;
#endif
        int errors = run_trial<Barrier>(t, method, rounds, (unsigned)seed);
        tally.runs++;
        tally.wrong += errors > 0;
        tally.deadlocks += errors < 0;
    }
    return tally;
}

#endif
