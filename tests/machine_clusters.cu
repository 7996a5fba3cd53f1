/* Tests the times of a cluster's barrier, and of accesses of the other block's shared memory, on the memory
 * machine. */
#include "harness/async.cuh"
#include "sync/convergence.cuh"
#include "tests/machine_of_card.cuh"

#include <cooperative_groups.h>

using namespace gpusync;

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

static launch_shape clusters(unsigned size, unsigned threads, unsigned count = 1)
{
    launch_shape shape = {size * count, threads, 32 * 32 * sizeof(unsigned)};
    shape.cluster = size;
    return shape;
}

/* ---- barriers ---- */

/* Arrives at a cluster's barrier without a fence, computes for `work` time units, and waits. The acquire of
 * cluster_wait() takes no time here. */
static __device__ __forceinline__ void meet(unsigned work)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
    dependent_instructions((int)work);
    cluster_wait();
}

static long long time_of_rounds(unsigned blocks, unsigned threads, unsigned work, unsigned rounds)
{
    return time_in(clusters(blocks, threads), [=] __device__(unsigned *, long long *t) {
        long long begin = clock64();
        UNROLL(1)
        for (unsigned i = 0; i < rounds; i++)
            meet(work);
        if (block_in_grid() + thread_in_block() == 0)
            t[0] = clock64() - begin;
    });
}

static long long time_of_round(const machine_description &d, unsigned blocks, unsigned threads, unsigned work)
{
    install(d);
    long long one = time_of_rounds(blocks, threads, work, 1);
    return (time_of_rounds(blocks, threads, work, ROUNDS + 1) - one) / ROUNDS;
}

static void check_times()
{
    machine_description d = machine_with_clusters();
    const long long two = time_of_round(d, 2, 32, 0), longer = time_of_round(d, 2, 32, LATENCY);
    within(two, LATENCY, LATENCY + 19, "a barrier takes its latency and a few instructions");
    equals(time_of_round(d, 4, 32, 0), two, "a barrier of four blocks takes as long as one of two");
    equals(time_of_round(d, 2, 160, 0), two + 4 * ARRIVAL, "each further warp of a block delays the barrier");
    equals(time_of_round(d, 2, 32, LATENCY / 8), two, "work that takes less than the barrier costs nothing");
    within(time_of_round(d, 2, 32, 2 * LATENCY) - longer, LATENCY / 2 + 1, 2 * LATENCY,
           "work that takes longer than the barrier costs its time");
    d.cluster_barrier_latency += 30;
    d.cluster_barrier_latency_of_32 += 30;
    equals(time_of_round(d, 2, 32, 0), two + 30, "a barrier takes as much longer as its latency is");
    d.cluster_barrier_latency = d.cluster_barrier_latency_of_32 = 0;
    equals(time_of_round(d, 2, 32, 0), two + 100 - LATENCY,
           "without a latency of its own, a barrier takes one of global memory");
}

/* Block 1 computes for 1000 time units before it arrives, or exits then. Block b notes in times[2 * b] when
 * it arrives or exits, and in the next word when it goes on. */
static void run_late_block(bool exits)
{
    install(machine_with_clusters());
    CHECK(run(clusters(2, 32), [=] __device__(unsigned *, long long *t) {
        if (blockIdx.x == 1)
            dependent_instructions(1000);
        t[2 * blockIdx.x] = clock64();
        if (exits && blockIdx.x == 1)
            return;
        meet(0);
        t[2 * blockIdx.x + 1] = clock64();
    }));
}

static void check_late()
{
    run_late_block(false);
    within(times[2] - times[0], 901, 1100, "a block computes for long before it arrives");
    within(times[1] - times[3], -2, 2, "both blocks go on at the same time");
    within(times[1] - times[2], LATENCY, LATENCY + 19,
           "the barrier opens its latency after the last arrival");
    run_late_block(true);
    within(times[1] - times[2], LATENCY, 2 * LATENCY - 1,
           "a barrier opens when the last missing block exits");
}

/* ---- shared memory of the other block ---- */

static const int SHARED = 20, OTHER = 120, WAY = (OTHER - SHARED) / 2;

enum action { LOAD, STORE_AND_FENCE, ADD };

/* Each thread of block 0 accesses a word of block 1 or, if `own`, of its own block, and measures how long
 * that takes. The words of two threads are `stride` words apart. Block 1 polls its first word until block 0
 * has changed it, and notes in times[1] when it sees that. */
