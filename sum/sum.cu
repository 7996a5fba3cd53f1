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
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/steps.cuh"
#ifdef GPUSYNC_MACHINE
#include "machine/machine.h"
#endif
#include "sum/answers.cuh"
#include "sum/numbers.h"
#include "sum/on_device.cuh"
#include "sum/one_pass.cuh"
#include "sum/phases.cuh"
#include "sum/variants.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cjson/cJSON.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of threads of a block on the abstract machines, for the algorithms that have more threads
 * for more numbers. Hybrid's number does not depend on how many numbers there are, and has no limit. */
#define MOST_THREADS 32768u

static struct {
    numbers input;
    void *device_input, *words, *cub_memory, *parts;
    size_t cub_bytes;
    sum_plan plan;
    gpusync_grid_barrier barrier;
    /* whether the numbers are made and their sums are checked on the device (sum/on_device.cuh) */
    bool on_device;
    sums_on_device sums;
    size_t answers; /* how many answers the last checked point has on the device */
} bench;

/* The most numbers that the host makes and sums for comparison. With more, it takes much longer than the
 * device. */
#define MOST_ON_HOST (1 << 22)

/* The launches of a variant that is a step loop; they are prepared once for each point. */
template <class Step>
static steps_plan<Step> steps;

#ifdef GPUSYNC_MACHINE
static unsigned warp_width(void)
{
    return (unsigned)machine_installed()->warp_size;
}

/* Returns the latency l of memory in the model of Nakano 2013. */
static unsigned memory_latency(void)
{
    return (unsigned)machine_installed()->global_latency;
}

/* Is the device one of the abstract machines of Nakano 2013, umm:W,L or dmm:W,L? */
static bool is_abstract(void)
{
    return machine_installed()->compute_capability == PURE_CAPABILITY;
}
#else
static unsigned warp_width(void)
{
    return WARP_WIDTH;
}

/* Returns a value for the latency l of Nakano 2013. A GPU has no constant latency; this value gives Hybrid
 * the most threads that a block can have. */
static unsigned memory_latency(void)
{
    return 1024;
}
#endif

/* Calls `call` with a zero whose C type is the type of the input's numbers. */
template <class Call>
static void with_type(Call call)
{
    with_type(bench.input.type, call);
}

/* Calls `call` with an object of the class whose kernels do the steps of the input's numbers under a barrier
 * of the grid. */
template <class Call>
static void with_step(Call call)
{
#ifdef GPUSYNC_MACHINE
    if (is_abstract())
        return with_type([&](auto zero) { call(SumStep<decltype(zero), ABSTRACT>()); });
#endif
    with_type([&](auto zero) { call(SumStep<decltype(zero)>()); });
}

/* ---- the problem ---- */

