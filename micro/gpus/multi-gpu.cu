/*
 * What does a barrier across all blocks of several GPUs cost? A round is one store by each thread and the
 * barrier. The device-side barriers run in one kernel on each GPU. Other methods have no device-side barrier:
 * launches kept in step by the host, by events or by a graph, and NCCL's all-reduce between launches.
 *
 *     build/gpu/micro-multi-gpu --size 2                              # GPUs
 *     build/gpu/micro-multi-gpu --axis late --gpus 2 --size 0,5000    # the last GPU is late, in nanoseconds
 */
#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "harness/gpus.h"
#include "micro/gpus/multi_gpu_exchange.cuh"
#include "micro/gpus/multi_gpu_steps.cuh"
#include "micro/gpus/nccl_lsa.cuh"
#include "sync/multi_gpu_courier.cuh"

#include <cjson/cJSON.h>

#define STANDARD_ROUNDS MACHINE_OR_GPU("6", "2000")
#define STANDARD_THREADS MACHINE_OR_GPU("64", "256")

static const int GRAPH_ROUNDS = 100;

/* Executes the rounds with a courier, one warp more in each block than the other kernels have. */
__global__ void carried_rounds(Exchange exchange, step_counts counts, unsigned,
                               gpusync_multi_gpu_barrier memory)
{
    MultiGpuCourier barrier;
    barrier.begin_as(memory, exchange.gpu(), exchange.block());
    if (barrier.is_courier()) {
        for (int s = 0; s < counts.meetings; s++)
            barrier.carry();
    } else {
        for (int s = 0; s < counts.steps; s++) {
            exchange(s);
            if (s < counts.meetings) {
                barrier.arrive();
                barrier.wait();
            }
        }
    }
    barrier.end();
}

/* ---- Variants ---- */

enum { LEADERS_COURIER = MULTI_GPU_WAYS, LEADERS_TIME_OUTS, NO_ACQUIRE, NO_RELEASE, SCOPE_OF_GPU, NCCL_LSA };

