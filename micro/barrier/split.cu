/*
 * How much independent work does a grid barrier hide? In each round, a thread writes a word that a thread of
 * another block reads in the next round, and does work that needs no data of others: between arrive and wait
 * of a split barrier, or before a joined one. The work is a chain of dependent loads from shared memory,
 * --size loads long.
 *
 *     build/gpu/micro-split --size 1,10,20,40 --variant counter,counter-split,courier-split
 */
#include "base/memory.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/device.h"
#include "harness/memory.h"
#include "harness/timer.h"
#include "sync/courier.cuh"
#include "sync/grid_sync.cuh"

#include <stdlib.h>

static const unsigned LINKS = 32; /* number of words of the pointer ring in shared memory */

#define STANDARD_ROUNDS MACHINE_OR_GPU("10", "1000")

/* The words that threads leave for threads of other blocks. If `checks` is set, the run is not timed and the
 * threads check the words that they find. */
struct Board {
    unsigned *words, *errors, *out;
    unsigned rounds, work;
    bool checks;

    __device__ unsigned *of_round(unsigned r, unsigned workers) const
    {
        return words + (r & 1) * blocks_in_grid() * workers;
    }
    __device__ void leave(unsigned r, unsigned workers) const
    {
        of_round(r, workers)[block_in_grid() * workers + thread_in_block()] = r + 1;
    }
    __device__ void find(unsigned r, unsigned workers) const
    {
        if (!checks)
            return;
        unsigned block = (block_in_grid() + 1 + r * 7919u) % blocks_in_grid();
        unsigned thread = (thread_in_block() + r * 31u) % workers;
        if (of_round(r, workers)[block * workers + thread] != r + 1)
            atomicAdd(errors, 1u);
    }
};

/* Does the independent work: follows `links` pointers of the ring from position `at` and returns the last
 * position. The caller stores it, so that the compiler keeps the loop. */
static __device__ __forceinline__ unsigned chase(const volatile unsigned *ring, unsigned links, unsigned at)
{
    for (unsigned i = 0; i < links; i++)
        at = ring[at];
    return at;
}

static __device__ __forceinline__ volatile unsigned *make_ring()
{
    unsigned *ring = dynamic_shared<unsigned>();
    for (unsigned i = thread_in_block(); i < LINKS; i += threads_in_block())
        ring[i] = (i + 1) % LINKS;
    __syncthreads();
    return ring;
}

/* The rounds with a barrier that is not split: in each round every thread does its work, and then executes
 * the whole barrier. */
template <class Barrier>
struct Joined {
    static __device__ void rounds(Board board, gpusync_grid_barrier memory)
    {
        volatile unsigned *ring = make_ring();
        unsigned workers = threads_in_block(), at = 0;
        Barrier barrier;
        barrier.begin(memory);
        for (unsigned r = 0; r < board.rounds; r++) {
            board.leave(r, workers);
            at = chase(ring, board.work, at);
            barrier.sync();
            board.find(r, workers);
        }
        barrier.end();
        board.out[block_in_grid() * workers + thread_in_block()] = at;
    }
};

/* The rounds with a split barrier: every thread arrives, works, and waits. */
template <class Barrier>
struct Halves {
    static __device__ void rounds(Board board, gpusync_grid_barrier memory)
    {
        volatile unsigned *ring = make_ring();
        unsigned workers = threads_in_block(), at = 0;
        Barrier barrier;
        barrier.begin(memory);
        for (unsigned r = 0; r < board.rounds; r++) {
            board.leave(r, workers);
            barrier.arrive();
            at = chase(ring, board.work, at);
            barrier.wait();
            board.find(r, workers);
        }
        barrier.end();
        board.out[block_in_grid() * workers + thread_in_block()] = at;
    }
};

/* Executes the rounds with a split barrier. Each block has one more warp than in the other kernels: the
 * courier, which carries out the barrier for the block. */
struct Carried {
    static __device__ void rounds(Board board, gpusync_grid_barrier memory)
    {
        volatile unsigned *ring = make_ring();
        unsigned workers = threads_in_block() - 32, at = 0;
        Courier barrier;
        barrier.begin(memory);
        if (barrier.is_courier()) {
            for (unsigned r = 0; r < board.rounds; r++)
                barrier.carry();
        } else {
            for (unsigned r = 0; r < board.rounds; r++) {
                board.leave(r, workers);
                barrier.arrive();
                at = chase(ring, board.work, at);
                barrier.wait();
                board.find(r, workers);
            }
            board.out[block_in_grid() * workers + thread_in_block()] = at;
        }
        barrier.end();
    }
};

/* A barrier that synchronizes only the block. It measures the work alone, and its results are wrong. */
struct Alone {
    __device__ void begin(gpusync_grid_barrier) {}
    __device__ void sync() { __syncthreads(); }
    __device__ void end() {}
};

template <class Way>
__global__ void run_rounds(Board board, gpusync_grid_barrier memory)
{
    Way::rounds(board, memory);
}

enum { NONE, COUNTER, COUNTER_SPLIT, COURIER_SPLIT, GRID_SYNC, GRID_SYNC_SPLIT };