static struct {
    int type; /* the type of the numbers, a value of enum number_type */
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

template <class T>
static void make_on_device(unsigned long long seed)
{
    allocate_on_device(bench.device_input, bench.input.count * sizeof(T));
    look_at_all(make_numbers<T>{(T *)bench.device_input, bench.input.type, seed}, bench.input.count);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    number_type type = (number_type)settings.type;
    if (size > MOST_NUMBERS)
        fail(EXIT_BAD_INPUT, "size %lld: up to %d numbers can be summed", size, MOST_NUMBERS);
    if (file)
        read_numbers(file, type, &bench.input);
    bench.on_device = !file && !device_is_machine() && size > MOST_ON_HOST;
    if (bench.on_device) {
        bench.input = {NULL, (unsigned)size, type};
        with_type([&](auto zero) { make_on_device<decltype(zero)>(seed); });
        return size;
    }
    if (!file)
        generate_numbers((unsigned)size, type, seed, &bench.input);
    with_type([](auto zero) { upload<decltype(zero)>(); });
    return bench.input.count;
}

/* The numbers, and for a point their copy and their prefix sums; what else a point needs is small, but for
 * the variants that are step loops, whose arrays are up to four times as long. */
static size_t bytes_of_problem(long long size)
{
    const size_t item = settings.type == INT64 || settings.type == DOUBLE ? 8 : 4;
    return 3 * (size_t)size * item + ((size_t)1 << 28);
}

static void close_problem(void)
{
    CHECK(cudaFree(bench.device_input));
    free(bench.input.items);
    free_sums_on_device(&bench.sums);
    answers_free();
}

/* ---- a point ---- */

static unsigned round_up(unsigned threads)
{
    unsigned width = warp_width();
    return (threads + width - 1) / width * width;
}

/* Returns the number of threads of a block as in Nakano 2013, as far as a block can have as many: n/2 for
 * Simple and Simple-Tree, n for Tree, w l for Hybrid. */
static unsigned threads_of_block(identity id)
{
    unsigned most = (unsigned)device_max_threads_per_block(), wanted = (bench.input.count + 1) / 2;
    if (id.algorithm != SUM_HYBRID)
        most = most < MOST_THREADS ? most : MOST_THREADS;
    if (id.task == FIGURE_2)
        return 8;
    if (id.method == IN_ONE_WARP)
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

static void shape(struct point *p, int sm_count)
{
    identity id = identify(p->variant);
    p->blocks = 1;
    p->threads = threads_of_block(id);
    if (id.method == BY_DATAFLOW && id.task == PREFIX)
        return with_type(
            [&](auto zero) { shape_one_pass_prefix<decltype(zero)>(p, bench.input.count, sm_count); });
    if (id.method >= BY_LAST_BLOCK)
        return shape_one_pass_sum(p, bench.input.count, sm_count);
    if (id.method >= IN_ONE_BLOCK)
        return;
    p->threads = (unsigned)device_max_threads_per_block() / 2;
    p->threads = p->threads < MOST_THREADS ? p->threads : MOST_THREADS;
    p->blocks = (unsigned)sm_count;
    if (p->variant->resident)
        with_step([&](auto step) {
            int resident = steps_resident_blocks<decltype(step)>((sync_id)id.method, p->threads, 0, sm_count);
            p->blocks = p->blocks < (unsigned)resident ? p->blocks : (unsigned)resident;
        });
}

static bool can_do(const struct variant *v)
{
    identity id = identify(v);
    if (id.task == CONTIGUOUS_ACCESS || id.task == FIGURE_2)
        return device_is_machine();
    if (id.task == COPY)
        return !device_is_machine();
    if (id.method == BY_LAST_BLOCK || id.method == BY_DATAFLOW)
        return warp_width() == 32;
    return id.method != BY_CUB || !device_is_machine();
}

/* Runs CUB. Without temporary memory, as in the first call, it only sets bench.cub_bytes to the number of
 * bytes that CUB needs. */
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

static void make_plan(const struct point *p, identity id)
{
    unsigned columns = p->blocks * p->threads, width = warp_width();
    sum_algorithm algorithm = (sum_algorithm)id.algorithm;
    bench.plan = id.task == PREFIX ? plan_prefix_sums(algorithm, bench.input.count, width, columns)
                                   : plan_sum(algorithm, bench.input.count, width, columns);
    /* for CUB and the one-pass variants the result follows the input, aligned to 16 bytes */
    if (id.method >= BY_CUB) {
        bench.plan.result = (bench.input.count + 3) / 4 * 4;
        bench.plan.words = bench.plan.result + (id.task == SUM ? 1 : bench.input.count);
    }
}

static void prepare_steps(const struct point *p, identity id)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    with_step([&](auto step) {
        step.words = (decltype(step.words))bench.words;
        step.plan = bench.plan;
        steps<decltype(step)> =
            steps_prepare((sync_id)id.method, step, bench.plan.steps, shape, bench.barrier);
    });
}

static void prepare(const struct point *p)
{
    identity id = identify(p->variant);
    make_plan(p, id);
    if (bench.plan.words == UINT_MAX)
        cannot_measure("the arrays of %s are longer than 2^32 numbers", p->variant->name);
    if (bench.plan.words > device_free_bytes() / 8 && bench.on_device)
        cannot_measure("no memory for an array of %u numbers", bench.plan.words);
    CHECK(gpusync_grid_barrier_create(&bench.barrier, p->blocks));
    with_type([&](auto zero) {
        typedef decltype(zero) T;
        allocate_on_device(bench.words, bench.plan.words * sizeof(T));
        CHECK(cudaMemset(bench.words, 0xff, bench.plan.words * sizeof(T)));
        CHECK(cudaMemcpy(bench.words, bench.device_input, bench.input.count * sizeof(T),
                         cudaMemcpyDeviceToDevice));
        bench.cub_memory = NULL;
        bench.parts = NULL;
        if (id.method == BY_CUB) {
            call_cub<T>(id.task);
            allocate_on_device(bench.cub_memory, bench.cub_bytes);
        } else if (id.method > BY_CUB) {
            bench.parts = one_pass_parts<T>(p, bench.input.count);
        } else if (id.method < SYNC_METHODS)
            prepare_steps(p, id);
    });
}

static void release(void)
{
    with_step([&](auto step) { steps_release(&steps<decltype(step)>); });
    CHECK(cudaFree(bench.words));
    CHECK(gpusync_grid_barrier_destroy(&bench.barrier));
    CHECK(cudaFree(bench.cub_memory));
    CHECK(cudaFree(bench.parts));
}

/* Reads every word once, where a warp's words are consecutive (Nakano 2013, section 3, Lemma 1). */
__global__ void contiguous_access(const unsigned *words, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        (void)*(const volatile unsigned *)(words + i);
}

/* The indices of the words that two warps of four threads read in the example of Figure 2 of Nakano 2013. The
 * kernel gets them by value, so that only the requests of the example count. */
struct wanted_words {
    unsigned of[8];
};
__global__ void access_given(const unsigned *words, wanted_words wanted)
{
    (void)*(const volatile unsigned *)(words + wanted.of[threadIdx.x]);
}

/* Runs a one-pass variant. It needs one word that is zero before the first launch, and uses the barrier's
 * first word. */
template <class T>
static void run_one_pass(const struct point *p, identity id)
{
    const T *in = (const T *)bench.words;
    one_pass<T> on = {in, bench.parts, (T *)bench.words + bench.plan.result, bench.barrier.words,
                      bench.input.count};
    if (id.task == PREFIX)
        run_one_pass_prefix(p, on);
    else
        run_one_pass_sum(p, id.method == BY_DATAFLOW, on);
}

template <class T, sum_machine MACHINE>
static void run_in_one_block(const launch_shape &shape)
{
    SumStep<T, MACHINE> step = {(T *)bench.words, bench.plan};
    CHECK(launch(sum_in_one_block<T, MACHINE>, shape, harness_stream(), step, settings.without_barrier));
}

template <class T>
static void run_task(const struct point *p, identity id)
{
    launch_shape shape = {1, p->threads, 0, false, false};
    if (id.task == COPY) {
        CHECK(cudaMemcpyAsync((T *)bench.words + bench.plan.result, bench.words,
                              bench.input.count * sizeof(T), cudaMemcpyDeviceToDevice, harness_stream()));
    } else if (id.task == CONTIGUOUS_ACCESS) {
        CHECK(launch(contiguous_access, shape, harness_stream(), (const unsigned *)bench.words,
                     bench.input.count));
    } else if (id.task == FIGURE_2) {
        wanted_words wanted = {{7, 5, 15, 0, 10, 11, 12, 9}};
        CHECK(launch(access_given, shape, harness_stream(), (const unsigned *)bench.words, wanted));
    } else if (id.method == BY_CUB) {
        call_cub<T>(id.task);
    } else if (id.method > BY_CUB) {
        run_one_pass<T>(p, id);
    } else if (id.method < SYNC_METHODS) {
        with_step([&](auto step) { steps_run(steps<decltype(step)>); });
    } else {
#ifdef GPUSYNC_MACHINE
        if (is_abstract())
            return run_in_one_block<T, TOGETHER>(shape);
#endif
        run_in_one_block<T, LIKE_GPU>(shape);
    }
}

static void run(const struct point *p)
{
    with_type([&](auto zero) { run_task<decltype(zero)>(p, identify(p->variant)); });
}

/* ---- the answers ---- */

static void reference(void)
{
    if (bench.on_device)
        return with_type([](auto zero) {
            typedef decltype(zero) T;
            bench.sums = sum_on_device((const T *)bench.device_input, bench.input.count, bench.input.type);
        });
    answers_reference(&bench.input);
}

static struct verdict check(const struct point *p)
{
    bool prefix = identify(p->variant).task == PREFIX;
    struct verdict verdict = {true, 0, prefix ? bench.input.count : 1};
    with_type([&](auto zero) {
        typedef decltype(zero) T;
        const T *in = (const T *)bench.device_input, *out = (const T *)bench.words + bench.plan.result;
        bench.answers = verdict.compared;
        if (bench.on_device) {
            verdict.wrong = check_on_device(bench.sums, in, out, bench.input.count, bench.input.type, prefix);
            return;
        }
        answers_download(out, verdict.compared);
        verdict.wrong = prefix ? wrong_prefix_sums<T>() : !is_total_right<T>();
    });
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    answers.input = &bench.input;
    if (bench.on_device)
        with_type([](auto zero) {
            answers_download((const decltype(zero) *)bench.words + bench.plan.result, bench.answers);
        });
    answers_write(file);
}

static double operations(const struct point *)
{
    return bench.input.count;
}

/* Adds to the result the number of barriers, which is one less than the number of steps. */
static void describe(const struct point *p, cJSON *json)
{
    identity id = identify(p->variant);
    if (id.task <= PREFIX && id.method < BY_CUB)
        cJSON_AddNumberToObject(json, "barriers", bench.plan.steps - 1);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        /* the choices are in the order of enum number_type */
        OPTION_OF_CHOICE("type", "int32,int64,float,double", "int32", &settings.type,
                         "int32, int64, float or double"),
        OPTION_OF_NUMBER("without-barrier", -1, MOST_STEPS, "-1", &settings.without_barrier,
                         "leave out the __syncthreads after this step, to show that it is needed; -1: none"),
        {}};
    make_variants();
    struct experiment e = {
        .name = "sum",
        .question = "sums and prefix sums: do algorithms with few barriers pay?",
        .variants = variants,
        .variant_count = variant_count,
        .begins_early = true,
        .any_warp_size = true,
        .left_out = "copy",
        .can_do = can_do,
        .options = options,
        .size_means = "how many numbers",
        .gpu_sizes = "1024,16384,65536,262144,1048576,4194304",
        .machine_sizes = "1024",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {open_problem, close_problem, reference, NULL, write_answers, bytes_of_problem},
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