static long long time_of_access(const machine_description &d, action what, bool own, unsigned threads = 1,
                                unsigned stride = 1)
{
    install(d);
    return time_in(clusters(2, threads), [=] __device__(unsigned *, long long *t) {
        unsigned *mine = dynamic_shared<unsigned>(), value = 0, rank = own ? 0 : 1;
        volatile unsigned *word =
            cooperative_groups::this_cluster().map_shared_rank(mine, rank) + threadIdx.x * stride;
        mine[threadIdx.x * stride] = 0;
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
            t[0] = clock64() - begin + (value == 12345);
        } else if (!own && what != LOAD && threadIdx.x == 0) {
            while (!*(volatile unsigned *)mine) {
            }
            t[1] = clock64() - begin;
        }
        cluster_arrive();
        cluster_wait();
    });
}

static void check_memory()
{
    machine_description d = machine_with_clusters();
    d.shared_latency = SHARED;
    d.cluster_load_latency = OTHER;
    const long long own = time_of_access(d, LOAD, true), store = time_of_access(d, STORE_AND_FENCE, false);
    within(times[1], WAY + 1, WAY + 2 * SHARED - 1, "a store is seen after one way and a poll");
    within(store, OTHER, OTHER + SHARED - 1, "a fence waits for the way there and back");
    equals(time_of_access(d, LOAD, false), own + OTHER - SHARED,
           "a load from another block has its own latency");
    d.fence_store_latency = 50;
    equals(time_of_access(d, STORE_AND_FENCE, false), store,
           "a fence waits not longer, as it does after a store to global memory");
    d.fence_store_latency = 0;
    const long long add = time_of_access(d, ADD, true);
    const long long add_away = time_of_access(d, ADD, false);
    equals(add_away, add + 2 * WAY, "an atomic takes both ways longer than in the own memory");
    within(times[1], WAY + 1, WAY + 2 * SHARED - 1, "it takes effect after one way");
    d.cluster_groups_per_1000_units = 100;
    within(time_of_access(d, LOAD, false, 128) - time_of_access(d, LOAD, false, 32), 28, 32,
           "each line of three more warps takes ten time units");
    for (action what : {LOAD, STORE_AND_FENCE, ADD})
        for (unsigned stride : {1u, 2u, 3u, 8u, 31u, 32u}) {
            bool has[32] = {false}; /* does the request have a word of the line? */
            int lines = 0;
            for (unsigned i = 0; i < 32; i++) {
                lines += !has[i * stride / 32];
                has[i * stride / 32] = true;
            }
            /* an atomic takes its turns in the other memory, where a load and a store are done meanwhile */
            long long more = time_of_access(d, what, false, 32, stride) -
                             (what == ADD ? time_of_access(d, ADD, true, 32, stride) - add + add_away
                                          : time_of_access(d, what, false, 32, 0));
            check(more == 10 * (lines - 1), "each further line of action %d takes ten time units (%d, %lld)",
                  what, lines, more);
        }
    within(time_of_access(d, LOAD, true, 128) - time_of_access(d, LOAD, true, 32), 0, 9,
           "but not lines of the block's own memory");
    d.cluster_load_latency = 0;
    equals(time_of_access(d, LOAD, false), own + 100 - SHARED,
           "without a latency of its own, such memory is as near as global memory");
}

/* ---- places ---- */

/* Loads words of one bank, which keeps the shared memory busy, and measures how long that takes. */
static long long time_of_busy(unsigned count)
{
    install(machine_with_clusters());
    return time_in(clusters(2, 32, count), [] __device__(unsigned *, long long *t) {
        volatile unsigned *mine = dynamic_shared<unsigned>();
        long long begin = clock64();
        unsigned sum = 0;
        UNROLL(1)
        for (unsigned i = 0; i < 16; i++)
            sum += mine[threadIdx.x * 32];
        if (threadIdx.x == 0)
            t[blockIdx.x] = clock64() - begin + (sum == 12345);
    });
}

int main()
{
    check_times();
    check_late();
    check_memory();
    within(time_of_busy(1), 16 * 32 + 1, 5 * 16 * 32, "loads from one bank take turns");
    equals(time_of_busy(2), time_of_busy(1),
           "two clusters take no multiprocessor twice while others are free");
    return checks_done();
}
