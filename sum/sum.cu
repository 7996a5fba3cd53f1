/*
 * Sums and prefix sums by the algorithms of Nakano 2013, which trade time for barriers: Simple, Tree,
 * Simple-Tree and Hybrid, in one block with __syncthreads as in the paper, and over the whole grid with any
 * of the suite's barriers in its place (NAME+BARRIER). CUB's DeviceReduce and DeviceScan are measured
 * for comparison.
 *
 *     build/gpu/sum --size 1048576
 *     build/machine/sum --device umm:32,100 --variant sum-hybrid --size 65536 --schedule adversarial
 *     build/machine/sum --device umm:4,5 --variant prefix-tree --size 64 --trace trace.tsv
 */
#include "harness/cannot.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "harness/steps.cuh"
#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#endif
#include "sum/numbers.h"
#include "sum/dataflow.cuh"
#include "sum/few.cuh"
#include "sum/last_block.cuh"
#include "sum/phases.cuh"
#include "sum/prefix.cuh"

#ifndef GPUSYNC_MACHINE
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#endif
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 32768u /* of one block, on the abstract machines */

/* What a variant does; how its threads meet is a sync_id, IN_ONE_BLOCK, or none of ours. */
enum task { SUM, PREFIX, CONTIGUOUS_ACCESS, FIGURE_2, TASKS };
enum { IN_ONE_BLOCK = SYNC_METHODS, IN_ONE_WARP, BY_CUB, BY_LAST_BLOCK, BY_DATAFLOW, MEETINGS };

struct identity {
    int task, algorithm, meeting;
};

static int id_of(identity i)
{
    return (i.task * 4 + i.algorithm) * MEETINGS + i.meeting;
}

static identity identify(const struct variant *v)
{
    return {v->id / MEETINGS / 4, v->id / MEETINGS % 4, v->id % MEETINGS};
}

/* The sum of some numbers, and of their magnitudes. */
struct running_sum {
    number sum;
    double magnitude;
};

/* Numbers that one call of parallel_for sums or checks. */
#define CHUNK ((size_t)1 << 16)

static struct {
    numbers input;
    running_sum *up_to;        /* each chunk */
    unsigned long long *wrong; /* answers in each chunk */
    void *device_input, *words, *cub_memory, *parts;
    size_t cub_bytes;
    sum_plan plan;
    gpusync_grid_barrier barrier;
    void *answers; /* that the last verified run left, of the type */
    size_t answer_count;
} bench;

/* What is made once for a point that is a step loop. */
template <class T>
static steps_plan<SumStep<T>> steps;

#ifdef GPUSYNC_MACHINE
static unsigned warp_width(void)
{
    return (unsigned)machine_installed()->warp_size;
}

/* l of the paper. */
static unsigned memory_latency(void)
{
    return (unsigned)machine_installed()->global_latency;
}
#else
static unsigned warp_width(void)
{
    return WARP_WIDTH;
}

/* Long enough for as many threads as a block can have. */
static unsigned memory_latency(void)
{
    return 1024;
}
#endif

/* Calls `call` with a value of the type. */
template <class Call>
static void with_type(Call call)
{
    switch (bench.input.type) {
    case INT32:
        return call(0u);
    case INT64:
        return call(0ull);
    case FLOAT:
        return call(0.0f);
    default:
        return call(0.0);
    }
}

/* ---- the problem ---- */

static struct {
    int type; /* a number_type */
    int without_barrier;
} settings;

template <class T>
static T as_type(const number &number)
{
    return is_real(bench.input.type) ? (T)number.real : (T)number.whole;
}

template <class T>
static void upload(void)
{
    size_t bytes = bench.input.count * sizeof(T);
    T *host = (T *)allocate(bytes);
    for (unsigned i = 0; i < bench.input.count; i++)
        host[i] = as_type<T>(bench.input.items[i]);
    allocate_on_device(bench.device_input, bytes);
    CHECK(cudaMemcpy(bench.device_input, host, bytes, cudaMemcpyHostToDevice));
    free(host);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    number_type type = (number_type)settings.type;
    if (size > MOST_NUMBERS)
        fail(EXIT_BAD_INPUT, "size %lld: up to %d numbers can be summed", size, MOST_NUMBERS);
    if (file)
        read_numbers(file, type, &bench.input);
    else
        generate_numbers((unsigned)size, type, seed, &bench.input);
    with_type([](auto zero) { upload<decltype(zero)>(); });
    return bench.input.count;
}

