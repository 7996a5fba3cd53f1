/*
 * Bitonic sort of keys that are spread over the memories of several GPUs: the network of bitonic/bitonic.cu,
 * whose longest comparisons access another GPU's memory. From how many keys on does it pay to use more than
 * one GPU?
 *
 *     build/gpu/bitonic-multi-gpu --gpus 2 --size 65536,4194304 --variant one-gpu,leaders,graph
 */
#include "base/failure.h"
#include "base/log_2.h"
#include "base/memory.h"
#include "bitonic/keys.h"
#include "bitonic/network.cuh"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "micro/gpus/multi_gpu_problem.cuh"

#include <algorithm>
#include <stdlib.h>
#include <string.h>

/* Key i lies in the memory of GPU i / part. All GPUs compare equally many pairs, and a GPU has at least one
 * key of each pair that it compares. */
struct SpreadBitonicStep : gpu_member {
    const unsigned *input[GPUSYNC_MOST_GPUS];
    unsigned *keys[GPUSYNC_MOST_GPUS];
    unsigned gpus, log_part; /* number of GPUs, and logarithm of the number of keys of one GPU */

    __device__ bool stays(int s) const { return step_of_network(s).distance >> log_part == 0; }

    __device__ void operator()(int s) const
    {
        network_step at = step_of_network(s);
        unsigned pairs = 1u << log_part >> 1, threads = blocks * blockDim.x;
        for (unsigned i = block() * blockDim.x + threadIdx.x; i < pairs; i += threads)
            compare(s, at, at.distance >> log_part ? low_across(i, at.distance) : low_within(i, at.distance));
    }

  private:
    __device__ unsigned low_within(unsigned i, unsigned distance) const
    {
        return (gpu() << log_part) + 2 * i - (i & (distance - 1));
    }
    /* Returns the lower index of the two keys of this GPU's pair i; the other key is in another GPU's memory.
     * Two GPUs share such pairs: the one that has the lower indices compares the first half of the pairs. */
    __device__ unsigned low_across(unsigned i, unsigned distance) const
    {
        unsigned apart = distance >> log_part, other_half = gpu() & apart ? 1u << log_part >> 1 : 0;
        return ((gpu() & ~apart) << log_part) + other_half + i;
    }
    __device__ void compare(int s, network_step at, unsigned low) const
    {
        unsigned high = low + at.distance, within = (1u << log_part) - 1;
        unsigned *low_key = &keys[low >> log_part][low & within],
                 *high_key = &keys[high >> log_part][high & within];
        unsigned a = s ? *low_key : input[low >> log_part][low & within];
        unsigned b = s ? *high_key : input[high >> log_part][high & within];
        bool swap = (a > b) == ((low & at.length) == 0);
        *low_key = swap ? b : a;
        *high_key = swap ? a : b;
    }
};

static struct {
    unsigned n;
    int steps;
    uint32_t *host_input, *host_output, *expected;
    multi_gpu_problem<SpreadBitonicStep> spread;
} bench;

static void reference(void)
{
    memcpy(bench.expected, bench.host_input, bench.n * sizeof *bench.expected);
    std::sort(bench.expected, bench.expected + bench.n);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    if (multi_gpu_count & (multi_gpu_count - 1))
        fail(EXIT_BAD_INPUT, "gpus %d: keys are spread over a power of two of them", multi_gpu_count);
    if (file)
        bench.host_input = read_keys(file, KEY_UNSIGNED, &size);
    if (size < 2 * multi_gpu_count || size > 1ll << 30 || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "size %lld: %d GPUs sort a power of two from %d to 2^30 keys", size,
             multi_gpu_count, 2 * multi_gpu_count);
    if (!file)
        bench.host_input = generate_keys((size_t)size, seed);
    bench.n = (unsigned)size;
    bench.steps = log_2(size) * (log_2(size) + 1) / 2;
    bench.host_output = (uint32_t *)allocate(bench.n * sizeof(uint32_t));
    bench.expected = (uint32_t *)allocate(bench.n * sizeof(uint32_t));
    return size;
}

static void close_problem(void)
{
    free(bench.host_input);
    free(bench.host_output);
    free(bench.expected);
    bench = {};
}

static void prepare(const struct point *p)
{
    SpreadBitonicStep *step = &bench.spread.plan.step;
    unsigned gpus = bench.spread.open(p), part = bench.n / gpus;
    step->gpus = gpus;
    step->log_part = (unsigned)log_2(part);
    for (unsigned g = 0; g < gpus; g++) {
        bench.spread.plan.on_gpu(g);
        step->input[g] =
            (const unsigned *)copy_on_device(bench.host_input + g * part, part * sizeof(unsigned));
        allocate_on_device(step->keys[g], part * sizeof(unsigned));
        CHECK(cudaMemset(step->keys[g], 0xff, part * sizeof(unsigned)));
        CHECK(cudaDeviceSynchronize());
    }
    bench.spread.plan.on_gpu(0);
    bench.spread.prepare(p, bench.steps);
}

static void run(const struct point *)
{
    bench.spread.plan.run();
}

static void release(void)
{
    SpreadBitonicStep *step = &bench.spread.plan.step;
    for (unsigned g = 0; g < step->gpus; g++) {
        CHECK(cudaFree((void *)step->input[g]));
        CHECK(cudaFree(step->keys[g]));
    }
    bench.spread.release();
}

static struct verdict check(const struct point *)
{
    const SpreadBitonicStep *step = &bench.spread.plan.step;
    struct verdict verdict = {true, 0, bench.n};
    size_t part = (size_t)1 << step->log_part;
    for (unsigned g = 0; g < step->gpus; g++)
        CHECK(cudaMemcpy(bench.host_output + g * part, step->keys[g], part * sizeof(unsigned),
                         cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.n; i++)
        verdict.wrong += bench.host_output[i] != bench.expected[i];
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.n; i++)
        print_key(file, bench.host_output[i], KEY_UNSIGNED);
}

static double operations(const struct point *)
{
    return bench.steps;
}

int main(int argc, char **argv)
{
    struct experiment e = {};
    make_multi_gpu_experiment<SpreadBitonicStep>(&e);
    e.name = "bitonic-multi-gpu";
    e.question = "from how many keys on does bitonic sort pay for several GPUs?";
    e.size_means = "keys, in all GPUs, a power of two";
    e.gpu_sizes = "262144";
    e.machine_sizes = "1024";
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.problem.write_answers = write_answers;
    return run_experiment(argc, argv, e);
}
