/*
 * Bitonic sort of N = 2^m keys of 32 bits, ascending: m (m + 1) / 2 steps with a barrier between
 * two (Xiao and Feng 2010, section VI-C; Figures 10c to 13c).
 *
 *     build/gpu/bitonic --variant lock-free-fence,counter,cpu-implicit --blocks 9-30 --size 262144
 *
 * --algorithm few-barriers: as fast as this gets with a barrier for many steps (bitonic/few_barriers.cuh).
 *
 * Keys are unsigned, int or float. All are sorted as unsigned numbers whose order is theirs
 * (bitonic/keys.h); among floats -0 comes before 0, NaNs with the sign bit first of all and the
 * others last.
 */
#include "base/failure.h"
#include "base/log_2.h"
#include "base/memory.h"
#include "bitonic/few_barriers.cuh"
#include "bitonic/keys.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"

#ifndef GPUSYNC_MACHINE
#include <cub/device/device_radix_sort.cuh>
#endif
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
    sort_plan *plan; /* on the device, of few-barriers */
    step_bench<BitonicStep> loop;
    step_bench<few_barriers_sort<11>> few_11;
    step_bench<few_barriers_sort<12>> few_12;
    bool is_library; /* the point that is prepared */
    void *library_memory;
    size_t library_bytes;
} bench;

static struct {
    int keys, algorithm;
} settings;

static bool has_few_barriers(void)
{
    return settings.algorithm == 1;
}

#define FEW_LEAST 2048
#define LARGE (1 << 19) /* from there on tiles of 2^12 keys are faster: fewer passes over memory */

/* Calls `call` with the bench and the tile of so many keys. */
template <class Call>
static void with_tile(long long size, Call call)
{
    if (size < LARGE)
        call(bench.few_11, sort_tile<11>());
    else
        call(bench.few_12, sort_tile<12>());
}

static unsigned few_threads(long long size)
{
    unsigned threads = 0;
    with_tile(size, [&](auto &, auto tile) { threads = has_few_barriers() ? decltype(tile)::THREADS : 0; });
    return threads;
}

static int resident_blocks(const struct variant *v, unsigned threads, long long size, int sm_count)
{
    if (!has_few_barriers())
        return step_resident_blocks<BitonicStep>(v, threads, size, sm_count);
    return size < LARGE ? steps_resident_blocks<few_barriers_sort<11>>((sync_id)v->id, threads,
                                                                       sort_tile<11>::SHARED_BYTES, sm_count)
                        : steps_resident_blocks<few_barriers_sort<12>>((sync_id)v->id, threads,
                                                                       sort_tile<12>::SHARED_BYTES, sm_count);
}

template <int R>
static void prepare_few(step_bench<few_barriers_sort<R>> &few, const struct point *p)
{
    static sort_plan plan;
    plan_passes(log_2(bench.n), R, &plan);
    allocate_on_device(bench.plan, sizeof plan);
    CHECK(cudaMemcpy(bench.plan, &plan, sizeof plan, cudaMemcpyHostToDevice));
    few_barriers_sort<R> step = {bench.input, bench.keys, bench.plan, plan.log_n, {}};
    few.prepare(p, step, 1 + plan.passes, sort_tile<R>::SHARED_BYTES);
}

static void release_few(void)
{
    with_tile(bench.n, [](auto &few, auto) { few.release(); });
    CHECK(cudaFree(bench.plan));
}

static size_t bytes(void)
{
    return bench.n * sizeof(unsigned);
}

static void reference(void)
{
    memcpy(bench.expected, bench.host_input, bytes());
    bitonic_sequential(bench.expected, bench.n);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    bench.type = (enum key_type)settings.keys;
    if (file)
        bench.host_input = read_keys(file, bench.type, &size);
    if (size < 1 || size > 1ll << 30 || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "%s%ssize %lld: bitonic sort needs a power of two up to 2^30 keys",
             file ? file : "", file ? ": " : "", size);
    if (has_few_barriers() && size < FEW_LEAST)
        fail(EXIT_BAD_INPUT, "size %lld: few-barriers sorts %d keys and more", size, FEW_LEAST);
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

/* ---- the library ---- */

static const struct variant cub_radix_sort = {.name = "cub-radix-sort",
                                              .summary = "CUB's DeviceRadixSort, to compare with",
                                              .ordered = true,
                                              .special = "a GPU: CUB is a library for it"};

/* CUB's own way: called without memory it says how much it needs. */
static void call_cub(void)
{
#ifndef GPUSYNC_MACHINE
    CHECK(cub::DeviceRadixSort::SortKeys(bench.library_memory, bench.library_bytes, bench.input, bench.keys,
                                         (int)bench.n, 0, 32, harness_stream()));
#endif
}

static bool can_do(const struct variant *v)
{
    return v->id != SYNC_METHODS || !device_is_machine();
}

/* ---- a point ---- */

static void prepare(const struct point *p)
{
    bench.is_library = p->variant->id == SYNC_METHODS;
    if (bench.steps)
        CHECK(cudaMemset(bench.keys, 0xff, bytes()));
    if (bench.is_library) {
        bench.library_memory = NULL;
        call_cub();
        return allocate_on_device(bench.library_memory, bench.library_bytes);
    }
    if (has_few_barriers())
        return with_tile(bench.n, [&](auto &few, auto) { prepare_few(few, p); });
    BitonicStep step = {bench.input, bench.keys, bench.n};
    bench.loop.prepare(p, step, bench.steps);
}

static void run(const struct point *)
{
    if (bench.is_library)
        call_cub();
    else if (has_few_barriers())
        with_tile(bench.n, [](auto &few, auto) { steps_run(few.plan); });
    else
        steps_run(bench.loop.plan);
}

static void release(void)
{
    if (bench.is_library)
        CHECK(cudaFree(bench.library_memory));
    else if (has_few_barriers())
        release_few();
    else
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
    double count = bench.steps ? bench.steps : 1;
    if (has_few_barriers())
        with_tile(bench.n, [&](auto &few, auto) { count = few.plan.steps; });
    return count;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "keys",
         .help = "unsigned, int or float",
         .standard = "unsigned",
         .choices = "unsigned,int,float", /* as enum key_type */
         .number = &settings.keys},
        {.name = "algorithm",
         .help = "network, a barrier between two of its steps, or few-barriers",
         .standard = "network",
         .choices = "network,few-barriers",
         .number = &settings.algorithm},
        {}};
    struct experiment e = {};
    make_step_experiment(&e, &cub_radix_sort);
    e.can_do = can_do;
    e.name = "bitonic";
    e.question = "bitonic sort under every barrier";
    e.launches.threads = "512"; /* as in the paper */
    e.size_means = "keys, a power of two";
    e.gpu_sizes = "262144";
    e.machine_sizes = "2048";
    e.options = options;
    e.launches.resident_blocks = resident_blocks;
    e.launches.threads_of = few_threads;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.prepare = prepare;
    e.run = run;
    e.check = check;
    e.release = release;
    e.problem.reference = reference;
    e.problem.reference_is_timed = true;
    e.problem.write_answers = write_answers;
    e.operations = operations;
    e.any_warp_size = true;
    return experiment_main(argc, argv, &e);
}
