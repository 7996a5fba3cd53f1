/*
 * Bitonic sort of N = 2^m keys of 32 bits, ascending, in m (m + 1) / 2 steps with a barrier between two steps
 * (Xiao and Feng 2010, section VI-C; Figures 10c to 13c).
 *
 *     build/gpu/bitonic --variant lock-free-fence,counter,cpu-implicit --blocks 9-30 --size 262144
 *
 * --algorithm few-barriers runs the same network with one barrier for many steps (bitonic/few_barriers.cuh).
 * For comparison there are sorts without a network: --algorithm enumeration for few keys
 * (bitonic/enumeration.cuh), and --algorithm radix, msd-radix and msd-radix-twice for many keys
 * (bitonic/radix.cuh, bitonic/msd_radix.cuh, bitonic/msd_twice.cuh). --algorithm fastest chooses one of these
 * by the number of keys, and its variant `fastest` also chooses the number of blocks. With --values index
 * each key carries a value of 32 bits.
 *
 * Keys are unsigned, int or float. All are sorted as unsigned numbers in the same order (bitonic/keys.h).
 * Among floats -0 comes before 0, NaNs with the sign bit come first and the other NaNs last.
 */
#include "base/failure.h"
#include "base/log_2.h"
#include "base/memory.h"
#include "bitonic/cub_sort.cuh"
#include "bitonic/enumeration.cuh"
#include "bitonic/few_barriers.cuh"
#include "bitonic/keys.h"
#include "bitonic/msd_twice.cuh"
#include "bitonic/network.cuh"
#include "bitonic/on_device.cuh"
#include "bitonic/radix.cuh"
#include "bitonic/variants.cuh"
#include "harness/memory.h"
#include "harness/step_bench.cuh"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static struct {
    unsigned n;
    int steps;
    enum key_type type;
    uint32_t *host_input; /* the input's keys as unsigned numbers with the same order (bitonic/keys.h) */
    void *host_output, *expected;
    void *input, *keys; /* the input and the result on the device: n keys, or n pairs of a key and a value */
    /* working memory on the device, as large as `keys`, for few-barriers and the radix sorts */
    void *scratch;
    void *regions, *rooms; /* working memory of msd-radix-twice on the device (bitonic/msd_twice.cuh) */
    sort_plan *plan;       /* the plan of the few-barriers sort (bitonic/passes.h), on the device */
    unsigned *counts;      /* numbers of keys by digit, which the radix sorts count, on the device */
    unsigned *uneven;      /* the word of `counts` that msd-radix sets if it has to sort again */
    bool is_library;       /* whether the prepared variant is CUB's sort */
    /* whether the keys are made and the sorted ones are checked on the device (bitonic/on_device.cuh); then
     * the arrays of the host are NULL */
    bool on_device;
} bench;

template <class Step>
static step_bench<Step> loop_of;

static struct {
    int keys, algorithm, values;
} settings;

enum { NETWORK, FEW_BARRIERS, ENUMERATION, RADIX, MSD_RADIX, FASTEST, MSD_TWICE };

/* A pair is one number of 64 bits: the key in the upper half, the value in the lower. So pairs with equal
 * keys are in the order of their values. */
typedef unsigned long long pair;

static bool has_values(void)
{
    return settings.values == 1;
}

/* the most keys that the host sorts for comparison; a GPU checks faster, but the papers' network is timed */
#define MOST_ON_HOST (settings.algorithm == NETWORK ? 1 << 22 : 1 << 16)

static size_t bytes(void)
{
    return bench.n * (has_values() ? sizeof(pair) : sizeof(unsigned));
}

#define LEAST 2048
/* the least number of keys for which tiles of 2^12 keys are faster than tiles of 2^11 */
#define LARGE (1 << 19)

/* Returns the algorithm for `size` keys. `fastest` stands for enumeration if there are few keys, for a radix
 * sort if there are many, and for few-barriers in between; the limits, with and without values, were measured
 * on an H200 and an H100. */
static int algorithm_for(long long size)
{
    if (settings.algorithm != FASTEST)
        return settings.algorithm;
    if (size <= 4096)
        return ENUMERATION;
    if (size < (has_values() ? 1 << 17 : 1 << 19))
        return FEW_BARRIERS;
    const long long once = has_values() ? 1 << 23 : 1 << 24, most = has_values()
                                                                        ? msd_twice_sort<pair>::MOST_KEYS
                                                                        : msd_twice_sort<unsigned>::MOST_KEYS;
    if (!msd_radix_fits() || size > most)
        return RADIX;
    return size > once ? MSD_TWICE : MSD_RADIX;
}

