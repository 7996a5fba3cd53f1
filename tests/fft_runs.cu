/*
 * Tests that a run of the FFT with few barriers never uses values that the previous run left in memory:
 * several runs, with different inputs, must each give the sequential transform of their own input. The test
 * covers the kernels with a barrier and without, and tiles that are fetched in advance, which the benchmark
 * has only in shapes that would take the memory machine hours.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "fft/reference.h"
#include "fft/three_passes.cuh"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/options.h"
#include "harness/step_bench.cuh"
#include "harness/timer.h"
#include "tests/check.h"

#include <stdlib.h>

enum { RUNS = 4 };

static few_arrays make_arrays(size_t bytes, unsigned blocks)
{
    float2 *input;
    few_arrays a = {};
    allocate_on_device(input, bytes);
    a.input = input;
    allocate_on_device(a.between, bytes);
    allocate_on_device(a.output, bytes);
    allocate_on_device(a.parity, blocks * sizeof *a.parity);
    CHECK(cudaMemset(a.between, 0xff, bytes));
    CHECK(cudaMemset(a.parity, 0, blocks * sizeof *a.parity));
    return a;
}

static void free_arrays(few_arrays a)
{
    CHECK(cudaFree((void *)a.input));
    CHECK(cudaFree(a.between));
    CHECK(cudaFree(a.output));
    CHECK(cudaFree(a.parity));
}

template <class Shape>
static void run_by_dataflow(few_arrays a, unsigned blocks)
{
    launch_shape shape = {blocks, Shape::THREADS, Shape::SHARED_BYTES, false, false};
    CHECK(launch(fft_by_dataflow<Shape>, shape, harness_stream(), a));
    wait_for_device();
}

template <class Shape>
static void run_by_barrier(few_arrays a, unsigned blocks)
{
    struct point point = {&sync_variants[SYNC_COUNTER], blocks, Shape::THREADS, 1ll << Shape::LOG_N, 1};
    step_bench<typename step_of_shape<Shape>::type> bench;
    bench.prepare(&point, step_of_shape<Shape>::make(a), Shape::STEPS, Shape::SHARED_BYTES);
    steps_run(bench.plan);
    wait_for_device();
    bench.release();
}

typedef void run_function(few_arrays, unsigned blocks);

static double distance_of_run(run_function *run, size_t n, few_arrays a, unsigned blocks, unsigned seed,
                              const float *twiddles)
{
    const size_t bytes = n * sizeof(float2);
    float *input = generate_signal(n, seed);
    float *expected = (float *)allocate(bytes), *output = (float *)allocate(bytes);
    CHECK(cudaMemcpy((void *)a.input, input, bytes, cudaMemcpyHostToDevice));
    run(a, blocks);
    CHECK(cudaMemcpy(output, a.output, bytes, cudaMemcpyDeviceToHost));
    fft_sequential(input, expected, n, twiddles, false);
    double distance = relative_distance(output, expected, n);
    free(input);
    free(expected);
    free(output);
    return distance;
}

static void check_runs(const char *what, run_function *run, int log_n, unsigned blocks)
{
    const size_t n = (size_t)1 << log_n;
    few_arrays a = make_arrays(n * sizeof(float2), blocks);
    float *twiddles = make_twiddles(n);
    for (unsigned i = 1; i <= RUNS; i++) {
        double distance = distance_of_run(run, n, a, blocks, i, twiddles);
        check(distance < 1e-6 * log_n, "%s, %u blocks: run %u has its own values (distance %.1e)", what,
              blocks, i, distance);
    }
    free(twiddles);
    free_arrays(a);
}

template <class Shape>
static void check_shape(const char *what, unsigned blocks)
{
    char text[100];
    snprintf(text, sizeof text, "%s, dataflow", what);
    check_runs(text, run_by_dataflow<Shape>, Shape::LOG_N, blocks);
    snprintf(text, sizeof text, "%s, a barrier", what);
    check_runs(text, run_by_barrier<Shape>, Shape::LOG_N, blocks);
}

/* The benchmark has three passes only for more values than the memory machine can transform. */
static void check_three_passes(void)
{
    check_runs("2^11 in three passes",
               run_by_barrier<
                   three_shape<lines<4, 2, 3, 1, true>, lines<3, 2, 4, 1, true>, lines<4, 2, 3, 1, true>>>,
               11, 3);
    check_runs("2^12 in three passes",
               run_by_barrier<
                   three_shape<lines<4, 2, 3, 1, true>, lines<4, 2, 3, 1, true>, lines<4, 2, 3, 1, true>>>,
               12, 50);
}

/* Checks one shape for data races on the memory machine. The shape is small, because the machine remembers
 * every access under weak memory. */
static void check_races(void)
{
#ifdef GPUSYNC_MACHINE
    machine_set_memory(MACHINE_OLDEST);
    machine_collect_races(true, false);
    check_shape<few_shape<lines<5, 2, 2, 1, true>, lines<5, 2, 2, 1, true>>>("2^10, tiles ahead, weak memory",
                                                                             3);
    check(machine_races() == 0, "a barrier and dataflow with tiles ahead have no data races");
    machine_print_races(stderr);
#endif
}

int main()
{
    options options = {};
    device device;
    set_program_name("fft_runs");
#ifdef GPUSYNC_MACHINE
    options.device = "h100";
    machine_set_schedule(MACHINE_ADVERSARIAL, 1);
#endif
    open_device(&options, &device);
    check_shape<few_shape<lines<7, 2, 2, 0>, lines<6, 2, 3, 0>>>("2^13", 5);
    check_shape<few_shape<lines<8, 3, 2, 0>, lines<7, 2, 2, 0>>>("2^15, blocks that only have rows", 40);
    check_shape<few_shape<lines<6, 3, 3, 1>, lines<6, 3, 3, 1>>>("2^12 by pairs", 8);
    check_shape<few_shape<lines<7, 2, 3, 1, true>, lines<7, 2, 3, 1, true>>>("2^14, tiles ahead", 7);
    check_shape<few_shape<lines<7, 3, 2, 1, true>, lines<6, 3, 3, 1, true>>>("2^13, tiles ahead", 7);
    check_shape<few_shape<lines<10, 5, 2, 0>, lines<7, 4, 4, 0>>>("2^17, 32 values a thread", 9);
    check_three_passes();
    check_races();
    return checks_done();
}
