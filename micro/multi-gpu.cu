/*
 * What does a barrier across all blocks of several GPUs cost? A round is a store of each thread and the barrier. The
 * device-side ones are in one kernel on each GPU; beside them what needs none: launches that the host, events or a
 * graph keep in step, and NCCL's all-reduce between launches.
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
#include "micro/gpus.h"
#include "micro/multi_gpu_exchange.cuh"
#include "micro/multi_gpu_others.cuh"
#include "micro/nccl.h"
#include "micro/nccl_lsa.cuh"
#include "sync/multi_gpu_courier.cuh"

#include <cjson/cJSON.h>

#ifdef GPUSYNC_MACHINE
#define STANDARD_ROUNDS "6"
#define STANDARD_THREADS "64"
#else
#define STANDARD_ROUNDS "2000"
#define STANDARD_THREADS "256"
#endif

static const unsigned GRAPH_ROUNDS = 100;

/* ---- kernels ---- */

static __device__ void count_from(MultiGpu &, unsigned) {}
static __device__ void count_from(MultiGpuMember &barrier, unsigned before)
{
    barrier.rounds = before;
}

template <class Barrier>
__global__ void rounds_of(Exchange exchange, gpusync_multi_gpu_barrier memory)
{
    Barrier barrier;
    barrier.begin_as(memory, exchange.gpu(), exchange.block());
    count_from(barrier, exchange.before);
    for (unsigned r = 0; r < exchange.rounds; r++) {
        exchange.leave(r);
        exchange.come_late();
        barrier.sync();
        exchange.find(r);
    }
    barrier.end();
}

/* A warp more than the others have, which carries. */
__global__ void carried_rounds(Exchange exchange, gpusync_multi_gpu_barrier memory)
{
    MultiGpuCourier barrier;
    barrier.begin_as(memory, exchange.gpu(), exchange.block());
    if (barrier.is_courier()) {
        for (unsigned r = 0; r < exchange.rounds; r++)
            barrier.carry();
    } else {
        for (unsigned r = 0; r < exchange.rounds; r++) {
            exchange.leave(r);
            exchange.come_late();
            barrier.arrive();
            barrier.wait();
            exchange.find(r);
        }
    }
    barrier.end();
}

/* Looks at the round before, if there is one, and does this one, if there is one. */
__global__ void one_round(Exchange exchange, unsigned r)
{
    if (r > 0)
        exchange.find(r - 1);
    if (r < exchange.rounds) {
        exchange.leave(r);
        exchange.come_late();
    }
}

/* ---- variants ---- */

enum {
    HOST,
    EVENTS,
    GRAPH,
    NCCL,
    NCCL_GRAPH,
    NCCL_LSA,
    LEADERS,
    LEADERS_COURIER,
    LEADERS_TIME_OUTS,
    INBOXES,
    COUNTER_EACH,
    ONE_COUNTER,
    NO_ACQUIRE,
    NO_RELEASE,
    SCOPE_OF_GPU
};

#define SEVERAL_GPUS "GPUs: the memory machine's are parts of one grid"
static const struct variant ways[] = {
    {.id = HOST,
     .name = "host",
     .summary = "a launch on each GPU, and the host waits for all",
     .ordered = true,
     .waits = true,
     .special = SEVERAL_GPUS},
    {.id = EVENTS,
     .name = "events",
     .summary = "launches, each behind events of all GPUs",
     .ordered = true,
     .special = SEVERAL_GPUS},
    {.id = GRAPH,
     .name = "graph",
     .summary = "the same as one CUDA graph over all GPUs",
     .ordered = true,
     .special = SEVERAL_GPUS},
    {.id = NCCL,
     .name = "nccl",
     .summary = "launches, and NCCL's all-reduce of one number between them",
     .ordered = true,
     .special = "NCCL when it was built"},
    {.id = NCCL_GRAPH,
     .name = "nccl-graph",
     .summary = "the same as one CUDA graph",
     .ordered = true,
     .special = "NCCL when it was built"},
    {.id = NCCL_LSA,
     .name = "nccl-lsa",
     .summary = "a barrier of the grid, and NCCL's of each block with the same block of the other GPUs",
     .ordered = true,
     .resident = true,
     .capability = 70,
     .special = "NCCL 2.28 when it was built"},
    {.id = LEADERS,
     .name = "leaders",
     .summary = "the last block of each GPU tells the others (sync/multi_gpu.cuh)",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = LEADERS_COURIER,
     .name = "leaders-courier",
     .summary = "the same by a warp of its own, behind which the others could work",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = LEADERS_TIME_OUTS,
     .name = "leaders-time-outs",
     .summary = "the same by waits with a time-out, one after the other",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = INBOXES,
     .name = "inboxes",
     .summary = "every block tells every GPU",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = COUNTER_EACH,
     .name = "counter-each",
     .summary = "every block adds to a counter of every GPU",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = ONE_COUNTER,
     .name = "one-counter",
     .summary = "every block adds to one counter, of the first GPU",
     .ordered = true,
     .resident = true,
     .capability = 70},
    {.id = NO_ACQUIRE,
     .name = "leaders-no-acquire",
     .summary = "without the acquire fence at the end",
     .resident = true,
     .capability = 70},
    {.id = NO_RELEASE,
     .name = "leaders-no-release",
     .summary = "without the release fences of the blocks",
     .resident = true,
     .capability = 70},
    {.id = SCOPE_OF_GPU,
     .name = "leaders-gpu-scope",
     .summary = "with all fences at the scope of one GPU",
     .resident = true,
     .capability = 70},
};

