/*
 * Bitonic sort of N = 2^m keys of 32 bits, ascending: m (m + 1) / 2 steps with a barrier between each two
 * (Xiao and Feng 2010, section VI-C; Figures 10c to 13c).
 *
 *     build/gpu/bitonic --variant lock-free-fence,counter,cpu-implicit --blocks 9-30 --size 262144
 *
 * --algorithm few-barriers: the same network with one barrier for many steps (bitonic/few_barriers.cuh);
 * for comparison, what is no network: --algorithm enumeration, for few keys (bitonic/enumeration.cuh), and
 * --algorithm radix and msd-radix, for many (bitonic/radix.cuh, bitonic/msd_radix.cuh). --algorithm fastest
 * takes one of these by the number of keys. With --values index each key carries a value of 32 bits.
 *
 * Keys are unsigned, int or float. All are sorted as unsigned numbers in the same order (bitonic/keys.h).
 * Among floats -0 comes before 0, NaNs with the sign bit come first and the other NaNs last.
 */
#include "base/failure.h"
#include "base/log_2.h"
#include "base/memory.h"
#include "bitonic/enumeration.cuh"
#include "bitonic/few_barriers.cuh"
#include "bitonic/keys.h"
#include "bitonic/msd_radix.cuh"
#include "bitonic/network.cuh"
#include "bitonic/radix.cuh"
#include "harness/cannot.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"

#ifndef GPUSYNC_MACHINE
#include <cub/device/device_radix_sort.cuh>
#endif
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

struct BitonicStep {
    const unsigned *input;
    unsigned *keys;
    unsigned n;