static const struct variant more_ways[] = {
    VARIANT(LEADERS_COURIER, "leaders-courier",
            "leaders, executed by a warp of its own while the others could work", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(LEADERS_TIME_OUTS, "leaders-time-outs", "leaders, by repeated waits with a time-out",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(NO_ACQUIRE, "leaders-no-acquire", "without the acquire fence at the end", .resident = true,
            .capability = 70),
    VARIANT(NO_RELEASE, "leaders-no-release", "without the release fences of the blocks", .resident = true,
            .capability = 70),
    VARIANT(SCOPE_OF_GPU, "leaders-gpu-scope", "with all fences at the scope of one GPU", .resident = true,
            .capability = 70),
    VARIANT(NCCL_LSA, "nccl-lsa",
            "a barrier of the grid, and NCCL's of each block with the same block of the other GPUs",
            .ordered = true, .resident = true, .capability = 70, .special = "NCCL 2.28 when it was built"),
};
static const int ways_count = MULTI_GPU_WAYS - 1 + sizeof more_ways / sizeof *more_ways;

/* Returns all variants except leaders-between, which does the same as leaders here, because every round
 * exchanges words between the GPUs. */
static const struct variant *all_ways(void)
{
    static struct variant ways[ways_count];
    int count = 0;
    for (const struct variant &way : multi_gpu_ways)
        if (way.id != BY_LEADERS_BETWEEN)
            ways[count++] = way;
    for (const struct variant &way : more_ways)
        ways[count++] = way;
    return ways;
}

static multi_gpu_kernel<Exchange> kernel_of(int id)
{
    switch (id) {
    case LEADERS_COURIER:
        return carried_rounds;
    case LEADERS_TIME_OUTS:
        return multi_gpu_loop<TimeOuts, Exchange>;
    case NO_ACQUIRE:
        return multi_gpu_loop<NoAcquire, Exchange>;
    case NO_RELEASE:
        return multi_gpu_loop<NoRelease, Exchange>;
    case SCOPE_OF_GPU:
        return multi_gpu_loop<ScopeOfGpu, Exchange>;
    default:
        return multi_gpu_kernel_of<Exchange>(id);
    }
}

static bool can_do(const struct variant *v)
{
    if (v->id == NCCL_LSA)
        return !device_is_machine() && nccl_lsa_is_there();
    return multi_gpu_can_do(v);
}

/* ---- The problem: a number of GPUs, or a delay of the last GPU ---- */

enum { BY_GPUS, BY_LATENESS }; /* values of --axis */
static struct {
    int axis, gpus, rounds;
} settings;

static struct {
    struct gpus gpus;
    multi_gpu_plan<Exchange> plan;
    bool has_nccl, has_lsa;
} bench;

static long long open_problem(const char *, long long size, unsigned long long)
{
    long long count = settings.axis == BY_GPUS ? size : settings.gpus;
    if (count < 1 || count > GPUSYNC_MOST_GPUS)
        fail(EXIT_BAD_INPUT, "%lld GPUs: from 1 to %d can be measured", count, GPUSYNC_MOST_GPUS);
    gpus_open((unsigned)count, &bench.gpus);
    return size;
}

static void close_problem(void)
{
    if (bench.has_nccl)
        nccl_close();
    gpus_close(&bench.gpus);
    bench = {};
}

/* ---- A point ---- */

static unsigned threads_of(const struct point *p)
{
    return p->threads + (p->variant->id == LEADERS_COURIER ? 32 : 0);
}

/* Returns the clock cycles by which the last GPU is late at each barrier. The machine's time units are
 * cycles. */
static long long late_cycles(const struct point *p)
{
    if (settings.axis == BY_GPUS)
        return 0;
    return device_is_machine() ? p->size : (long long)((double)p->size * 1e-9 * device_clock_hz());
}

static size_t words_of_gpu(void)
{
    return 2 * (size_t)bench.plan.step.blocks * bench.plan.step.workers;
}

static void allocate_boards(void)
{
    Exchange *e = &bench.plan.step;
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        bench.plan.on_gpu(g);
        allocate_on_device(e->board[g], words_of_gpu() * sizeof(unsigned));
        allocate_on_device(e->mail[g], words_of_gpu() * sizeof(unsigned));
        allocate_on_device(e->errors[g], sizeof(unsigned));
        CHECK(cudaDeviceSynchronize());
    }
    bench.plan.on_gpu(0);
}

static void prepare(const struct point *p)
{
    multi_gpu_plan<Exchange> *plan = &bench.plan;
    Exchange *e = &plan->step;
    *plan = {};
    plan->gpus = &bench.gpus;
    plan->way = p->variant->id;
    plan->kernel = kernel_of(plan->way);
    plan->blocks = e->blocks = p->blocks;
    plan->threads = threads_of(p);
    int rounds = is_graph(plan->way) ? GRAPH_ROUNDS : settings.rounds;
    plan->counts = {rounds, rounds};
    e->gpus = bench.gpus.count;
    e->workers = p->threads;
    e->rounds = (unsigned)rounds;
    e->late_cycles = late_cycles(p);
    allocate_boards();
    bench.has_lsa = plan->way == NCCL_LSA;
    if ((uses_nccl(plan->way) || bench.has_lsa) && !bench.has_nccl) {
        nccl_open(&bench.gpus);
        bench.has_nccl = true;
    }
    if (bench.has_lsa)
        nccl_lsa_open(&bench.gpus, p->blocks);
    plan->prepare();
}

static void release(void)
{
    const Exchange *e = &bench.plan.step;
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        CHECK(cudaFree(e->board[g]));
        CHECK(cudaFree(e->mail[g]));
        CHECK(cudaFree(e->errors[g]));
    }
    if (bench.has_lsa)
        nccl_lsa_close(&bench.gpus);
    bench.plan.release();
}

/* ---- A run ---- */

static void run_lsa(void)
{
    gpus_fork(&bench.gpus);
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        bench.plan.on_gpu(g);
        nccl_lsa_rounds(bench.plan.of_gpu(g), bench.gpus.streams[g]);
    }
    bench.plan.on_gpu(0);
    gpus_join(&bench.gpus);
}

/* Returns how often the graph must be launched for all rounds, as it contains only some of them. */
static int runs_of_plan(void)
{
    int rounds = (int)bench.plan.step.rounds;
    return (settings.rounds + rounds - 1) / rounds;
}

