/*
 * Tests pairhmm/arrivals.cuh: a warp that waits for a chunk finds that chunk and all chunks before it. This
 * holds whichever blocks begin first, for as many blocks as copiers, for more, and for more than can be
 * resident, on weak memory too. No access races with a copy.
 */
#include "pairhmm/arrivals.cuh"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "tests/check.h"
#include "tests/weak_device.h"

#include <stdlib.h>

enum { WARPS_OF_BLOCK = 2, VECTORS = 900, WORDS = 4 * VECTORS };

/* Returns the chunk of the input, from 0, up to which a warp waits. Every chunk has the same number of
 * warps. */
static __host__ __device__ unsigned chunk_of(unsigned warp, unsigned warps, unsigned chunks)
{
    unsigned chunk = 0;
    while (warp >= warps * (chunk + 1) / chunks)
        chunk++;
    return chunk;
}

/* Each warp waits for its chunk of the input, and adds up the words of all arrays up to the end of that
 * chunk. */
static __global__ void add_up(const Arrivals arrivals, unsigned warps, unsigned *sums)
{
    unsigned number = block_in_grid() * WARPS_OF_BLOCK + thread_in_block() / 32,
             lane = thread_in_block() % 32;
    if (thread_in_block() < 32)
        arrivals.copy();
    if (number >= warps)
        return;
    arrivals.wait(number);
    unsigned sum = 0, chunk = chunk_of(number, warps, arrivals.chunks);
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++) {
        unsigned share = chunk * ARRIVING_ARRAYS + array,
                 end = 4 * (arrivals.ends[share] + arrivals.shifts[share]);
        for (unsigned i = lane; i < end; i += 32)
            sum += (array + 1) * ((const unsigned *)arrivals.to[array])[i];
    }
    atomicAdd(&sums[number], sum);
}

struct arrays {
    unsigned *host[ARRIVING_ARRAYS], *device[ARRIVING_ARRAYS];
};

static void make_arrays(struct arrays *a)
{
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++) {
        allocate_pinned(a->host[array], WORDS * sizeof(unsigned));
        allocate_on_device(a->device[array], WORDS * sizeof(unsigned));
        for (unsigned i = 0; i < WORDS; i++)
            a->host[array][i] = (i + 1) * 2654435761u + array;
    }
}

/* Returns how many vectors of an array precede the end of this chunk of the input. Array 0 has all of its
 * vectors in the first chunk. Any other array n has n times as many vectors in each chunk as array 1. */
static unsigned end_of(unsigned array, unsigned chunk, unsigned chunks)
{
    return array == 0 ? VECTORS / 2 : VECTORS * array / ARRIVING_ARRAYS * (chunk + 1) / chunks;
}

static unsigned expected(const struct arrays *a, unsigned chunk, unsigned chunks)
{
    unsigned sum = 0;
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++)
        for (unsigned i = 0; i < 4 * end_of(array, chunk, chunks); i++)
            sum += (array + 1) * a->host[array][i];
    return sum;
}

static Arrivals arrivals_of(const struct arrays *a, unsigned warps, unsigned chunks, unsigned copiers,
                            arrival_counts *counts)
{
    Arrivals arrivals = {0, copiers, counts};
    unsigned first[ARRIVING_ARRAYS] = {}, end[ARRIVING_ARRAYS];
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++) {
        arrivals.from[array] = (const uint4 *)a->host[array];
        arrivals.to[array] = (uint4 *)a->device[array];
    }
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        for (unsigned array = 0; array < ARRIVING_ARRAYS; array++)
            end[array] = end_of(array, chunk, chunks);
        arrivals.add(first, end, warps * (chunk + 1) / chunks);
        for (unsigned array = 0; array < ARRIVING_ARRAYS; array++)
            first[array] = end[array];
    }
    return arrivals;
}

/* Launches the kernel and returns how many warps had a wrong sum. */
static unsigned wrong_in_run(const struct arrays *a, const Arrivals &arrivals, const launch_shape &shape,
                             unsigned warps, unsigned *sums)
{
    unsigned wrong = 0, *found = (unsigned *)allocate(warps * sizeof *found);
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++)
        CHECK(cudaMemset(a->device[array], 0, WORDS * sizeof(unsigned)));
    CHECK(cudaMemset(arrivals.counts, 0, sizeof *arrivals.counts));
    CHECK(cudaMemset(sums, 0, warps * sizeof *sums));
    CHECK(launch(add_up, shape, harness_stream(), arrivals, warps, sums));
    wait_for_device();
    CHECK(cudaMemcpy(found, sums, warps * sizeof *found, cudaMemcpyDeviceToHost));
    for (unsigned warp = 0; warp < warps; warp++)
        wrong += found[warp] != expected(a, chunk_of(warp, warps, arrivals.chunks), arrivals.chunks);
    free(found);
    return wrong;
}

/* Checks one shape. `shared_bytes` is the shared memory of a block, which limits how many blocks are
 * resident. */
static void check_arrivals(unsigned warps, unsigned chunks, unsigned copiers, size_t shared_bytes)
{
    struct arrays a;
    device_array<arrival_counts> counts(1);
    device_array<unsigned> sums(warps);
    unsigned wrong = 0, runs = 6;
    make_arrays(&a);
    Arrivals arrivals = arrivals_of(&a, warps, chunks, copiers, counts);
    launch_shape shape = {(warps + WARPS_OF_BLOCK - 1) / WARPS_OF_BLOCK, 32 * WARPS_OF_BLOCK, shared_bytes};
    for (unsigned run = 0; run < runs; run++) {
        device_reset(run);
        wrong += wrong_in_run(&a, arrivals, shape, warps, sums);
    }
    size_t races = device_report_races("arrivals");
    check(wrong == 0 && races == 0,
          "%u warps, %u pieces, %u copiers: everybody finds what it waited for (%u of %u wrong)", warps,
          chunks, copiers, wrong, runs * warps);
    for (unsigned array = 0; array < ARRIVING_ARRAYS; array++) {
        CHECK(cudaFreeHost(a.host[array]));
        CHECK(cudaFree(a.device[array]));
    }
}

int main()
{
    device device = open_weak_device("arrivals");
    int shared_bytes; /* bytes of a multiprocessor; a block that uses more than half is resident alone */
    CHECK(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    check_arrivals(1, 1, 1, 0);
    check_arrivals(5, 3, 2, 0);
    check_arrivals(24, ARRIVING_CHUNKS, 2, 0);
    check_arrivals(40, 4, 20, 0);
    check_arrivals(2 * (unsigned)device.sm_count + 60, 4, 16, (size_t)shared_bytes / 2 + 1024);
    return checks_done();
}