template <class Key, class Call>
static void with_sort_of(long long size, Call call)
{
    /* True if a tile has 2^11 keys, false if it has 2^12. An input of exactly 2^12 keys is sorted as one
     * large tile, because no plan has exactly two tiles. */
    bool is_small = size < LARGE && size != 1 << 12;
    int algorithm = algorithm_for(size);
    if (algorithm == ENUMERATION)
        call(loop_of<enumeration_sort<Key>>);
    else if (algorithm == RADIX)
        call(loop_of<radix_sort<Key>>);
    else if (algorithm == MSD_RADIX)
        call(loop_of<msd_radix_sort<Key>>);
    else if (algorithm == MSD_TWICE)
        call(loop_of<msd_twice_sort<Key>>);
    else if (is_small)
        call(loop_of<few_barriers_sort<11, Key>>);
    else
        call(loop_of<few_barriers_sort<12, Key>>);
}

/* Calls `call` with the step loop that sorts `size` keys. */
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
    return 0; /* 0 means that --threads gives the number of threads */
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
    return steps_resident_blocks<Step>(method_of(v), threads, Step::SHARED_BYTES, sm_count);
}
static int resident_blocks(const struct variant *v, unsigned threads, long long size, int sm_count)
{
    int blocks = 0;
    with_sort(size, [&](auto &loop) { blocks = resident_of(loop, v, threads, sm_count); });
    return blocks;
}

/* Returns the number of blocks of the variant `fastest`: on each multiprocessor two (if they fit) for the
 * radix sort from the lowest digit, one for other sorts. These were the fastest on an H200 and an H100. */
static unsigned blocks_of(const struct variant *v, long long size, int sm_count)
{
    if (v->id != FASTEST_OF_ALL)
        return 0;
    int resident = resident_blocks(v, threads_for(size), size, sm_count),
        wanted = algorithm_for(size) == RADIX ? 2 * sm_count : sm_count;
    return (unsigned)(resident < wanted ? resident : wanted);
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

/* Returns a radix sort for `blocks` blocks and allocates its counts, which begin as zero. Before the counts
 * are `more` words, also zero, for use by the caller. */
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
static void prepare_loop(step_bench<msd_twice_sort<Key>> &loop, const struct point *p)
{
    typedef msd_twice_sort<Key> sort;
    typename sort::lsd_sort lsd =
        make_radix_sort<Key, sort::THREADS>(p->blocks, sort::MOST_OF_SPLIT + sort::MOST_ROOMS + 1);
    sort step = {};
    step.lsd = lsd;
    step.in_region = bench.counts;
    step.in_room = bench.counts + sort::MOST_OF_SPLIT;
    step.uneven = bench.uneven = step.in_room + sort::MOST_ROOMS;
    step.divide_twice();
    allocate_on_device(bench.regions, step.keys_in_regions() * sizeof(Key));
    allocate_on_device(bench.rooms, step.keys_in_rooms() * sizeof(Key));
    step.regions = (Key *)bench.regions;
    step.rooms = (Key *)bench.rooms;
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
    CHECK(cudaFree(bench.regions));
    CHECK(cudaFree(bench.rooms));
    bench.plan = NULL;
    bench.counts = NULL;
    bench.uneven = NULL;
    bench.scratch = NULL;
    bench.regions = NULL;
    bench.rooms = NULL;
}

/* Fills `items` with the input: the keys, or pairs of each key and its index in the input. */
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
    if (bench.on_device)
        return;
    fill_items(bench.expected);
    if (has_values())
        sort_pairs((uint64_t *)bench.expected, bench.n);
    /* the algorithms after FEW_BARRIERS (enumeration and the radix sorts) have no comparator network */
    else if (settings.algorithm > FEW_BARRIERS)
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
    if ((settings.algorithm == MSD_RADIX || settings.algorithm == MSD_TWICE) && !msd_radix_fits())
        fail(EXIT_CANNOT, "msd-radix needs %zu KB of shared memory, more than a multiprocessor here has",
             msd_twice_sort<pair>::SHARED_BYTES / 1024 + 1);
    if (has_values() && settings.algorithm == NETWORK)
        fail(EXIT_BAD_INPUT, "values go with keys in every --algorithm but network");
    bench.on_device = !file && !device_is_machine() && size > MOST_ON_HOST;
    if (!file && !bench.on_device)
        bench.host_input = generate_keys((size_t)size, seed);
    bench.n = (unsigned)size;
    for (unsigned m = 1; 1ull << m <= bench.n; m++)
        bench.steps += (int)m;
    allocate_on_device(bench.input, bytes());
    allocate_on_device(bench.keys, bytes());
    if (bench.on_device && has_values())
        look_at_all(make_keys<pair>{(pair *)bench.input, seed}, bench.n);
    else if (bench.on_device)
        look_at_all(make_keys<unsigned>{(unsigned *)bench.input, seed}, bench.n);
    if (bench.on_device)
        return size;
    bench.host_output = allocate(bytes());
    bench.expected = allocate(bytes());
    fill_items(bench.host_output);
    CHECK(cudaMemcpy(bench.input, bench.host_output, bytes(), cudaMemcpyHostToDevice));
    /* no step runs for a single key, so it is copied to the result here */
    CHECK(cudaMemcpy(bench.keys, bench.host_output, bytes(), cudaMemcpyHostToDevice));
    return size;
}

/* Returns the bytes of the input and the result, of a second copy of the keys with counts, or of what CUB
 * needs: input, output and temporary arrays of keys and of values. */