static void close_problem(void)
{
    CHECK(cudaFree(bench.device_input));
    free(bench.input.items);
    free(bench.up_to);
    free(bench.wrong);
    free(bench.answers);
    bench.up_to = NULL;
    bench.wrong = NULL;
    bench.answers = NULL;
}

static size_t chunks_of_input(void)
{
    return (bench.input.count + CHUNK - 1) / CHUNK;
}

/* ---- a point ---- */

static unsigned round_up(unsigned threads)
{
    unsigned width = warp_width();
    return (threads + width - 1) / width * width;
}

/* The paper's: n/2 for Simple and Simple-Tree, n for Tree, w l for Hybrid, as far as a block can
 * have them. */
static unsigned threads_of_block(identity id)
{
    unsigned most = (unsigned)device_max_threads_per_block(), wanted = (bench.input.count + 1) / 2;
    most = most < MOST_THREADS ? most : MOST_THREADS;
    if (id.task == FIGURE_2)
        return 8;
    if (id.meeting == IN_ONE_WARP)
        return warp_width();
    if (id.algorithm == SUM_TREE)
        wanted = bench.input.count;
    if (id.task == CONTIGUOUS_ACCESS)
        wanted = (bench.input.count + 3) / 4;
    if (id.algorithm == SUM_HYBRID)
        wanted = warp_width() * memory_latency();
    wanted = round_up(wanted);
    return wanted < most ? wanted : most;
}

static unsigned blocks_for(unsigned items_of_block, unsigned most)
{
    unsigned wanted = (bench.input.count + items_of_block - 1) / items_of_block;
    return wanted < most ? wanted : most;
}

/* A sum: a thread has whole batches of loads, and there are no more blocks than keep memory busy. */
#define SUM_BLOCKS_PER_SM 2
static void shape_one_pass_sum(struct point *p, int sm_count)
{
    unsigned batch = BATCH_OF_LOADS * 4, items = batch, most = (unsigned)sm_count * SUM_BLOCKS_PER_SM;
    p->threads = SUM_THREADS;
    while (blocks_for(items * p->threads, UINT_MAX) > most)
        items += batch;
    p->blocks = blocks_for(items * p->threads, most);
}

/* Prefix sums of few numbers: a tile for each block; false if that takes too many blocks. One block, if one can hold them;
 * else blocks of the fewest threads. */
template <class T>
static bool shape_tile_each(struct point *p, int sm_count)
{
    static const struct {
        unsigned threads;
        int of_sm; /* blocks; 0: one in all */
    } choices[] = {{128, 0}, {256, 0}, {128, 1}, {256, 2}};
    for (auto choice : choices) {
        unsigned most = choice.of_sm ? (unsigned)(choice.of_sm * sm_count) : 1;
        p->threads = choice.threads;
        p->blocks = scan_tiles<T>(bench.input.count, p->threads);
        if (p->blocks <= most && resident_blocks_per_sm(prefix_of_a_tile_each<T>, p->threads,
                                                        sizeof(scan_totals<T>)) >= choice.of_sm)
            return true;
    }
    return false;
}

template <class T>
static unsigned resident_scanners(unsigned threads, int sm_count)
{
    int of_sm =
        resident_blocks_per_sm(prefix_of_tiles_in_turn<T>, threads, shared_bytes_of_turns<T>(threads));
    return (unsigned)(sm_count * of_sm);
}

/* Of many: the largest tiles, whose blocks wait least often; blocks of half the size where those have two each. */
template <class T>
static void shape_tiles_in_turn(struct point *p, int sm_count)
{
    p->threads =
        scan_tiles<T>(bench.input.count, 512) <= 2 * resident_scanners<T>(512, sm_count) ? 512 : 1024;
    while (!resident_scanners<T>(p->threads, sm_count))
        p->threads /= 2;
    unsigned tiles = scan_tiles<T>(bench.input.count, p->threads),
             most = resident_scanners<T>(p->threads, sm_count);
    unsigned rounds = (tiles + most - 1) / most;
    p->blocks = (tiles + rounds - 1) / rounds;
}