typedef void (*rounds_kernel)(Exchange, gpusync_multi_gpu_barrier);
static rounds_kernel kernel_of(int id)
{
    switch (id) {
    case LEADERS:
        return rounds_of<MultiGpu>;
    case LEADERS_COURIER:
        return carried_rounds;
    case LEADERS_TIME_OUTS:
        return rounds_of<TimeOuts>;
    case INBOXES:
        return rounds_of<Inboxes>;
    case COUNTER_EACH:
        return rounds_of<CounterEach>;
    case ONE_COUNTER:
        return rounds_of<OneCounter>;
    case NO_ACQUIRE:
        return rounds_of<NoAcquire>;
    case NO_RELEASE:
        return rounds_of<NoRelease>;
    case SCOPE_OF_GPU:
        return rounds_of<ScopeOfGpu>;
    default:
        return NULL;
    }
}

static bool uses_nccl(int id)
{
    return id == NCCL || id == NCCL_GRAPH || id == NCCL_LSA;
}

static bool can_do(const struct variant *v)
{
#ifdef GPUSYNC_NCCL
    bool has_nccl = !device_is_machine();
#else
    bool has_nccl = false;
#endif
    if (uses_nccl(v->id))
        return has_nccl && (v->id != NCCL_LSA || nccl_lsa_is_there());
    return kernel_of(v->id) || !device_is_machine();
}

/* ---- the problem: so many GPUs ---- */

enum { BY_GPUS, BY_LATENESS }; /* --axis */
static struct {
    int axis, gpus, rounds;
} settings;

static struct {
    struct gpus gpus;
    gpusync_multi_gpu_barrier memory[GPUSYNC_MOST_GPUS];
    Exchange exchange;
    cudaEvent_t arrived[GPUSYNC_MOST_GPUS]; /* of the launches' ways */
    cudaGraphExec_t graph;
    bool has_nccl, has_lsa;
} bench;

static void on_gpu(unsigned g)
{
    CHECK(cudaSetDevice(bench.gpus.devices[g]));
}

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

/* ---- a point ---- */

static unsigned threads_of(const struct point *p)
{
    return p->threads + (p->variant->id == LEADERS_COURIER ? 32 : 0);
}

/* The machine's time units are cycles. */
static long long late_cycles(const struct point *p)
{
    if (settings.axis == BY_GPUS)
        return 0;
    return device_is_machine() ? p->size : (long long)((double)p->size * 1e-9 * device_clock_hz());
}

