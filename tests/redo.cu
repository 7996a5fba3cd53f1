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

/* Returns for how many pairs the number of repeated computations is wrong. It must be 1 if the pair's sum is
 * too low, and 0 otherwise. */
static unsigned wrong_pairs(const unsigned *times, unsigned pairs, unsigned run)
{
    unsigned wrong = 0, *found = (unsigned *)allocate(pairs * sizeof *found);
    CHECK(cudaMemcpy(found, times, pairs * sizeof *found, cudaMemcpyDeviceToHost));
    for (unsigned pair = 0; pair < pairs; pair++)
        wrong += found[pair] != is_low(pair, run);
    free(found);
    return wrong;
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
    redo_counts *counts;
    double *results;
    unsigned *redo, *times, wrong = 0;
    allocate_on_device(counts, sizeof *counts);
    allocate_on_device(results, pairs * sizeof *results);
    allocate_on_device(redo, pairs * sizeof *redo);
    allocate_on_device(times, RUNS * pairs * sizeof *times);
    CHECK(cudaMemset(counts, 0, sizeof *counts));
    CHECK(cudaMemset(times, 0, RUNS * pairs * sizeof *times));
    device_reset(pairs);
    PairhmmInput<double> again = input<double>(pairs, results, counts, redo);
    again.again = true;
    for (unsigned run = 0; run < RUNS; run++) {
        CHECK(launch(finish_pairs, {blocks, threads, 0, false, false}, harness_stream(),
                     input<float>(pairs, results, counts, redo), run));
        CHECK(launch(count_again, {blocks, threads, 0, false, device_has_programmatic_launch()},
                     harness_stream(), again, times + run * pairs));
    }
    wait_for_device();
    for (unsigned run = 0; run < RUNS; run++)
        wrong += wrong_pairs(times + run * pairs, pairs, run);
    size_t races = device_report_races("redo");
    check(wrong == 0 && races == 0,
          "%u pairs, %u blocks of %u threads: the low ones are computed again, once (%u wrong)", pairs,
          blocks, threads, wrong);
    CHECK(cudaFree(counts));
    CHECK(cudaFree(results));
    CHECK(cudaFree(redo));
    CHECK(cudaFree(times));
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
