/* Tests the times of a cluster's barrier, and of accesses of the other block's shared memory, on the memory
 * machine. */
#include "harness/async.cuh"
#include "harness/launch.cuh"
#include "machine/machine.h"
#include "sync/convergence.cuh"
#include "tests/check.h"
#include "tests/machine_of_card.cuh"

#include <cooperative_groups.h>
#include <stdlib.h>

using namespace gpusync;

/* Arrives at a cluster's barrier without a fence. The acquire of cluster_wait() takes no time here. */
static __device__ __forceinline__ void arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
}

static const int LATENCY = 60, ARRIVAL = 7, ROUNDS = 8;

/* Returns a machine with four multiprocessors, on which each further warp of a block delays a cluster's
 * barrier by ARRIVAL time units. */
static machine_description machine_with_clusters()
{
    machine_description d = machine_of_card(100);
    d.sm_count = 4;
    d.issue_per_1000_units = 16000; /* so that several warps at a barrier need no further time units */
    d.arithmetic_latency = 1;
    d.cluster_barrier_latency = LATENCY;
    d.cluster_barrier_latency_of_32 = LATENCY + 31 * ARRIVAL;
    return d;
}

static long long *results; /* where kernels store the times that they measure */

static bool ends = true; /* has each kernel so far ended? */

/* Launches the kernel in a cluster of this number of blocks. */
template <class... Parameters, class... Arguments>
static void run_cluster(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                        Arguments... arguments)
{
    launch_shape shape = {blocks, threads, 0, false, false};
    shape.cluster = blocks;
    launch(kernel, shape, (cudaStream_t) nullptr, arguments...);
    ends = cudaDeviceSynchronize() == cudaSuccess && ends;
}