static void prepare_gpu(unsigned g, size_t words)
{
    Exchange *e = &bench.exchange;
    on_gpu(g);
    allocate_on_device(e->board[g], 2 * words * sizeof(unsigned));
    allocate_on_device(e->mail[g], 2 * words * sizeof(unsigned));
    allocate_on_device(e->errors[g], sizeof(unsigned));
    CHECK(cudaEventCreateWithFlags(&bench.arrived[g], cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
}

static void capture(const struct point *p);

static void prepare(const struct point *p)
{
    Exchange *e = &bench.exchange;
    long long late = late_cycles(p);
    *e = {};
    e->gpus = bench.gpus.count;
    e->blocks = p->blocks;
    e->workers = p->threads;
    e->rounds = (unsigned)settings.rounds;
    if (p->variant->id == GRAPH || p->variant->id == NCCL_GRAPH) /* a graph has all of its rounds */
        e->rounds = (e->rounds + GRAPH_ROUNDS - 1) / GRAPH_ROUNDS * GRAPH_ROUNDS;
    e->late_cycles = late;
    CHECK(gpusync_multi_gpu_barrier_create_wide(bench.memory, bench.gpus.devices, bench.gpus.count, p->blocks,
                                                p->blocks));
    for (unsigned g = 0; g < bench.gpus.count; g++)
        prepare_gpu(g, (size_t)p->blocks * p->threads);
    on_gpu(0);
    if (uses_nccl(p->variant->id) && !bench.has_nccl) {
        nccl_open(&bench.gpus);
        bench.has_nccl = true;
    }
    bench.has_lsa = p->variant->id == NCCL_LSA;
    if (bench.has_lsa)
        nccl_lsa_open(&bench.gpus, p->blocks);
    if (p->variant->id == GRAPH || p->variant->id == NCCL_GRAPH)
        capture(p);
}

static void release(void)
{
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        CHECK(cudaFree(bench.exchange.board[g]));
        CHECK(cudaFree(bench.exchange.mail[g]));
        CHECK(cudaFree(bench.exchange.errors[g]));
        CHECK(cudaEventDestroy(bench.arrived[g]));
    }
    CHECK(gpusync_multi_gpu_barrier_destroy(bench.memory));
    if (bench.has_lsa)
        nccl_lsa_close(&bench.gpus);
    if (bench.graph)
        CHECK(cudaGraphExecDestroy(bench.graph));
    bench.graph = NULL;
}

/* ---- a run ---- */

/* The exchange as a GPU sees it. */
static Exchange exchange_of(unsigned g)
{
    Exchange e = bench.exchange;
    e.me = g;
    return e;
}

static void launch_round(const struct point *p, unsigned r)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        on_gpu(g);
        CHECK(launch(one_round, shape, bench.gpus.streams[g], exchange_of(g), r));
    }
}

/* Every stream waits for all others. */
static void meet_by_events(void)
{
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        on_gpu(g);
        CHECK(cudaEventRecord(bench.arrived[g], bench.gpus.streams[g]));
    }
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        on_gpu(g);
        for (unsigned other = 0; other < bench.gpus.count; other++)
            if (other != g)
                CHECK(cudaStreamWaitEvent(bench.gpus.streams[g], bench.arrived[other], 0));
    }
}

static void meet_by_host(void)
{
    for (unsigned g = 0; g < bench.gpus.count; g++)
        CHECK(cudaStreamSynchronize(bench.gpus.streams[g]));
}

static void meet(int id)
{
    if (id == HOST)
        meet_by_host();
    else if (uses_nccl(id))
        nccl_meet(&bench.gpus);
    else
        meet_by_events();
}

/* One launch more looks at the last round. */
static void launch_rounds(const struct point *p, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        launch_round(p, r);
        meet(p->variant->id);
    }
    if (bench.exchange.checks)
        launch_round(p, rounds);
}

