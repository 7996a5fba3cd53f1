/*
 * Tests that a pair whose sum is too low is computed again exactly once, and that no other pair is. Several
 * runs follow each other without a reset of the counts, with few blocks and many, with one warp per block and
 * several, and on weak memory, too. No two accesses race, although the second kernel begins before the first
 * has ended.
 */
#include "pairhmm/recurrence.cuh"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "tests/check.h"
#include "tests/weak_device.h"

#include <stdlib.h>

enum { RUNS = 5 };

/* Returns whether the pair's sum is too low in this run. No pair's sum is too low in run 2. */
static __host__ __device__ bool is_low(unsigned pair, unsigned run)
{
    return run != 2 && (pair * 2654435761u >> 16) % 4 == run % 4;
}

static __global__ void finish_pairs(PairhmmInput<float> q, unsigned run)
{
    trigger_next_kernel();
    for (unsigned pair = blockIdx.x * blockDim.x + threadIdx.x; pair < q.count;
         pair += gridDim.x * blockDim.x)
        q.finish(pair, is_low(pair, run) ? 0.0f : 1.0f);
}

static __global__ void count_again(PairhmmInput<double> q, unsigned *times)
{
    unsigned count = q.how_many();
    for (unsigned n = blockIdx.x; n < count; n += gridDim.x)
        if (threadIdx.x == 0)
            times[q.pair_at(n)]++;
}

template <class T>
static PairhmmInput<T> input(unsigned pairs, double *results, redo_counts *counts, unsigned *redo)
{
    PairhmmInput<T> q = {};
    q.count = pairs;
    q.results = results;
    q.counts = counts;
    q.redo = redo;
    return q;
}

static void check_redo(unsigned pairs, unsigned blocks, unsigned threads)
{
    device_array<redo_counts> counts(1);
    device_array<double> results(pairs);
    device_array<unsigned> redo(pairs), times(RUNS * pairs);
    unsigned wrong = 0, *found = (unsigned *)allocate(RUNS * pairs * sizeof *found);
    device_reset(pairs);
    PairhmmInput<double> again = input<double>(pairs, results, counts, redo);
    again.again = true;
    for (unsigned run = 0; run < RUNS; run++) {
        CHECK(launch(finish_pairs, {blocks, threads}, harness_stream(),
                     input<float>(pairs, results, counts, redo), run));
        CHECK(launch(count_again, {blocks, threads, 0, false, device_has_programmatic_launch()},
                     harness_stream(), again, times.at + run * pairs));
    }
    wait_for_device();
    times.copy_to(found);
    /* a pair is computed again once if its sum is too low, and otherwise not */
    for (unsigned run = 0; run < RUNS; run++)
        for (unsigned pair = 0; pair < pairs; pair++)
            wrong += found[run * pairs + pair] != is_low(pair, run);
    free(found);
    size_t races = device_report_races("redo");
    check(wrong == 0 && races == 0,
          "%u pairs, %u blocks of %u threads: the low ones are computed again, once (%u wrong)", pairs,
          blocks, threads, wrong);
}

int main()
{
    device device = open_weak_device("redo");
    check_redo(1, 1, 32);
    check_redo(100, 1, 128);
    check_redo(300, 7, 32);
    check_redo(500, 40, 128);
    check_redo(2000, 2 * (unsigned)device.sm_count, 32);
    return checks_done();
}
