/*
 * Tests that one-pass sums and prefix sums (sum/one_pass.cuh) are right if some blocks begin late: the
 * machine holds back half of the warps at their start, some of them for longer than the other blocks take.
 * Several runs follow each other with the same counters and partial sums, each with its own numbers.
 */
#include "base/memory.h"
#include "harness/launch.cuh"
#include "harness/timer.h"
#include "machine/machine.h"
#include "sum/one_pass.cuh"
#include "tests/check.h"
#include "tests/weak_device.h"

#include <stdlib.h>

enum { RUNS = 3, SEEDS = 3 };
enum kernel { SUM_BY_DATAFLOW, SUM_BY_LAST_BLOCK, PREFIX };

/* The number at place i of a run: whole numbers, whose sums are exact in every type. */
static unsigned number_at(unsigned i, unsigned run)
{
    return (i * 2654435761u >> 20) % 1000 + run;
}

template <class T>
static bool is_right(enum kernel kernel, const T *answers, unsigned n, unsigned run)
{
    bool right = true;
    double sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += number_at(i, run);
        right = right && (kernel != PREFIX || (double)answers[i] == sum);
    }
    return kernel == PREFIX ? right : (double)answers[0] == sum;
}

/* Runs the kernel once on the run's numbers, and returns whether its answers are right. */
template <class T>
static bool run_kernel(enum kernel kernel, const struct point *p, const one_pass<T> &on, unsigned run)
{
    T *numbers = (T *)allocate(on.n * sizeof(T));
    for (unsigned i = 0; i < on.n; i++)
        numbers[i] = (T)number_at(i, run);
    CHECK(cudaMemcpy((void *)on.in, numbers, on.n * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(on.out, 0xff, on.n * sizeof(T)));
    if (kernel == PREFIX)
        run_one_pass_prefix<T>(p, on);
    else
        run_one_pass_sum<T>(p, kernel == SUM_BY_DATAFLOW, on);
    wait_for_device();
    CHECK(cudaMemcpy(numbers, on.out, (kernel == PREFIX ? on.n : 1) * sizeof(T), cudaMemcpyDeviceToHost));
    bool right = is_right<T>(kernel, numbers, on.n, run);
    free(numbers);
    return right;
}

template <class T>
static void check_late(const char *what, enum kernel kernel, unsigned blocks, unsigned threads, unsigned n)
{
    struct point point = {NULL, blocks, threads, (long long)n, 1};
    unsigned wrong = 0;
    if (kernel != PREFIX)
        shape_one_pass_sum(&point, n, (int)blocks / SUM_BLOCKS_PER_SM);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        device_array<T> in(n), out(n);
        device_array<unsigned> number(1);
        one_pass<T> on = {};
        machine_set_schedule(MACHINE_DELAYS, seed);
        on.in = in;
        on.out = out;
        on.number = number;
        on.parts = one_pass_parts<T>(&point, n);
        on.n = n;
        for (unsigned run = 0; run < RUNS; run++)
            wrong += !run_kernel<T>(kernel, &point, on, run);
        CHECK(cudaFree(on.parts));
    }
    check(wrong == 0, "%s by %u blocks, some of them late: %u of %u runs are wrong", what, point.blocks,
          wrong, RUNS * SEEDS);
}

template <class T>
static void check_type(void)
{
    const unsigned tile = 128 * SCAN_PACKS * (16 / sizeof(T)), share = SUM_THREADS * BATCH_OF_LOADS * 4;
    check_late<T>("a sum by dataflow", SUM_BY_DATAFLOW, 4, SUM_THREADS, 3 * share + 7);
    check_late<T>("a sum by the last block", SUM_BY_LAST_BLOCK, 4, SUM_THREADS, 3 * share + 7);
    check_late<T>("prefix sums, a tile for each block,", PREFIX, 4, 128, 4 * tile - 3);
    check_late<T>("prefix sums, tiles in turn,", PREFIX, 3, 128, 7 * tile - 5);
}

int main()
{
    options options = {};
    device device;
    set_program_name("machine_late");
    options.device = "h100";
    open_device(&options, &device);
    check_type<unsigned>();
    check_type<double>();
    const unsigned tile = 288 * SCAN_PACKS * (16 / sizeof(double));
    check_late<double>("prefix sums, one turn of tiles,", PREFIX, 4, 288, 4 * tile - 5);
    return checks_done();
}