static void shape_one_pass_prefix(struct point *p, int sm_count)
{
    with_type([&](auto zero) {
        typedef decltype(zero) T;
        if (!shape_tile_each<T>(p, sm_count))
            shape_tiles_in_turn<T>(p, sm_count);
    });
}

static void shape(struct point *p, int sm_count)
{
    identity id = identify(p->variant);
    p->blocks = 1;
    p->threads = threads_of_block(id);
    if (id.meeting == BY_DATAFLOW && id.task == PREFIX)
        return shape_one_pass_prefix(p, sm_count);
    if (id.meeting >= BY_LAST_BLOCK)
        return shape_one_pass_sum(p, sm_count);
    if (id.meeting >= IN_ONE_BLOCK)
        return;
    p->threads = (unsigned)device_max_threads_per_block() / 2;
    p->blocks = (unsigned)sm_count;
    if (p->variant->resident)
        with_type([&](auto zero) {
            int resident =
                steps_resident_blocks<SumStep<decltype(zero)>>((sync_id)id.meeting, p->threads, 0, sm_count);
            p->blocks = p->blocks < (unsigned)resident ? p->blocks : (unsigned)resident;
        });
}

static bool can_do(const struct variant *v)
{
    identity id = identify(v);
    if (id.task == CONTIGUOUS_ACCESS || id.task == FIGURE_2)
        return device_is_machine();
    if (id.meeting == BY_LAST_BLOCK || id.meeting == BY_DATAFLOW)
        return warp_width() == 32;
    return id.meeting != BY_CUB || !device_is_machine();
}

#ifndef GPUSYNC_MACHINE

/* CUB's own way: called without memory it says how much it needs. */
template <class T>
static void call_cub(int task)
{
    T *in = (T *)bench.words, *out = in + bench.plan.result;
    cudaError_t error = task == SUM
                            ? cub::DeviceReduce::Sum(bench.cub_memory, bench.cub_bytes, in, out,
                                                     (int)bench.input.count, harness_stream())
                            : cub::DeviceScan::InclusiveSum(bench.cub_memory, bench.cub_bytes, in, out,
                                                            (int)bench.input.count, harness_stream());
    need_library("CUB", error == cudaSuccess, cudaGetErrorString(error));
}

#else

template <class T>
static void call_cub(int)
{
}

#endif

static void make_plan(const struct point *p, identity id)
{
    unsigned columns = p->blocks * p->threads, width = warp_width();
    sum_algorithm algorithm = (sum_algorithm)id.algorithm;
    bench.plan = id.task == PREFIX ? plan_prefix_sums(algorithm, bench.input.count, width, columns)
                                   : plan_sum(algorithm, bench.input.count, width, columns);
    if (id.meeting >= BY_CUB) { /* the result behind the input, aligned as that is */
        bench.plan.result = (bench.input.count + 3) / 4 * 4;
        bench.plan.words = bench.plan.result + (id.task == PREFIX ? bench.input.count : 1);
    }
}

template <class T>
static void prepare_steps(const struct point *p, identity id)
{
    SumStep<T> step = {(T *)bench.words, bench.plan};
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    steps<T> = steps_prepare((sync_id)id.meeting, step, bench.plan.steps, shape, bench.barrier);
}

/* One for each block or tile; none is there yet. */
template <class T>
static void prepare_parts(const struct point *p)
{
    size_t tiles = scan_tiles<T>(bench.input.count, p->threads),
           count = tiles > p->blocks ? tiles : p->blocks;
    allocate_on_device(bench.parts, count * sizeof(published<T>));
    CHECK(cudaMemset(bench.parts, 0, count * sizeof(published<T>)));
}

static void prepare(const struct point *p)
{
    identity id = identify(p->variant);
    make_plan(p, id);
    CHECK(gpusync_grid_barrier_create(&bench.barrier, p->blocks));
    with_type([&](auto zero) {
        typedef decltype(zero) T;
        allocate_on_device(bench.words, bench.plan.words * sizeof(T));
        CHECK(cudaMemset(bench.words, 0xff, bench.plan.words * sizeof(T)));
        CHECK(cudaMemcpy(bench.words, bench.device_input, bench.input.count * sizeof(T),
                         cudaMemcpyDeviceToDevice));
        bench.cub_memory = NULL;
        bench.parts = NULL;
        if (id.meeting == BY_CUB) {
            call_cub<T>(id.task);
            allocate_on_device(bench.cub_memory, bench.cub_bytes);
        } else if (id.meeting > BY_CUB) {
            prepare_parts<T>(p);
        } else if (id.meeting < SYNC_METHODS)
            prepare_steps<T>(p, id);
    });
}