static const struct variant ways[] = {
    VARIANT(NONE, "none", "the work and __syncthreads alone, and wrong results"),
    VARIANT(COUNTER, "counter", "work, then the whole barrier", .ordered = true, .resident = true,
            .capability = 70),
    VARIANT(COUNTER_SPLIT, "counter-split", "arrive, work, wait", .ordered = true, .resident = true,
            .capability = 70),
    VARIANT(COURIER_SPLIT, "courier-split", "arrive, work, wait; an additional warp executes the barrier",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(GRID_SYNC, "grid-sync", "work, then grid.sync() of cooperative groups", .ordered = true,
            .resident = true, .capability = 60),
    VARIANT(GRID_SYNC_SPLIT, "grid-sync-split", "barrier_arrive, work, barrier_wait", .ordered = true,
            .resident = true, .capability = 60),
};

static int rounds; /* value of --rounds */

static struct {
    Board board;
    gpusync_grid_barrier memory;
} bench;

/* Calls `call` with an object of the type that contains this variant's kernel. */
template <class Call>
static void with_way(int id, Call call)
{
    switch (id) {
    case COUNTER:
        return call(Joined<Counter>());
    case COUNTER_SPLIT:
        return call(Halves<Counter>());
    case COURIER_SPLIT:
        return call(Carried());
    case GRID_SYNC:
        return call(Joined<GridSync>());
    case GRID_SYNC_SPLIT:
        return call(Halves<GridSync>());
    default:
        return call(Joined<Alone>());
    }
}

static void enqueue(const struct point *p, bool checks)
{
    bool cooperative = p->variant->id == GRID_SYNC || p->variant->id == GRID_SYNC_SPLIT;
    unsigned threads = p->threads + (p->variant->id == COURIER_SPLIT ? 32 : 0);
    launch_shape shape = {p->blocks, threads, LINKS * sizeof(unsigned), cooperative, false};
    Board board = bench.board;
    board.checks = checks;
    with_way(p->variant->id, [&](auto way) {
        CHECK(launch(run_rounds<decltype(way)>, shape, harness_stream(), board, bench.memory));
    });
}

static void prepare(const struct point *p)
{
    size_t words = (size_t)p->blocks * p->threads;
    bench.board.rounds = (unsigned)rounds;
    bench.board.work = (unsigned)p->size;
    allocate_on_device(bench.board.words, 2 * words * sizeof(unsigned));
    allocate_on_device(bench.board.errors, sizeof(unsigned));
    allocate_on_device(bench.board.out, words * sizeof(unsigned));
    CHECK(gpusync_grid_barrier_create(&bench.memory, p->blocks));
}

static void release(void)
{
    CHECK(cudaFree(bench.board.words));
    CHECK(cudaFree(bench.board.errors));
    CHECK(cudaFree(bench.board.out));
    CHECK(gpusync_grid_barrier_destroy(&bench.memory));
}

static void run(const struct point *p)
{
    enqueue(p, false);
}

/* Checks that every thread has done all its work. In a run with checks, no thread may find a word that is
 * missing or old. */
static struct verdict check(const struct point *p)
{
    size_t words = (size_t)p->blocks * p->threads;
    struct verdict verdict = {true, 0, words * (size_t)rounds};
    unsigned *out = (unsigned *)allocate(words * sizeof *out), errors = 0;
    CHECK(cudaMemset(bench.board.words, 0, 2 * words * sizeof(unsigned)));
    CHECK(cudaMemset(bench.board.errors, 0, sizeof errors));
    CHECK(cudaMemset(bench.board.out, 0xff, words * sizeof *out));
    enqueue(p, true);
    wait_for_device();
    CHECK(cudaMemcpy(out, bench.board.out, words * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&errors, bench.board.errors, sizeof errors, cudaMemcpyDeviceToHost));
    verdict.wrong = errors;
    for (size_t i = 0; i < words; i++)
        verdict.wrong += out[i] != (unsigned)(p->size * rounds % LINKS);
    verdict.correct = verdict.wrong == 0;
    free(out);
    return verdict;
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    int per_sm = 0;
    with_way(variant->id, [&](auto way) {
        per_sm = resident_blocks_per_sm(run_rounds<decltype(way)>, threads + 32, LINKS * sizeof(unsigned));
    });
    return per_sm * sm_count;
}

static double operations(const struct point *)
{
    return rounds;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("rounds", 1, 1000000, STANDARD_ROUNDS, &rounds, "barriers in one run"), {}};
    struct experiment e = {
        .name = "micro-split",
        .question = "how much independent work does a grid barrier hide?",
        .variants = ways,
        .variant_count = sizeof ways / sizeof *ways,
        .options = options,
        .size_means = "links of the chain of work in a round",
        .gpu_sizes = "1,5,10,15,20,25,30,40,50,70,100",
        .machine_sizes = "1,10,20,40,80",
        .gpu_runs = 3,
        .launches = {.threads = "256",
                     .sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks},
    };
    return run_experiment(argc, argv, e);
}
