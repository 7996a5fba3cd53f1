/*
 * What does a solver gain if its own work hides the barrier, or if only neighbours synchronize? The program
 * runs Jacobi's iteration of a square plate: a block owns a band of rows, and its neighbours read the first
 * and the last row. The joined forms compute a band and then synchronize. The split forms compute the band's
 * two edge rows, arrive, compute the rows between, which need no data of other blocks, and wait.
 *
 *     build/gpu/micro-stencil --size 264,1056 --variant counter,counter-split,courier-split,neighbours
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"
#include "micro/barrier/plate.h"
#include "sync/neighbours.cuh"

#include <stdlib.h>
#include <string.h>

#define STANDARD_STEPS MACHINE_OR_GPU("4", "200")
/* number of threads of a block; on a GPU it leaves room for the courier's warp */
#define STANDARD_THREADS MACHINE_OR_GPU("128", "992")

/* Computes a step of Jacobi's iteration in this block's band of rows. The plate is in `even` before a step
 * with an even number, otherwise in `odd`. */
struct JacobiStep {
    static const int AT_ONCE = 4;
    float *even, *odd;
    int side;

    __device__ int inner_rows() const { return side - 2; }
    /* Returns the number of bands. Every band has at least one row; if there are more blocks than rows, some
     * blocks have no band. */
    __device__ int bands() const
    {
        return (int)blocks_in_grid() < inner_rows() ? (int)blocks_in_grid() : inner_rows();
    }
    __device__ int begin_of(int band) const
    {
        return 1 + (int)((long long)(band < bands() ? band : bands()) * inner_rows() / bands());
    }
    __device__ int first() const { return begin_of((int)block_in_grid()); }
    __device__ int end() const { return begin_of((int)block_in_grid() + 1); }

    __device__ const float *from(int s) const { return s % 2 ? odd : even; }
    __device__ float *to(int s) const { return s % 2 ? even : odd; }

    __device__ float relaxed(const float *at) const
    {
        return 0.25f * (at[-1] + at[1] + at[-side] + at[side]);
    }
    /* Computes `count` rows (at most AT_ONCE), at a distance of `apart` rows, with the first `workers`
     * threads of the block. A thread does the loads of all rows before its first store, because loads are not
     * moved to before a store. */
    __device__ void strip(int s, int y, int count, int apart, int workers) const
    {
        for (int x = 1 + (int)thread_in_block(); x < side - 1; x += workers) {
            int at = y * side + x;
            float results[AT_ONCE];
            for (int k = 0; k < AT_ONCE; k++)
                results[k] = k < count ? relaxed(from(s) + at + k * apart * side) : 0;
            for (int k = 0; k < AT_ONCE; k++)
                if (k < count)
                    to(s)[at + k * apart * side] = results[k];
        }
    }
    __device__ void rows(int s, int y, int end_row, int workers) const
    {
        for (; y < end_row; y += AT_ONCE)
            strip(s, y, end_row - y, 1, workers);
    }

    /* `edges` computes the first and the last row of the band, for which the neighbours wait, and `between`
     * the rows between them. */
    __device__ void edges(int s, int workers) const
    {
        int count = end() - first() < 2 ? end() - first() : 2;
        strip(s, first(), count, end() - 1 - first(), workers);
    }
    __device__ void between(int s, int workers) const { rows(s, first() + 1, end() - 1, workers); }
    __device__ void operator()(int s) { rows(s, first(), end(), (int)threads_in_block()); }
};

/* Executes all steps with a split barrier: in each step, every thread arrives, works, and waits. */
template <class Barrier>
__global__ void split_loop(JacobiStep step, int steps, gpusync_grid_barrier memory)
{
    int workers = (int)threads_in_block();
    Barrier barrier;
    barrier.begin(memory);
    for (int s = 0; s < steps; s++) {
        step.edges(s, workers);
        barrier.arrive();
        step.between(s, workers);
        barrier.wait();
    }
    barrier.end();
}

/* Executes all steps with a split barrier for whose arrivals one additional warp, the courier, waits instead
 * of the block. */
__global__ void carried_loop(JacobiStep step, int steps, gpusync_grid_barrier memory)
{
    int workers = (int)threads_in_block() - 32;
    Courier barrier;
    barrier.begin(memory);
    if (barrier.is_courier()) {
        for (int s = 0; s < steps; s++)
            barrier.carry();
    } else {
        for (int s = 0; s < steps; s++) {
            step.edges(s, workers);
            barrier.arrive();
            step.between(s, workers);
            barrier.wait();
        }
    }
    barrier.end();
}

