/*
 * The sum of numbers that are spread over the memories of several GPUs: each block adds up its share of its
 * own GPU's part, all blocks synchronize, and one block adds up the partial sums. From how many numbers on
 * does it pay to use more than one GPU?
 *
 *     build/gpu/sum-multi-gpu --gpus 2 --size 1048576,67108864 --variant one-gpu,leaders,graph
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "micro/gpus/multi_gpu_problem.cuh"
#include "harness/block_sums.cuh"
#include "sum/numbers.h"

#include <stdlib.h>

#define MOST_HERE (1 << 28) /* largest number of numbers, which the host sums one after the other */

struct SpreadSum : gpu_member {
    const unsigned *part[GPUSYNC_MOST_GPUS];
    unsigned *of_block[GPUSYNC_MOST_GPUS]; /* the sum of each block, in the memory of its GPU */
    unsigned *sum;                         /* the total, in the first GPU's memory */
    unsigned gpus, n;                      /* number of GPUs, and numbers in each part */

    __device__ bool stays(int s) const { return s == 0 || gpus == 1; }

    __device__ void operator()(int s) const
    {
        __shared__ unsigned totals[32];
        if (s == 0) {
            unsigned own = sum_of_block(sum_of_share(part[gpu()], n, block(), blocks), totals);
            if (threadIdx.x == 0)
                of_block[gpu()][block()] = own;
        } else if (gpu() == 0 && block() == 0) {
            unsigned own = 0;
            for (unsigned i = threadIdx.x; i < gpus * blocks; i += blockDim.x)
                own += of_block[i / blocks][i % blocks];
            own = sum_of_block(own, totals);
            if (threadIdx.x == 0)
                *sum = own;
        }
    }
};

static struct {
    unsigned n, expected;
    unsigned *numbers; /* all numbers, on the host */
    multi_gpu_problem<SpreadSum> spread;
} bench;

static void reference(void)
{
    bench.expected = 0;
    for (unsigned i = 0; i < bench.n; i++)
        bench.expected += bench.numbers[i];
}

static long long open_problem(const char *, long long size, unsigned long long seed)
{
    struct numbers drawn;
    if (size < 4 * GPUSYNC_MOST_GPUS || size > MOST_HERE || size % (4 * multi_gpu_count))
        fail(EXIT_BAD_INPUT, "size %lld: %d GPUs share a multiple of %d numbers, %d to %d", size,
             multi_gpu_count, 4 * multi_gpu_count, 4 * GPUSYNC_MOST_GPUS, MOST_HERE);
    bench.n = (unsigned)size;
    generate_numbers(bench.n, INT32, seed, &drawn);
    bench.numbers = (unsigned *)allocate(bench.n * sizeof *bench.numbers);
    for (unsigned i = 0; i < bench.n; i++)
        bench.numbers[i] = (unsigned)drawn.items[i].whole;
    free(drawn.items);
    return size;
}

static void close_problem(void)
{
    free(bench.numbers);
    bench = {};
}

static void prepare(const struct point *p)
{
    SpreadSum *step = &bench.spread.plan.step;
    unsigned gpus = bench.spread.open(p);
    step->gpus = gpus;
    step->n = bench.n / gpus;
    for (unsigned g = 0; g < gpus; g++) {
        bench.spread.plan.on_gpu(g);
        step->part[g] =
            (const unsigned *)copy_on_device(bench.numbers + g * step->n, step->n * sizeof(unsigned));
        allocate_on_device(step->of_block[g], p->blocks * sizeof(unsigned));
    }
    bench.spread.plan.on_gpu(0);
    allocate_on_device(step->sum, sizeof(unsigned));
    CHECK(cudaMemset(step->sum, 0xff, sizeof(unsigned)));
    bench.spread.prepare(p, 2);
}

static void run(const struct point *)
{
    bench.spread.plan.run();
}

static void release(void)
{
    SpreadSum *step = &bench.spread.plan.step;
    for (unsigned g = 0; g < step->gpus; g++) {
        CHECK(cudaFree((void *)step->part[g]));
        CHECK(cudaFree(step->of_block[g]));
    }
    CHECK(cudaFree(step->sum));
    bench.spread.release();
}

static struct verdict check(const struct point *)
{
    unsigned sum;
    CHECK(cudaMemcpy(&sum, bench.spread.plan.step.sum, sizeof sum, cudaMemcpyDeviceToHost));
    return {sum == bench.expected, sum != bench.expected, 1};
}

static double operations(const struct point *)
{
    return bench.n;
}

int main(int argc, char **argv)
{
    struct experiment e = {};
    make_multi_gpu_experiment<SpreadSum>(&e);
    e.name = "sum-multi-gpu";
    e.question = "from how many numbers on does a sum pay for several GPUs?";
    e.size_means = "numbers, in all GPUs";
    e.gpu_sizes = "1048576";
    e.machine_sizes = "4096";
    e.problem.open = open_problem;
    e.problem.is_generated = true;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    return run_experiment(argc, argv, e);
}
