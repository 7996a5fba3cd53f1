/*
 * How long does a user's step kernel take under every barrier? The user's header has a type with these
 * members (examples/my_step.cuh is one, and is measured if no other is named):
 *
 *     static constexpr int THREADS;                 threads in a block
 *     int steps = 20;                               number of steps; its initial value is what is measured
 *     __device__ void operator()(int step);         does a step; reads what steps before it have written
 *     void create(int blocks);                      allocates what a grid of so many blocks needs
 *     void reset();                                 sets all memory to what it is before the first step
 *     const void *result(size_t *bytes);            device memory with the results, and how many bytes it has
 *     void destroy();                               frees what create() has allocated
 *
 * The object is copied to the device for each launch, so that it must be trivially copyable. The results must
 * have the same bytes under every method as under launches with a wait after each step. Runs that are timed
 * follow each other without a reset().
 *
 * scripts/gpusync-bench compiles this file with the user's header and starts the program.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"
#include "harness/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <type_traits>
#include <utility>

#ifndef GPUSYNC_BENCH_STEP
#define GPUSYNC_BENCH_STEP_HEADER "examples/my_step.cuh"
#define GPUSYNC_BENCH_STEP MyStep
#endif
/* if a header has both a barrier and a step, it is included with the barrier */
#ifdef GPUSYNC_BENCH_STEP_HEADER
#include GPUSYNC_BENCH_STEP_HEADER
#endif

using OwnStep = GPUSYNC_BENCH_STEP;

template <class Step>
concept has_threads = requires
{
    std::integral_constant<int, Step::THREADS>();
};
template <class Step>
concept has_steps = requires(Step s)
{
    s.steps = 1;
};
template <class Step>
concept has_call = requires(Step s)
{
    s(1);
};
template <class Step>
concept has_create = requires(Step s)
{
    s.create(1);
};
template <class Step>
concept has_reset = requires(Step s)
{
    s.reset();
};
template <class Step>
concept has_result = requires(Step s, size_t *bytes, const void *result)
{
    result = s.result(bytes);
};
template <class Step>
concept has_destroy = requires(Step s)
{
    s.destroy();
};
#define TEXT_OF(...) #__VA_ARGS__
#define NAME_OF(...) TEXT_OF(__VA_ARGS__)
#define NEEDS(concept_, member)                                                                              \
    static_assert(concept_<OwnStep>, NAME_OF(GPUSYNC_BENCH_STEP) " is no step: it lacks " member)
NEEDS(has_threads, "static constexpr int THREADS");
NEEDS(has_steps, "int steps");
NEEDS(has_call, "__device__ void operator()(int step)");
NEEDS(has_create, "void create(int blocks)");
NEEDS(has_reset, "void reset()");
NEEDS(has_result, "const void *result(size_t *bytes)");
NEEDS(has_destroy, "void destroy()");
static_assert(std::is_trivially_copyable_v<OwnStep>,
              NAME_OF(GPUSYNC_BENCH_STEP) " is no step: it cannot be copied to the device byte by byte");

static struct {
    OwnStep step;
    int steps;
    step_bench<OwnStep> loop;
} bench;

static unsigned threads_of_step(long long)
{
    return OwnStep::THREADS;
}

static void reset(void)
{
    bench.step.reset();
    /* the stream of the launches does not wait for copies in the null stream */
    CHECK(cudaDeviceSynchronize());
}

static void prepare(const struct point *p)
{
    bench.step = OwnStep();
    bench.step.steps = bench.steps = (int)p->size;
    bench.step.create((int)p->blocks);
    CHECK(cudaGetLastError());
    reset();
    bench.loop.prepare(p, bench.step, bench.steps);
}

static void run(const struct point *)
{
    steps_run(bench.loop.plan);
}

static void release(void)
{
    bench.loop.release();
    bench.step.destroy();
}

/* Returns a copy of the results after all steps from the beginning. */
static unsigned char *results_under(const steps_plan<OwnStep> &plan, size_t *bytes)
{
    reset();
    steps_run(plan);
    wait_for_device();
    const void *results = bench.step.result(bytes);
    if (!results || !*bytes)
        fail(EXIT_BAD_INPUT, "%s::result() names no memory", NAME_OF(GPUSYNC_BENCH_STEP));
    unsigned char *copy = (unsigned char *)allocate(*bytes);
    CHECK(cudaMemcpy(copy, results, *bytes, cudaMemcpyDeviceToHost));
    return copy;
}

/* Compares the results with the results of launching each step and waiting for its end, which needs no
 * barrier. */
static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    steps_plan<OwnStep> waiting =
        steps_prepare(SYNC_CPU_EXPLICIT, bench.step, bench.steps, shape, bench.loop.memory);
    size_t bytes, expected_bytes;
    unsigned char *results = results_under(bench.loop.plan, &bytes);
    unsigned char *expected = results_under(waiting, &expected_bytes);
    if (bytes != expected_bytes)
        fail(EXIT_BAD_INPUT, "%s::result() names %zu bytes, then %zu", NAME_OF(GPUSYNC_BENCH_STEP), bytes,
             expected_bytes);
    for (size_t i = 0; i < bytes; i++)
        verdict.wrong += results[i] != expected[i];
    verdict.compared = bytes;
    verdict.correct = verdict.wrong == 0;
    steps_release(&waiting);
    free(results);
    free(expected);
    return verdict;
}

static double operations(const struct point *)
{
    return bench.steps;
}

static int resident_blocks(const struct variant *v, unsigned threads, long long size, int sm_count)
{
    return step_resident_blocks<OwnStep>(v, threads, size, sm_count);
}

int main(int argc, char **argv)
{
    static char steps[16];
    OwnStep standard = OwnStep();
    if (standard.steps < 1)
        fail(EXIT_BAD_INPUT, "%s::steps needs an initial value from 1 on", NAME_OF(GPUSYNC_BENCH_STEP));
    snprintf(steps, sizeof steps, "%d", standard.steps);
    struct experiment e = {
        .name = "own-step",
        .question = "what does a step kernel of one's own take under every barrier?",
        .any_warp_size = true,
        .size_means = "steps",
        .gpu_sizes = steps,
        .machine_sizes = steps,
        .launches = {.resident_blocks = resident_blocks, .threads_of = threads_of_step},
    };
    make_step_experiment(&e, NULL, 0);
    e.family = FAMILY_OTHER; /* own steps have a table and a figure of their own */
    e.left_out = NULL;
    return run_experiment(argc, argv, e);
}