static void release(void)
{
    with_type([&](auto zero) { steps_release(&steps<decltype(zero)>); });
    CHECK(cudaFree(bench.words));
    CHECK(gpusync_grid_barrier_destroy(&bench.barrier));
    CHECK(cudaFree(bench.cub_memory));
    CHECK(cudaFree(bench.parts));
}

/* Section 3: every word once, a warp's side by side (Lemma 1). */
__global__ void contiguous_access(const unsigned *words, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        (void)*(const volatile unsigned *)(words + i);
}

/* Figure 2's example: which words two warps of four ask for. By value, so that
 * only the requests count. */
struct wanted_words {
    unsigned of[8];
};
__global__ void access_given(const unsigned *words, wanted_words wanted)
{
    (void)*(const volatile unsigned *)(words + wanted.of[threadIdx.x]);
}

/* The barrier's words are zero, which is all that these need of it. */
template <class T>
static void run_one_pass_prefix(const struct point *p, launch_shape shape, const T *in, T *out)
{
    unsigned n = bench.input.count;
    bool tile_each = p->blocks == scan_tiles<T>(n, p->threads) && p->threads <= 256;
    shape.shared_bytes = tile_each ? sizeof(scan_totals<T>) : shared_bytes_of_turns<T>(p->threads);
    CHECK(launch(tile_each ? prefix_of_a_tile_each<T> : prefix_of_tiles_in_turn<T>, shape, harness_stream(),
                 in, (published<T> *)bench.parts, out, n, bench.barrier.words));
}

template <class T>
static void run_one_pass_sum(int meeting, launch_shape shape, const T *in, T *out)
{
    unsigned n = bench.input.count;
    shape.shared_bytes = 33 * sizeof(T); /* a number for each warp, and whether this block is the last */
    if (n <= few_numbers<T>())
        CHECK(launch(sum_of_few<T>, shape, harness_stream(), in, out, n));
    else if (meeting == BY_DATAFLOW)
        CHECK(launch(sum_by_dataflow<T>, shape, harness_stream(), in, (published<T> *)bench.parts, out, n,
                     bench.barrier.words));
    else
        CHECK(launch(sum_by_last_block<T>, shape, harness_stream(), in, (T *)bench.parts, out, n,
                     bench.barrier.words));
}

template <class T>
static void run_one_pass(const struct point *p, identity id)
{
    const T *in = (const T *)bench.words;
    T *out = (T *)bench.words + bench.plan.result;
    launch_shape shape = {p->blocks, p->threads, 0, false, runs_begin_early()};
    if (id.task == PREFIX)
        run_one_pass_prefix(p, shape, in, out);
    else
        run_one_pass_sum(id.meeting, shape, in, out);
}

template <class T, bool TOGETHER>
static void run_in_one_block(const launch_shape &shape)
{
    SumStep<T, TOGETHER> step = {(T *)bench.words, bench.plan};
    CHECK(launch(sum_in_one_block<T, TOGETHER>, shape, harness_stream(), step, settings.without_barrier));
}

template <class T>
static void run_task(const struct point *p, identity id)
{
    launch_shape shape = {1, p->threads, 0, false, false};
    if (id.task == CONTIGUOUS_ACCESS) {
        CHECK(launch(contiguous_access, shape, harness_stream(), (const unsigned *)bench.words,
                     bench.input.count));
    } else if (id.task == FIGURE_2) {
        wanted_words wanted = {{7, 5, 15, 0, 10, 11, 12, 9}};
        CHECK(launch(access_given, shape, harness_stream(), (const unsigned *)bench.words, wanted));
    } else if (id.meeting == BY_CUB) {
        call_cub<T>(id.task);
    } else if (id.meeting > BY_CUB) {
        run_one_pass<T>(p, id);
    } else if (id.meeting < SYNC_METHODS) {
        steps_run(steps<T>);
    } else {
#ifdef GPUSYNC_MACHINE
        if (machine_is_pure())
            return run_in_one_block<T, true>(shape);
#endif
        run_in_one_block<T, false>(shape);
    }
}

