/*
 * Bitonic sort of N = 2^m keys of 32 bits, ascending: m (m + 1) / 2 steps with a barrier between
 * two (Xiao and Feng 2010, section VI-C; Figures 10c to 13c).
 *
 *     build/gpu/bitonic --variant lock-free-fence,counter,cpu-implicit --blocks 9-30 --size 262144
 *
 * Keys are unsigned, int or float. All are sorted as unsigned numbers whose order is theirs
 * (bitonic/keys.h); among floats -0 comes before 0, NaNs with the sign bit first of all and the
 * others last.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "bitonic/keys.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"

#include <stdlib.h>
#include <string.h>

/* The comparator network of Batcher 1968: merges of length 2, 4, ..., N, each of comparisons at
 * distance length / 2, ..., 1. */
struct BitonicStep {
    const unsigned *input;
    unsigned *keys;
    unsigned n;

    __device__ void operator()(int s)
    {
        const unsigned *from = s == 0 ? input : keys;
        unsigned log_length = 1, before = 0;
        while (before + log_length <= (unsigned)s)
            before += log_length++;
        unsigned length = 1u << log_length, distance = length >> ((unsigned)s - before + 1);
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
            unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
            unsigned a = from[low], b = from[high];
            bool swap = (a > b) == ((low & length) == 0);
            keys[low] = swap ? b : a;
            keys[high] = swap ? a : b;
        }
    }
};

static struct {
    unsigned n;
    int steps;
    enum key_type type;
    uint32_t *host_input, *host_output, *expected; /* in unsigned order */
    unsigned *input, *keys;
    step_bench<BitonicStep> loop;
} bench;

static size_t bytes(void)
{
    return bench.n * sizeof(unsigned);
}

static int keys; /* --keys: an enum key_type */

static void reference(void)
{
    memcpy(bench.expected, bench.host_input, bytes());
    bitonic_sequential(bench.expected, bench.n);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    bench.type = (enum key_type)keys;
    if (file)
        bench.host_input = read_keys(file, bench.type, &size);
    if (size < 1 || size > 1ll << 30 || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "%s%ssize %lld: bitonic sort needs a power of two up to 2^30 keys",
             file ? file : "", file ? ": " : "", size);
    if (!file)
        bench.host_input = generate_keys((size_t)size, seed);
    bench.n = (unsigned)size;
    for (unsigned m = 1; 1ull << m <= bench.n; m++)
        bench.steps += (int)m;
    bench.host_output = (uint32_t *)allocate(bytes());
    bench.expected = (uint32_t *)allocate(bytes());
    allocate_on_device(bench.input, bytes());
    allocate_on_device(bench.keys, bytes());
    CHECK(cudaMemcpy(bench.input, bench.host_input, bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bench.keys, bench.host_input, bytes(),
                     cudaMemcpyHostToDevice)); /* one key: no step at all */
    reference();
    return size;
}

static void close_problem(void)
{
    CHECK(cudaFree(bench.input));
    CHECK(cudaFree(bench.keys));
    free(bench.host_input);
    free(bench.host_output);
    free(bench.expected);
    bench = {};
}

static void prepare(const struct point *p)
{
    if (bench.steps)
        CHECK(cudaMemset(bench.keys, 0xff, bytes()));
    BitonicStep step = {bench.input, bench.keys, bench.n};
    bench.loop.prepare(p, step, bench.steps);
}

static void run(const struct point *)
{
    steps_run(bench.loop.plan);
}

static void release(void)
{
    bench.loop.release();
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.n};
    CHECK(cudaMemcpy(bench.host_output, bench.keys, bytes(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.n; i++)
        verdict.wrong += bench.host_output[i] != bench.expected[i];
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.n; i++)
        print_key(file, bench.host_output[i], bench.type);
}

static double operations(const struct point *)
{
    return bench.steps ? bench.steps : 1;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {{.name = "keys",
                                                   .help = "unsigned, int or float",
                                                   .standard = "unsigned",
                                                   .choices = "unsigned,int,float", /* as enum key_type */
                                                   .number = &keys},
                                                  {}};
    struct experiment e = {};
    make_step_experiment(&e);
    e.name = "bitonic";
    e.question = "bitonic sort under every barrier";
    e.launches.threads = "512"; /* as in the paper */
    e.size_means = "keys, a power of two";
    e.gpu_sizes = "262144";
    e.machine_sizes = "2048";
    e.options = options;
    e.launches.resident_blocks = step_resident_blocks<BitonicStep>;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.prepare = prepare;
    e.run = run;
    e.check = check;
    e.release = release;
    e.problem.reference = reference;
    e.problem.write_answers = write_answers;
    e.operations = operations;
    e.any_warp_size = true;
    return experiment_main(argc, argv, &e);
}