static void run(const struct point *)
{
    if (bench.has_lsa)
        return run_lsa();
    for (int i = 0; i < runs_of_plan(); i++)
        bench.plan.run();
}

/* Switches the checks of all rounds on or off. Checks need one more step, after the last round. */
static void set_checks(bool checks)
{
    multi_gpu_plan<Exchange> *plan = &bench.plan;
    plan->step.checks = checks;
    plan->counts.steps = plan->counts.meetings + checks;
    if (plan->graph)
        plan->capture();
}

static double operations(const struct point *)
{
    return (double)bench.plan.step.rounds * (bench.has_lsa ? 1 : runs_of_plan());
}

/* Executes a run with checks: a thread must find each word, neither an old one nor one of another thread. */
static struct verdict check(const struct point *p)
{
    const Exchange *e = &bench.plan.step;
    double looks = operations(p) * Exchange::looks(e->gpus) * e->gpus * e->blocks * e->workers;
    struct verdict verdict = {true, 0, (unsigned long long)looks};
    for (unsigned g = 0; g < e->gpus; g++) {
        bench.plan.on_gpu(g);
        CHECK(cudaMemset(e->errors[g], 0, sizeof(unsigned)));
        CHECK(cudaMemset(e->mail[g], 0, words_of_gpu() * sizeof(unsigned)));
        CHECK(cudaMemset(e->board[g], 0, words_of_gpu() * sizeof(unsigned)));
        CHECK(cudaDeviceSynchronize());
    }
    bench.plan.on_gpu(0);
    set_checks(true);
    run(p);
    bench.plan.on_gpu(0);
    wait_for_device();
    set_checks(false);
    for (unsigned g = 0; g < e->gpus; g++) {
        unsigned errors;
        CHECK(cudaMemcpy(&errors, e->errors[g], sizeof errors, cudaMemcpyDeviceToHost));
        verdict.wrong += errors;
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* Adds to the JSON each GPU's own time of a round, from the run that was just checked. The difference between
 * the fastest and the slowest GPU is the skew. */
static void describe(const struct point *p, struct cJSON *json)
{
    if (device_is_machine() || !p->variant->resident)
        return;
    cJSON *times = cJSON_AddArrayToObject(json, "ns_of_gpu");
    for (unsigned g = 0; g < bench.gpus.count; g++)
        cJSON_AddItemToArray(times, cJSON_CreateNumber(gpus_time(&bench.gpus, g) / bench.plan.step.rounds));
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long size, int sm_count)
{
    if (variant->id == NCCL_LSA)
        return nccl_lsa_resident_blocks(threads) * sm_count;
    return multi_gpu_resident_blocks(kernel_of(variant->id),
                                     threads + (variant->id == LEADERS_COURIER ? 32 : 0), sm_count,
                                     settings.axis == BY_GPUS ? (unsigned)size : (unsigned)settings.gpus);
}

/* Checks that a block has as many threads as there may be GPUs: one thread signals each GPU. */
static void check_threads(const struct variant *, unsigned threads)
{
    if (threads < GPUSYNC_MOST_GPUS)
        fail(EXIT_BAD_INPUT, "threads %u: a block needs at least %d", threads, GPUSYNC_MOST_GPUS);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_CHOICE("axis", "gpus,late", "gpus", &settings.axis,
                         "what --size means: gpus, or late: nanoseconds"),
        OPTION_OF_NUMBER("gpus", 1, GPUSYNC_MOST_GPUS, "2", &settings.gpus,
                         "GPUs that take part, if not given by --size"),
        OPTION_OF_NUMBER("rounds", 1, 1000000, STANDARD_ROUNDS, &settings.rounds, "barriers in one run"),
        {}};
    struct experiment e = {
        .name = "micro-multi-gpu",
        .question = "what does a barrier across several GPUs cost?",
        .variants = all_ways(),
        .variant_count = ways_count,
        .can_do = can_do,
        .options = options,
        .size_means = "GPUs, or nanoseconds by which the last is late",
        .gpu_sizes = "1",
        .machine_sizes = "1,2,4",
        .gpu_runs = 3,
        .launches = {.threads = STANDARD_THREADS,
                     .sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks,
                     .check = check_threads},
        .problem = {.open = open_problem, .close = close_problem, .is_generated = true},
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