static void run(const struct point *p)
{
    with_type([&](auto zero) { run_task<decltype(zero)>(p, identify(p->variant)); });
}

/* ---- what came out ---- */

template <class T>
static void download(size_t count)
{
    bench.answers = reallocate(bench.answers, count * sizeof(T));
    CHECK(cudaMemcpy(bench.answers, (T *)bench.words + bench.plan.result, count * sizeof(T),
                     cudaMemcpyDeviceToHost));
    bench.answer_count = count;
}

template <class T>
static number answer(size_t i)
{
    T value = ((T *)bench.answers)[i];
    return {is_real(bench.input.type) ? 0 : (uint64_t)value, (double)value};
}

static void add(running_sum *to, const number &item)
{
    to->sum.whole += item.whole;
    to->sum.real += item.real;
    to->magnitude += fabs(item.real);
}

static unsigned end_of_chunk(size_t chunk)
{
    size_t end = (chunk + 1) * CHUNK;
    return end < bench.input.count ? (unsigned)end : bench.input.count;
}

static void sum_chunk(size_t chunk)
{
    running_sum *sum = &bench.up_to[chunk + 1];
    for (size_t i = chunk * CHUNK; i < end_of_chunk(chunk); i++)
        add(sum, bench.input.items[i]);
}

/* What the sums are up to each chunk; up_to[chunks]: all. */
static void reference(void)
{
    size_t chunks = chunks_of_input();
    bench.up_to = (running_sum *)allocate((chunks + 1) * sizeof *bench.up_to);
    bench.wrong = (unsigned long long *)allocate(chunks * sizeof *bench.wrong);
    for (size_t c = 0; c <= chunks; c++)
        bench.up_to[c] = {};
    parallel_for(chunks, sum_chunk);
    for (size_t c = 1; c <= chunks; c++) {
        bench.up_to[c].sum.whole += bench.up_to[c - 1].sum.whole;
        bench.up_to[c].sum.real += bench.up_to[c - 1].sum.real;
        bench.up_to[c].magnitude += bench.up_to[c - 1].magnitude;
    }
}

template <class T>
static void check_chunk(size_t chunk)
{
    running_sum now = bench.up_to[chunk];
    unsigned long long wrong = 0;
    for (size_t i = chunk * CHUNK; i < end_of_chunk(chunk); i++) {
        add(&now, bench.input.items[i]);
        number found = answer<T>(i);
        wrong += !is_right(bench.input.type, &found, &now.sum, now.magnitude, i + 1);
    }
    bench.wrong[chunk] = wrong;
}

template <class T>
static bool is_total_right(void)
{
    const running_sum *all = &bench.up_to[chunks_of_input()];
    number found = answer<T>(0);
    return is_right(bench.input.type, &found, &all->sum, all->magnitude, bench.input.count);
}

static struct verdict check(const struct point *p)
{
    bool prefix = identify(p->variant).task == PREFIX;
    struct verdict verdict = {true, 0, prefix ? bench.input.count : 1};
    with_type([&](auto zero) {
        typedef decltype(zero) T;
        download<T>(verdict.compared);
        if (prefix)
            parallel_for(chunks_of_input(), check_chunk<T>);
        else
            verdict.wrong = !is_total_right<T>();
    });
    for (size_t c = 0; prefix && c < chunks_of_input(); c++)
        verdict.wrong += bench.wrong[c];
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.answer_count; i++) {
        number found = {};
        with_type([&](auto zero) { found = answer<decltype(zero)>(i); });
        if (is_real(bench.input.type))
            fprintf(file, "%.17g\n", found.real);
        else if (bench.input.type == INT32)
            fprintf(file, "%d\n", (int)found.whole);
        else
            fprintf(file, "%lld\n", (long long)found.whole);
    }
}

static double operations(const struct point *)
{
    return bench.input.count;
}

