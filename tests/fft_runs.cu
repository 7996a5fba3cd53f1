/*
 * A run of the FFT by dataflow takes its own values, never those that the run before left in the same places: each of
 * several runs, of other input, is the sequential transform of its input.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "fft/few_barriers.cuh"
#include "fft/reference.h"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/options.h"
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
static double distance_of_run(few_arrays a, unsigned blocks, unsigned seed, const float *twiddles)
{
    const size_t n = (size_t)1 << Shape::LOG_N, bytes = n * sizeof(float2);
    float *input = generate_signal(n, seed);
    float *expected = (float *)allocate(bytes), *output = (float *)allocate(bytes);
    CHECK(cudaMemcpy((void *)a.input, input, bytes, cudaMemcpyHostToDevice));
    launch_shape shape = {blocks, Shape::THREADS, Shape::SHARED_BYTES, false, false};
    CHECK(launch(fft_by_dataflow<Shape>, shape, harness_stream(), a));
    wait_for_device();
    CHECK(cudaMemcpy(output, a.output, bytes, cudaMemcpyDeviceToHost));
    fft_sequential(input, expected, n, twiddles, false);
    double distance = relative_distance(output, expected, n);
    free(input);
    free(expected);
    free(output);
    return distance;
}

template <class Shape>
static void check_runs(const char *what, unsigned blocks)
{
    const size_t n = (size_t)1 << Shape::LOG_N;
    few_arrays a = make_arrays(n * sizeof(float2), blocks);
    float *twiddles = make_twiddles(n);
    for (unsigned run = 1; run <= RUNS; run++) {
        double distance = distance_of_run<Shape>(a, blocks, run, twiddles);
        check(distance < 1e-6 * Shape::LOG_N, "%s, %u blocks: run %u has its own values (distance %.1e)",
              what, blocks, run, distance);
    }
    free(twiddles);
    free_arrays(a);
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
    check_runs<few_shape<lines<7, 2, 2, 0>, lines<6, 2, 3, 0>>>("2^13", 5);
    check_runs<few_shape<lines<8, 3, 2, 0>, lines<7, 2, 2, 0>>>("2^15, blocks that only have rows", 40);
    check_runs<few_shape<lines<6, 3, 3, 1>, lines<6, 3, 3, 1>>>("2^12 by pairs", 8);
    check_runs<few_shape<lines<10, 5, 2, 0>, lines<7, 4, 4, 0>>>("2^17, 32 values a thread", 9);
    return checks_done();
}