/* The variants that are not methods of sync/: their ids follow the methods' ids. */
enum { COUNTER_SPLIT = SYNC_METHODS, COURIER_SPLIT, NEIGHBOURS, NEIGHBOURS_SPLIT };
static const struct variant others[] = {
    VARIANT(COUNTER_SPLIT, "counter-split", "edge rows, arrive, rows between, wait", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(COURIER_SPLIT, "courier-split", "as counter-split; an additional warp executes the barrier",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(NEIGHBOURS, "neighbours", "each block waits only for the two blocks beside it", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(NEIGHBOURS_SPLIT, "neighbours-split",
            "as neighbours; edge rows first, rows between while it waits", .ordered = true, .resident = true,
            .capability = 70),
};

static int steps; /* value of --steps */

static struct {
    step_bench<JacobiStep> loop;
    JacobiStep step;
    float *plate, *expected;
} bench;

static size_t plate_bytes(void)
{
    return (size_t)bench.step.side * (size_t)bench.step.side * sizeof(float);
}

static long long open_problem(const char *, long long size, unsigned long long seed)
{
    if (size < 3 || size > 30000)
        fail(EXIT_BAD_INPUT, "size %lld: a plate has from 3 to 30000 cells a side", size);
    bench.step.side = (int)size;
    bench.plate = (float *)allocate(plate_bytes());
    plate_fill(bench.plate, (int)size, seed);
    return size;
}

static void close_problem(void)
{
    free(bench.plate);
    free(bench.expected);
    bench = {};
}

static void reference(void)
{
    float *from = (float *)allocate(plate_bytes()), *to = (float *)allocate(plate_bytes());
    memcpy(from, bench.plate, plate_bytes());
    bench.expected = plate_iterate(from, to, bench.step.side, steps);
    free(bench.expected == from ? to : from);
}

/* kernel_of returns the kernel of a variant that is not a method of sync/, or NULL; threads_of returns the
 * number of threads of its blocks. */
typedef void (*stencil_kernel)(JacobiStep, int, gpusync_grid_barrier);
static stencil_kernel kernel_of(int id)
{
    switch (id) {
    case COUNTER_SPLIT:
        return split_loop<Counter>;
    case COURIER_SPLIT:
        return carried_loop;
    case NEIGHBOURS:
        return step_loop<Neighbours, JacobiStep>;
    case NEIGHBOURS_SPLIT:
        return split_loop<Neighbours>;
    default:
        return NULL;
    }
}
static unsigned threads_of(const struct variant *variant, unsigned threads)
{
    return threads + (variant->id == COURIER_SPLIT ? 32 : 0);
}

static void prepare(const struct point *p)
{
    allocate_on_device(bench.step.even, plate_bytes());
    allocate_on_device(bench.step.odd, plate_bytes());
    CHECK(cudaMemcpy(bench.step.even, bench.plate, plate_bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bench.step.odd, bench.plate, plate_bytes(), cudaMemcpyHostToDevice));
    if (p->variant->id < SYNC_METHODS)
        bench.loop.prepare(p, bench.step, steps);
    else
        CHECK(gpusync_grid_barrier_create(&bench.loop.memory, p->blocks));
}

static void release(void)
{
    bench.loop.release();
    CHECK(cudaFree(bench.step.even));
    CHECK(cudaFree(bench.step.odd));
}

static void run(const struct point *p)
{
    if (p->variant->id < SYNC_METHODS)
        return steps_run(bench.loop.plan);
    launch_shape shape = {p->blocks, threads_of(p->variant, p->threads), 0, false, false};
    CHECK(launch(kernel_of(p->variant->id), shape, harness_stream(), bench.step, steps, bench.loop.memory));
}

/* Checks that every cell equals the reference to the bit: both sides add in the same order, and a quarter is
 * exact. */
static struct verdict check(const struct point *)
{
    size_t cells = plate_bytes() / sizeof(float);
    struct verdict verdict = {true, 0, cells};
    float *found = (float *)allocate(plate_bytes());
    CHECK(cudaMemcpy(found, steps % 2 ? bench.step.odd : bench.step.even, plate_bytes(),
                     cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < cells; i++)
        verdict.wrong += found[i] != bench.expected[i];
    verdict.correct = verdict.wrong == 0;
    free(found);
    return verdict;
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long size, int sm_count)
{
    if (variant->id < SYNC_METHODS)
        return step_resident_blocks<JacobiStep>(variant, threads, size, sm_count);
    return sm_count * resident_blocks_per_sm(kernel_of(variant->id), threads_of(variant, threads), 0);
}

static double operations(const struct point *)
{
    return steps;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("steps", 1, 1000000, STANDARD_STEPS, &steps, "iterations of one run"), {}};
    struct experiment e = {};
    make_step_experiment(&e, others, sizeof others / sizeof *others);
    e.name = "micro-stencil";
    e.question =
        "what does a stencil gain from a barrier that hides behind its work, or is among neighbours?";
    e.family = FAMILY_MICRO;
    e.default_variants =
        "cpu-implicit,cpu-graph,cpu-graph-pdl,none,grid-sync,counter,counter-split,courier-split,"
        "neighbours,neighbours-split";
    e.options = options;
    e.size_means = "cells in a side of the plate";
    e.gpu_sizes = "134,266,530,1058,2114";
    e.machine_sizes = "32,62,92";
    e.launches.threads = STANDARD_THREADS;
    e.launches.sweep = SWEEP_ALL_MULTIPROCESSORS;
    e.launches.resident_blocks = resident_blocks;
    e.problem.open = open_problem;
    e.problem.is_generated = true;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    return run_experiment(argc, argv, e);
}