/* Barriers are between steps. */
static void describe(const struct point *p, cJSON *json)
{
    identity id = identify(p->variant);
    if (id.task <= PREFIX && id.meeting < BY_CUB)
        cJSON_AddNumberToObject(json, "barriers", bench.plan.steps - 1);
}

/* ---- the variants ---- */

static struct variant variants[TASKS * 4 * MEETINGS];
static char names[TASKS * 4 * MEETINGS][96];
static int variant_count;

static void add_variant(identity id, const char *name, const char *with, const char *summary,
                        const struct variant *like)
{
    snprintf(names[variant_count], sizeof *names, "%s%s", name, with);
    struct variant *v = &variants[variant_count];
    if (like)
        *v = *like;
    v->id = id_of(id);
    v->name = names[variant_count++];
    v->summary = summary;
    v->ordered = true;
    v->unchecked = id.task > PREFIX;
}

static void make_variants(void)
{
    static const char *const algorithms[] = {"simple", "tree", "simple-tree", "hybrid"};
    static const char *const tasks[] = {"sum", "prefix"};
    static const struct variant on_gpu = {.special = "a GPU: CUB is a library for it"};
    static const char warps[] = "warps of 32 threads, whose shuffles it adds up with";
    static const struct variant one_pass[] = {{.capability = 70, .special = warps},
                                              {.resident = true, .capability = 70, .special = warps}};
    static const struct variant on_machine = {.special = "the memory machine, which counts its time units"};
    for (int task = SUM; task <= PREFIX; task++) {
        char name[48];
        for (int a = 0; a < 4; a++) {
            snprintf(name, sizeof name, "%s-%s", tasks[task], algorithms[a]);
            add_variant({task, a, IN_ONE_BLOCK}, name, "", "in one block, with __syncthreads", NULL);
        }
        snprintf(name, sizeof name, "%s-one-warp", tasks[task]);
        add_variant({task, SUM_TREE, IN_ONE_WARP}, name, "", "Tree by one warp alone", NULL);
        for (int a = 0; a < 4; a++)
            for (int method = 0; method < SYNC_METHODS; method++) {
                char with[32];
                snprintf(name, sizeof name, "%s-%s", tasks[task], algorithms[a]);
                snprintf(with, sizeof with, "+%s", sync_variants[method].name);
                if (sync_variants[method].ordered)
                    add_variant({task, a, method}, name, with, sync_variants[method].summary,
                                &sync_variants[method]);
            }
        if (task == SUM)
            add_variant({task, 0, BY_LAST_BLOCK}, "sum-last-block", "",
                        "one pass; the block that is last adds up", &one_pass[SUM]);
        add_variant({task, 0, BY_DATAFLOW}, tasks[task], "-dataflow",
                    "one pass; blocks hand over parts that say themselves that they are there",
                    &one_pass[task]);
        add_variant({task, 0, BY_CUB}, tasks[task], "-cub", "CUB's DeviceReduce or DeviceScan", &on_gpu);
    }
    add_variant({CONTIGUOUS_ACCESS, 0, IN_ONE_BLOCK}, "contiguous-access", "",
                "section 3 (Lemma 1), four words a thread", &on_machine);
    add_variant({FIGURE_2, 0, IN_ONE_BLOCK}, "figure-2", "", "the paper's example of requests", &on_machine);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "type",
         .help = "int32, int64, float or double",
         .standard = "int32",
         .choices = "int32,int64,float,double", /* as enum number_type */
         .number = &settings.type},
        {.name = "without-barrier",
         .help = "leave out the __syncthreads after this step, to show that it is needed; -1: none",
         .standard = "-1",
         .least = -1,
         .most = MOST_STEPS,
         .number = &settings.without_barrier},
        {}};
    struct experiment e = {};
    make_variants();
    e.name = "sum";
    e.question = "sums and prefix sums: do algorithms with few barriers pay?";
    e.variants = variants;
    e.variant_count = variant_count;
    e.size_means = "how many numbers";
    e.gpu_sizes = "1024,16384,65536,262144,1048576,4194304";
    e.machine_sizes = "1024";
    e.gpu_runs = 3;
    e.options = options;
    e.can_do = can_do;
    e.launches.shape = shape;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.problem.write_answers = write_answers;
    e.describe = describe;
    e.begins_early = true;
    e.any_warp_size = true;
    return run_experiment(argc, argv, e);
}