    __device__ void operator()(int s)
    {
        const unsigned *from = s == 0 ? input : keys;
        const auto [length, distance] = step_of_network(s);
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
    uint32_t *host_input; /* in unsigned order, as all keys below */
    void *host_output, *expected;
    void *input, *keys; /* on the device: keys, or pairs of a key and a value */
    void *scratch;      /* as many, of few-barriers and radix; */
    sort_plan *plan;    /* of few-barriers; */
    unsigned *counts;   /* of radix; all on the device */
    unsigned *uneven;   /* among the counts; of msd-radix */
    bool is_library;    /* the point that is prepared */
    void *library_memory;
    size_t library_bytes;
} bench;

template <class Step>
static step_bench<Step> loop_of;

static struct {
    int keys, algorithm, values;
} settings;

enum { NETWORK, FEW_BARRIERS, ENUMERATION, RADIX, MSD_RADIX, FASTEST };

/* A pair is one number of 64 bits: the key, and behind it the value, so pairs of equal keys are in the
 * order of their values. */
typedef unsigned long long pair;

static bool has_values(void)
{
    return settings.values == 1;
}

static size_t bytes(void)
{
    return bench.n * (has_values() ? sizeof(pair) : sizeof(unsigned));
}

#define LEAST 2048
#define LARGE (1 << 19) /* from there on tiles of 2^12 keys alone are faster: fewer passes over memory */

static bool msd_radix_fits(void)
{
    int device, bytes;
    if (device_is_machine())
        return true;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    return msd_radix_sort<pair>::SHARED_BYTES + 1024 <= (size_t)bytes;
}

/* Of a key with a value, or without: up to which size a sort without barriers is the fastest, and from which on
 * a radix sort. As measured on an H200 and an H100. */
static int algorithm_for(long long size)
{
    if (settings.algorithm != FASTEST)
        return settings.algorithm;
    if (size <= 4096)
        return ENUMERATION;
    if (size < (has_values() ? 1 << 17 : 1 << 19))
        return FEW_BARRIERS;
    bool too_many =
        size > (has_values() ? msd_radix_sort<pair>::MOST_KEYS : msd_radix_sort<unsigned>::MOST_KEYS);
    return msd_radix_fits() && !too_many ? MSD_RADIX : RADIX;
}

template <class Key, class Call>
static void with_sort_of(long long size, Call call)
{
    bool is_small = size < LARGE && size != 1 << 12; /* two tiles of 2^11 are too few to be a plan's */
    int algorithm = algorithm_for(size);
    if (algorithm == ENUMERATION)
        call(loop_of<enumeration_sort<Key>>);
    else if (algorithm == RADIX)
        call(loop_of<radix_sort<Key>>);
    else if (algorithm == MSD_RADIX)
        call(loop_of<msd_radix_sort<Key>>);
    else if (is_small)
        call(loop_of<few_barriers_sort<11, Key>>);
    else
        call(loop_of<few_barriers_sort<12, Key>>);
}

/* Calls `call` with the loop that sorts so many keys. */
template <class Call>
static void with_sort(long long size, Call call)
{
    if (settings.algorithm == NETWORK)
        call(loop_of<BitonicStep>);
    else if (has_values())
        with_sort_of<pair>(size, call);
    else
        with_sort_of<unsigned>(size, call);
}

static unsigned threads_of(const step_bench<BitonicStep> &)
{
    return 0; /* as many as are asked for */
}
template <class Step>
static unsigned threads_of(const step_bench<Step> &)
{
    return Step::THREADS;
}
static unsigned threads_for(long long size)
{
    unsigned threads = 0;
    with_sort(size, [&](auto &loop) { threads = threads_of(loop); });
    return threads;
}

static int resident_of(const step_bench<BitonicStep> &, const struct variant *v, unsigned threads,
                       int sm_count)
{
    return step_resident_blocks<BitonicStep>(v, threads, 0, sm_count);
}
template <class Step>
static int resident_of(const step_bench<Step> &, const struct variant *v, unsigned threads, int sm_count)
{
    return steps_resident_blocks<Step>((sync_id)v->id, threads, Step::SHARED_BYTES, sm_count);
}
static int resident_blocks(const struct variant *v, unsigned threads, long long size, int sm_count)
{
    int blocks = 0;
    with_sort(size, [&](auto &loop) { blocks = resident_of(loop, v, threads, sm_count); });
    return blocks;
}

static void prepare_loop(step_bench<BitonicStep> &loop, const struct point *p)
{
    BitonicStep step = {(const unsigned *)bench.input, (unsigned *)bench.keys, bench.n};
    loop.prepare(p, step, bench.steps);
}
template <int R, class Key>
static void prepare_loop(step_bench<few_barriers_sort<R, Key>> &loop, const struct point *p)
{
    static sort_plan plan;
    plan_passes(log_2(bench.n), R, &plan);
    allocate_on_device(bench.plan, sizeof plan);
    CHECK(cudaMemcpy(bench.plan, &plan, sizeof plan, cudaMemcpyHostToDevice));
    allocate_on_device(bench.scratch, bytes());
    few_barriers_sort<R, Key> step = {(const Key *)bench.input,
                                      (Key *)bench.keys,
                                      (Key *)bench.scratch,
                                      bench.plan,
                                      plan.log_n,
                                      plan.passes,
                                      plan.runs,
                                      {},
                                      {},
                                      {},
                                      {}};
    loop.prepare(p, step, 1 + plan.passes, step.SHARED_BYTES);
}

/* `more`: words that the caller needs, zero too, before the sort's. */
template <class Key, unsigned THREADS>
static radix_sort<Key, THREADS> make_radix_sort(unsigned blocks, size_t more)
{
    size_t words = (blocks + 2 * (size_t)radix_sort<Key, THREADS>::groups_of(blocks)) * DIGITS;
    allocate_on_device(bench.counts, (words + more) * sizeof(unsigned));
    CHECK(cudaMemset(bench.counts, 0, (words + more) * sizeof(unsigned)));
    allocate_on_device(bench.scratch, bytes());
    return {(const Key *)bench.input,
            (Key *)bench.keys,
            (Key *)bench.scratch,
            bench.counts + more,
            bench.counts + more + (size_t)blocks * DIGITS,
            bench.n};
}
template <class Key>
static void prepare_loop(step_bench<radix_sort<Key>> &loop, const struct point *p)
{
    radix_sort<Key> step = make_radix_sort<Key, radix_sort<Key>::THREADS>(p->blocks, 0);
    loop.prepare(p, step, step.ALL_STEPS, step.SHARED_BYTES);
}
template <class Key>
static void prepare_loop(step_bench<msd_radix_sort<Key>> &loop, const struct point *p)
{
    typedef msd_radix_sort<Key> sort;
    size_t of_blocks = (size_t)p->blocks * sort::MOST_BUCKETS;
    typename sort::lsd_sort lsd =
        make_radix_sort<Key, sort::THREADS>(p->blocks, of_blocks + 2 * sort::MOST_BUCKETS + 1);
    unsigned *totals = bench.counts + of_blocks;
    sort step = {lsd, bench.counts, totals, totals + 2 * sort::MOST_BUCKETS, 0, 0};
    step.divide(p->blocks);
    bench.uneven = step.uneven;
    loop.prepare(p, step, step.ALL_STEPS, step.SHARED_BYTES);
}

template <class Key>
static void prepare_loop(step_bench<enumeration_sort<Key>> &loop, const struct point *p)
{
    enumeration_sort<Key> step = {(const Key *)bench.input, (Key *)bench.keys, bench.n};
    loop.prepare(p, step, 1, step.SHARED_BYTES);
}

static void release_loop(void)
{
    with_sort(bench.n, [](auto &loop) { loop.release(); });
    CHECK(cudaFree(bench.plan));
    CHECK(cudaFree(bench.counts));
    CHECK(cudaFree(bench.scratch));
    bench.plan = NULL;
    bench.counts = NULL;
    bench.uneven = NULL;
    bench.scratch = NULL;
}

/* The keys, or pairs of each key and its place. */
static void fill_items(void *items)
{
    for (size_t i = 0; i < bench.n; i++)
        if (has_values())
            ((uint64_t *)items)[i] = (uint64_t)bench.host_input[i] << 32 | i;
        else
            ((uint32_t *)items)[i] = bench.host_input[i];
}

static void reference(void)
{
    fill_items(bench.expected);
    if (has_values())
        sort_pairs((uint64_t *)bench.expected, bench.n);
    else if (settings.algorithm > FEW_BARRIERS) /* no network */
        sort_keys((uint32_t *)bench.expected, bench.n);
    else
        bitonic_sequential((uint32_t *)bench.expected, bench.n);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    bench.type = (enum key_type)settings.keys;
    if (file)
        bench.host_input = read_keys(file, bench.type, &size);
    if (size < 1 || size > 1ll << 30 || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "%s%ssize %lld: bitonic sort needs a power of two up to 2^30 keys",
             file ? file : "", file ? ": " : "", size);
    if (settings.algorithm != NETWORK && size < LEAST)
        fail(EXIT_BAD_INPUT, "size %lld: only the network sorts fewer than %d keys", size, LEAST);
    if (settings.algorithm == MSD_RADIX && !msd_radix_fits())
        fail(EXIT_CANNOT, "msd-radix needs %zu KB of shared memory, more than a multiprocessor here has",
             msd_radix_sort<pair>::SHARED_BYTES / 1024 + 1);
    if (has_values() && settings.algorithm == NETWORK)
        fail(EXIT_BAD_INPUT, "values go with keys in every --algorithm but network");
    if (!file)
        bench.host_input = generate_keys((size_t)size, seed);
    bench.n = (unsigned)size;
    for (unsigned m = 1; 1ull << m <= bench.n; m++)
        bench.steps += (int)m;
    bench.host_output = allocate(bytes());
    bench.expected = allocate(bytes());
    allocate_on_device(bench.input, bytes());
    allocate_on_device(bench.keys, bytes());
    fill_items(bench.host_output);
    CHECK(cudaMemcpy(bench.input, bench.host_output, bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bench.keys, bench.host_output, bytes(),
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
                                              .summary = "CUB's DeviceRadixSort, for comparison",
                                              .ordered = true,
                                              .special = "a GPU: CUB is a library for it"};

#ifndef GPUSYNC_MACHINE

/* The library has keys and values apart: those of the input, and behind them those that come out. */
static struct {
    unsigned *keys, *values;
} apart;

static void prepare_apart(void)
{
    size_t one = bench.n * sizeof(unsigned);
    unsigned *places = (unsigned *)allocate(one);
    for (unsigned i = 0; i < bench.n; i++)
        places[i] = i;
    allocate_on_device(apart.keys, 2 * one);
    allocate_on_device(apart.values, 2 * one);
    CHECK(cudaMemcpy(apart.keys, bench.host_input, one, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(apart.values, places, one, cudaMemcpyHostToDevice));
    free(places);
}

/* What came out, as pairs. */
static void download_apart(uint64_t *pairs)
{
    size_t one = bench.n * sizeof(unsigned);
    unsigned *keys = (unsigned *)allocate(one), *values = (unsigned *)allocate(one);
    CHECK(cudaMemcpy(keys, apart.keys + bench.n, one, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(values, apart.values + bench.n, one, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.n; i++)
        pairs[i] = (uint64_t)keys[i] << 32 | values[i];
    free(keys);
    free(values);
}

static void release_apart(void)
{
    CHECK(cudaFree(apart.keys));
    CHECK(cudaFree(apart.values));
}

/* CUB's own way: called without memory it says how much it needs. */
static void call_cub(void)
{
    cudaError_t error =
        has_values()
            ? cub::DeviceRadixSort::SortPairs(bench.library_memory, bench.library_bytes, apart.keys,
                                              apart.keys + bench.n, apart.values, apart.values + bench.n,
                                              (int)bench.n, 0, 32, harness_stream())
            : cub::DeviceRadixSort::SortKeys(bench.library_memory, bench.library_bytes,
                                             (const unsigned *)bench.input, (unsigned *)bench.keys,
                                             (int)bench.n, 0, 32, harness_stream());
    need_library("CUB", error == cudaSuccess, cudaGetErrorString(error));
}

#else

static void prepare_apart(void) {}
static void download_apart(uint64_t *) {}
static void release_apart(void) {}
static void call_cub(void) {}

#endif

static void prepare_library(void)
{
    if (has_values())
        prepare_apart();
    bench.library_memory = NULL;
    call_cub();
    allocate_on_device(bench.library_memory, bench.library_bytes);
}

static void release_library(void)
{
    CHECK(cudaFree(bench.library_memory));
    if (has_values())
        release_apart();
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
    if (bench.is_library)
        return prepare_library();
    if (!resident_blocks(p->variant, p->threads, bench.n, 1))
        fail(EXIT_CANNOT, "%s: a block of %u threads has not enough room on this device", p->variant->name,
             p->threads);
    with_sort(bench.n, [&](auto &loop) { prepare_loop(loop, p); });
}

static void run(const struct point *)
{
    if (bench.is_library)
        call_cub();
    else
        with_sort(bench.n, [](auto &loop) { steps_run(loop.plan); });
}

static void release(void)
{
    if (bench.is_library)
        release_library();
    else
        release_loop();
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.n};
    size_t item = bytes() / bench.n;
    CHECK(cudaMemcpy(bench.host_output, bench.keys, bytes(), cudaMemcpyDeviceToHost));
    if (bench.is_library && has_values())
        download_apart((uint64_t *)bench.host_output);
    bool equal = memcmp(bench.host_output, bench.expected, bytes()) == 0;
    for (size_t i = 0; i < bench.n && !equal; i++)
        verdict.wrong +=
            memcmp((char *)bench.host_output + i * item, (char *)bench.expected + i * item, item) != 0;
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.n; i++)
        if (has_values())
            print_pair(file, ((uint64_t *)bench.host_output)[i], bench.type);
        else
            print_key(file, ((uint32_t *)bench.host_output)[i], bench.type);
}

static double operations(const struct point *p)
{
    int count = 0;
    if (p->variant->id == SYNC_METHODS)
        return 1; /* a library's call */
    with_sort(bench.n, [&](auto &loop) { count = loop.plan.steps; });
    return count ? count : 1;
}

/* Where it was, and did a sort from the highest digit on have to begin again? */
static void describe(const struct point *p, cJSON *json)
{
    unsigned uneven;
    describe_placement(p, json);
    if (bench.uneven) {
        CHECK(cudaMemcpy(&uneven, bench.uneven, sizeof uneven, cudaMemcpyDeviceToHost));
        cJSON_AddBoolToObject(json, "sorted_again", uneven != 0);
    }
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
         .help = "network (a barrier between each two steps), few-barriers, enumeration, radix, msd-radix or "
                 "fastest",
         .standard = "network",
         .choices = "network,few-barriers,enumeration,radix,msd-radix,fastest", /* as the enum */
         .number = &settings.algorithm},
        {.name = "values",
         .help =
             "none, or index: with each key goes a value of 32 bits, its place in the input (not network)",
         .standard = "none",
         .choices = "none,index",
         .number = &settings.values},
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
    e.launches.threads_of = threads_for;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.problem.sequential = reference;
    e.problem.write_answers = write_answers;
    e.describe = describe;
    e.any_warp_size = true;
    return run_experiment(argc, argv, e);
}