static size_t bytes_of_problem(long long size)
{
    return (size_t)size * (has_values() ? 2 * sizeof(pair) + 6 * sizeof(unsigned) : 4 * sizeof(unsigned)) +
           ((size_t)1 << 28);
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

static bool can_do(const struct variant *v)
{
    if (v->id == FASTEST_OF_ALL)
        return settings.algorithm == FASTEST;
    return (v->id != CUB_SORT && v->id != COPY) || !device_is_machine();
}

/* ---- a point ---- */

static void prepare(const struct point *p)
{
    bench.is_library = p->variant->id == CUB_SORT;
    if (bench.steps)
        CHECK(cudaMemset(bench.keys, 0xff, bytes()));
    if (bench.is_library)
        return cub_sort_prepare({bench.n, has_values(), bench.input, bench.keys});
    if (p->variant->id == COPY)
        return;
    if (!resident_blocks(p->variant, p->threads, bench.n, 1))
        fail(EXIT_CANNOT, "%s: a block of %u threads has not enough room on this device", p->variant->name,
             p->threads);
    struct point with_method = *p;
    with_method.variant = &sync_variants[method_of(p->variant)];
    with_sort(bench.n, [&](auto &loop) { prepare_loop(loop, &with_method); });
}

static void run(const struct point *p)
{
    if (bench.is_library)
        cub_sort_run();
    else if (p->variant->id == COPY)
        CHECK(cudaMemcpyAsync(bench.keys, bench.input, bytes(), cudaMemcpyDeviceToDevice, harness_stream()));
    else
        with_sort(bench.n, [](auto &loop) { steps_run(loop.plan); });
}

static void release(void)
{
    if (bench.is_library)
        cub_sort_release();
    else
        release_loop();
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, bench.n};
    size_t item = bytes() / bench.n;
    if (bench.is_library && has_values())
        cub_sort_join();
    if (bench.on_device) {
        verdict.wrong =
            has_values() ? wrong_keys((const pair *)bench.input, (const pair *)bench.keys, bench.n)
                         : wrong_keys((const unsigned *)bench.input, (const unsigned *)bench.keys, bench.n);
        verdict.correct = verdict.wrong == 0;
        return verdict;
    }
    CHECK(cudaMemcpy(bench.host_output, bench.keys, bytes(), cudaMemcpyDeviceToHost));
    bool equal = memcmp(bench.host_output, bench.expected, bytes()) == 0;
    for (size_t i = 0; i < bench.n && !equal; i++)
        verdict.wrong +=
            memcmp((char *)bench.host_output + i * item, (char *)bench.expected + i * item, item) != 0;
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    if (bench.on_device) {
        bench.host_output = allocate(bytes());
        CHECK(cudaMemcpy(bench.host_output, bench.keys, bytes(), cudaMemcpyDeviceToHost));
    }
    for (size_t i = 0; i < bench.n; i++)
        if (has_values())
            print_pair(file, ((uint64_t *)bench.host_output)[i], bench.type);
        else
            print_key(file, ((uint32_t *)bench.host_output)[i], bench.type);
}

static double operations(const struct point *p)
{
    int count = 0;
    if (p->variant->id == CUB_SORT || p->variant->id == COPY)
        return 1; /* a call of CUB or a copy counts as one step */
    with_sort(bench.n, [&](auto &loop) { count = loop.plan.steps; });
    return count ? count : 1;
}

/* Adds to the result where the blocks ran and, for msd-radix, whether it had to sort again. */
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
        /* the choices are in the order of enum key_type */
        OPTION_OF_CHOICE("keys", "unsigned,int,float", "unsigned", &settings.keys, "unsigned, int or float"),
        /* the choices are in the order of NETWORK, FEW_BARRIERS, ... */
        OPTION_OF_CHOICE(
            "algorithm", "network,few-barriers,enumeration,radix,msd-radix,fastest,msd-radix-twice",
            "network", &settings.algorithm,
            "network (a barrier between each two steps), few-barriers, enumeration, radix, msd-radix, "
            "msd-radix-twice or fastest"),
        OPTION_OF_CHOICE(
            "values", "none,index", "none", &settings.values,
            "none, or index: with each key goes a value of 32 bits, its place in the input (not network)"),
        {}};
    struct experiment e = {
        .name = "bitonic",
        .question = "bitonic sort under every barrier",
        .any_warp_size = true,
        .can_do = can_do,
        .options = options,
        .size_means = "keys, a power of two",
        .gpu_sizes = "262144",
        .machine_sizes = "2048",
        .launches = {.threads = "512", /* the number of threads of Xiao and Feng 2010 */
                     .resident_blocks = resident_blocks,
                     .threads_of = threads_for,
                     .blocks_of = blocks_of},
        .problem = {open_problem, close_problem, reference, reference, write_answers, bytes_of_problem,
                    &bench.on_device},
    };
    make_step_experiment(&e, beyond_steps, 3);
    e.describe = describe;
    return run_experiment(argc, argv, e);
}