/* Measures rounds of the barrier. Between arrival and wait each thread computes for `work` time units. */
__global__ void barriers(long long *out, unsigned rounds, unsigned work)
{
    long long begin = clock64();
    UNROLL(1)
    for (unsigned i = 0; i < rounds; i++) {
        arrive_relaxed();
        dependent_instructions((int)work);
        cluster_wait();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - begin;
}

/* Returns the time units of one of the rounds, as the first thread measures them. */
static long long time_of_round(const machine_description &d, unsigned blocks, unsigned threads, unsigned work)
{
    machine_install(&d);
    cudaMalloc((void **)&results, blocks * threads * sizeof *results);
    run_cluster(barriers, blocks, threads, results, ROUNDS + 1u, work);
    long long more = results[0];
    run_cluster(barriers, blocks, threads, results, 1u, work);
    more -= results[0];
    cudaFree(results);
    return more / ROUNDS;
}

/* Block 1 computes for `late` time units before it arrives. Each block notes when it arrives and goes on. */
__global__ void late_block(long long *out, unsigned late)
{
    if (blockIdx.x == 1)
        dependent_instructions((int)late);
    long long arrived = clock64();
    arrive_relaxed();
    cluster_wait();
    out[2 * blockIdx.x] = arrived;
    out[2 * blockIdx.x + 1] = clock64();
}

/* Block 0 waits for a block that exits. */
__global__ void exiting_block(long long *out, unsigned late)
{
    if (blockIdx.x == 1) {
        dependent_instructions((int)late);
        out[1] = clock64();
        return;
    }
    arrive_relaxed();
    cluster_wait();
    out[0] = clock64();
}

static void check_times()
{
    machine_description d = machine_with_clusters();
    long long two = time_of_round(d, 2, 32, 0), four = time_of_round(d, 4, 32, 0);
    check(two >= LATENCY && two < LATENCY + 20, "a barrier takes its latency and a few instructions (%lld)",
          two);
    check(two == four, "a barrier of four blocks takes as long as one of two (%lld, %lld)", four, two);
    long long warps = time_of_round(d, 2, 160, 0);
    check(warps == two + 4 * ARRIVAL, "each further warp of a block delays the barrier (%lld, %lld)", warps,
          two);
    d.cluster_barrier_latency += 30;
    d.cluster_barrier_latency_of_32 += 30;
    check(time_of_round(d, 2, 32, 0) == two + 30, "a barrier takes as much longer as its latency is (%lld)",
          time_of_round(d, 2, 32, 0));
    d.cluster_barrier_latency = d.cluster_barrier_latency_of_32 = 0;
    check(time_of_round(d, 2, 32, 0) == two + 100 - LATENCY,
          "without a latency of its own, a barrier takes one of global memory (%lld)",
          time_of_round(d, 2, 32, 0));
}

static void check_split()
{
    machine_description d = machine_with_clusters();
    long long none = time_of_round(d, 2, 32, 0), less = time_of_round(d, 2, 32, LATENCY / 8),
              one = time_of_round(d, 2, 32, LATENCY), two = time_of_round(d, 2, 32, 2 * LATENCY);
    check(less == none, "work between arrival and wait that takes less than the barrier costs nothing (%lld)",
          less);
    check(two > one + LATENCY / 2, "work that takes longer than the barrier costs its time (%lld, %lld)", one,
          two);
}

static void check_late()
{
    machine_description d = machine_with_clusters();
    machine_install(&d);
    cudaMalloc((void **)&results, 4 * sizeof *results);
    run_cluster(late_block, 2, 32, results, 1000u);
    check(results[2] - results[0] > 900, "a block computes for long before it arrives (%lld)",
          results[2] - results[0]);
    check(llabs(results[1] - results[3]) <= 2, "both blocks go on at the same time (%lld, %lld)", results[1],
          results[3]);
    check(results[1] - results[2] >= LATENCY && results[1] - results[2] < LATENCY + 20,
          "the barrier opens its latency after the last arrival (%lld)", results[1] - results[2]);
    run_cluster(exiting_block, 2, 32, results, 1000u);
    check(results[0] - results[1] >= LATENCY && results[0] - results[1] < 2 * LATENCY,
          "a barrier opens when the last missing block exits (%lld)", results[0] - results[1]);
    cudaFree(results);
}

/* ---- shared memory of the other block ---- */

static const int SHARED = 20, OTHER = 120, WAY = (OTHER - SHARED) / 2;

enum action { LOAD, STORE_AND_FENCE, ADD };

/* Each thread of block 0 accesses a word of block 1 or, if `own`, of its own block, and measures how long
 * that takes. Block 1 polls its first word until block 0 has changed it, and notes when it sees that. */
__global__ void access_other(long long *out, action what, bool own)
{
    unsigned *words = dynamic_shared<unsigned>(), value = 0;
    unsigned rank = own ? 0 : 1;
    volatile unsigned *word = cooperative_groups::this_cluster().map_shared_rank(words, rank) + threadIdx.x;
    words[threadIdx.x] = 0;
    cluster_arrive();
    cluster_wait();
    long long begin = clock64();
    if (blockIdx.x == 0) {
        if (what == LOAD)
            value = *word;
        else if (what == STORE_AND_FENCE)
            *word = 1;
        else
            value = atomicAdd((unsigned *)word, 1u);
        if (what == STORE_AND_FENCE)
            __threadfence();
        out[0] = clock64() - begin + (value == 12345);
    } else if (!own && what != LOAD && threadIdx.x == 0) {
        while (!*(volatile unsigned *)words) {
        }
        out[1] = clock64() - begin;
    }
    cluster_arrive();
    cluster_wait();
}

static long long time_of_access(const machine_description &d, action what, bool own, unsigned threads = 1)
{
    machine_install(&d);
    cudaMalloc((void **)&results, 2 * sizeof *results);
    launch_shape shape = {2, threads, threads * sizeof(unsigned), false, false};
    shape.cluster = 2;
    launch(access_other, shape, (cudaStream_t) nullptr, results, what, own);
    ends = cudaDeviceSynchronize() == cudaSuccess && ends;
    return results[0];
}

static void check_memory()
{
    machine_description d = machine_with_clusters();
    d.shared_latency = SHARED;
    d.cluster_load_latency = OTHER;
    long long own = time_of_access(d, LOAD, true), other = time_of_access(d, LOAD, false);
    check(other == own + OTHER - SHARED, "a load from another block takes its own latency (%lld, %lld)",
          other, own);
    long long store = time_of_access(d, STORE_AND_FENCE, false), seen = results[1];
    check(seen > WAY && seen < WAY + 2 * SHARED, "a store is seen after one way and a poll (%lld)", seen);
    check(store >= OTHER && store < OTHER + SHARED, "a fence waits for the way there and back (%lld)", store);
    d.fence_store_latency = 50;
    check(time_of_access(d, STORE_AND_FENCE, false) == store,
          "and not longer, as it does after a store to global memory (%lld)", results[0]);
    d.fence_store_latency = 0;
    long long add = time_of_access(d, ADD, false) - time_of_access(d, ADD, true);
    check(add == 2 * WAY, "an atomic takes both ways longer than in the block's own memory (%lld)", add);
    time_of_access(d, ADD, false);
    check(results[1] > WAY && results[1] < WAY + 2 * SHARED, "it takes effect after one way (%lld)",
          results[1]);
    d.cluster_groups_per_1000_units = 100;
    long long lines = time_of_access(d, LOAD, false, 128) - time_of_access(d, LOAD, false, 32);
    check(lines >= 28 && lines <= 32, "each of three more lines takes ten time units (%lld)", lines);
    check(time_of_access(d, LOAD, true, 128) - time_of_access(d, LOAD, true, 32) < 10,
          "but not lines of the block's own memory");
    d.cluster_load_latency = 0;
    check(time_of_access(d, LOAD, false) == own + 100 - SHARED,
          "without a latency of its own, such memory is as near as global memory");
}

/* ---- places ---- */

/* Loads words of one bank, which keeps the shared memory busy, and measures how long that takes. */
__global__ void busy(long long *out)
{
    volatile unsigned *words = dynamic_shared<unsigned>();
    long long begin = clock64();
    unsigned sum = 0;
    UNROLL(1)
    for (unsigned i = 0; i < 16; i++)
        sum += words[threadIdx.x * 32];
    if (threadIdx.x == 0)
        out[blockIdx.x] = clock64() - begin + (sum == 12345);
}

static void check_places()
{
    machine_description d = machine_with_clusters();
    machine_install(&d);
    cudaMalloc((void **)&results, 4 * sizeof *results);
    long long times[2];
    for (unsigned clusters = 1; clusters <= 2; clusters++) {
        launch_shape shape = {2 * clusters, 32, 32 * 32 * sizeof(unsigned), false, false};
        shape.cluster = 2;
        launch(busy, shape, (cudaStream_t) nullptr, results);
        ends = cudaDeviceSynchronize() == cudaSuccess && ends;
        times[clusters - 1] = results[0];
    }
    check(times[0] > 16 * 32, "loads from one bank take turns (%lld)", times[0]);
    check(times[0] == times[1],
          "two clusters take no multiprocessor twice while others are free (%lld, %lld)", times[0], times[1]);
    cudaFree(results);
}

int main()
{
    check_times();
    check_places();
    check_memory();
    check_split();
    check_late();
    check(ends, "no kernel ends in a deadlock");
    return checks_done();
}