static void capture(const struct point *p)
{
    cudaGraph_t graph;
    gpus_join(&bench.gpus);
    CHECK(cudaStreamBeginCapture(bench.gpus.streams[0], cudaStreamCaptureModeGlobal));
    gpus_fork(&bench.gpus);
    launch_rounds(p, GRAPH_ROUNDS);
    gpus_join(&bench.gpus);
    CHECK(cudaStreamEndCapture(bench.gpus.streams[0], &graph));
    CHECK(cudaGraphInstantiate(&bench.graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

static void launch_graph(void)
{
    for (unsigned r = 0; r < bench.exchange.rounds; r += GRAPH_ROUNDS)
        CHECK(cudaGraphLaunch(bench.graph, bench.gpus.streams[0]));
}

/* All rounds in one kernel on each GPU. */
static void launch_kernels(const struct point *p)
{
    bool machine = device_is_machine();
    launch_shape shape = {machine ? p->blocks * bench.gpus.count : p->blocks, threads_of(p), 0, false, false};
    for (unsigned g = 0; g < (machine ? 1 : bench.gpus.count); g++) {
        on_gpu(g);
        CHECK(
            launch(kernel_of(p->variant->id), shape, bench.gpus.streams[g], exchange_of(g), bench.memory[g]));
    }
    bench.exchange.before += bench.exchange.rounds;
}

static void launch_lsa(void)
{
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        on_gpu(g);
        nccl_lsa_rounds(exchange_of(g), bench.gpus.streams[g]);
    }
}

static void run(const struct point *p)
{
    if (bench.graph)
        return launch_graph();
    gpus_fork(&bench.gpus);
    if (kernel_of(p->variant->id))
        launch_kernels(p);
    else if (bench.has_lsa)
        launch_lsa();
    else
        launch_rounds(p, bench.exchange.rounds);
    on_gpu(0);
    gpus_join(&bench.gpus);
}

/* A run that looks: no word may be missing, old, or another's. */
static struct verdict check(const struct point *p)
{
    Exchange *e = &bench.exchange;
    struct verdict verdict = {
        true, 0, (unsigned long long)e->gpus * e->blocks * e->workers * e->rounds * Exchange::looks(e->gpus)};
    for (unsigned g = 0; g < e->gpus; g++) {
        on_gpu(g);
        CHECK(cudaMemset(e->errors[g], 0, sizeof(unsigned)));
        CHECK(cudaMemset(e->mail[g], 0, 2 * (size_t)e->blocks * e->workers * sizeof(unsigned)));
        CHECK(cudaMemset(e->board[g], 0, 2 * (size_t)e->blocks * e->workers * sizeof(unsigned)));
        CHECK(cudaDeviceSynchronize());
    }
    e->checks = true;
    cudaGraphExec_t kept = bench.graph;
    if (kept)
        capture(p);
    run(p);
    on_gpu(0);
    wait_for_device();
    if (kept) {
        CHECK(cudaGraphExecDestroy(bench.graph));
        bench.graph = kept;
    }
    e->checks = false;
    for (unsigned g = 0; g < e->gpus; g++) {
        unsigned errors;
        CHECK(cudaMemcpy(&errors, e->errors[g], sizeof errors, cudaMemcpyDeviceToHost));
        verdict.wrong += errors;
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static double operations(const struct point *)
{
    return bench.exchange.rounds;
}

/* Each GPU's own time of a round, of the run that was just checked: the fastest and the slowest tell of skew. */
static void describe(const struct point *p, struct cJSON *json)
{
    if (device_is_machine() || !p->variant->resident)
        return;
    cJSON *times = cJSON_AddArrayToObject(json, "ns_of_gpu");
    for (unsigned g = 0; g < bench.gpus.count; g++)
        cJSON_AddItemToArray(times, cJSON_CreateNumber(gpus_time(&bench.gpus, g) / bench.exchange.rounds));
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long size, int sm_count)
{
    if (variant->id == NCCL_LSA)
        return nccl_lsa_resident_blocks(threads) * sm_count;
    int all = resident_blocks_per_sm(kernel_of(variant->id),
                                     threads + (variant->id == LEADERS_COURIER ? 32 : 0), 0) *
              sm_count;
    return device_is_machine() ? all / (settings.axis == BY_GPUS ? (int)size : settings.gpus) : all;
}

/* Whoever tells the GPUs is a thread for each. */
static void check_threads(const struct variant *, unsigned threads)
{
    if (threads < GPUSYNC_MOST_GPUS)
        fail(EXIT_BAD_INPUT, "threads %u: a block needs at least %d", threads, GPUSYNC_MOST_GPUS);
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {{.name = "axis",
                                                   .help = "what --size means: gpus, or late: nanoseconds",
                                                   .standard = "gpus",
                                                   .choices = "gpus,late",
                                                   .number = &settings.axis},
                                                  {.name = "gpus",
                                                   .help = "GPUs that take part where --size does not tell",
                                                   .standard = "2",
                                                   .least = 1,
                                                   .most = GPUSYNC_MOST_GPUS,
                                                   .number = &settings.gpus},
                                                  {.name = "rounds",
                                                   .help = "barriers in one run",
                                                   .standard = STANDARD_ROUNDS,
                                                   .least = 1,
                                                   .most = 1000000,
                                                   .number = &settings.rounds},
                                                  {}};
    struct experiment e = {};
    e.name = "micro-multi-gpu";
    e.question = "what does a barrier across several GPUs cost?";
    e.variants = ways;
    e.variant_count = sizeof ways / sizeof *ways;
    e.can_do = can_do;
    e.options = options;
    e.size_means = "GPUs, or nanoseconds by which the last is late";
    e.gpu_sizes = "1";
    e.machine_sizes = "1,2,4";
    e.gpu_runs = 3;
    e.launches.threads = STANDARD_THREADS;
    e.launches.sweep = SWEEP_ALL_MULTIPROCESSORS;
    e.launches.resident_blocks = resident_blocks;
    e.launches.check = check_threads;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.prepare = prepare;
    e.run = run;
    e.check = check;
    e.describe = describe;
    e.release = release;
    e.operations = operations;
    return experiment_main(argc, argv, &e);
}
