/*
 * What does a barrier cost across GPUs that may be on several nodes? mpirun starts one process for each GPU.
 * The first process reads the command line, measures, writes the result file, and broadcasts every step to
 * the others. A round is one store by each thread and the barrier.
 *
 *     mpirun -n 2 build/gpu/micro-multi-node --json result.json
 *     mpirun -n 4 build/machine/micro-multi-node --rounds 6          # MPI's barrier alone, without any GPU
 *
 * Each barrier is verified by what it promises (micro/gpus/rank_exchange.cuh). MPI's barrier promises that
 * all ranks have arrived: a rank writes into the next rank's memory before it (MPI_Put), and the next rank
 * reads after it. NCCL's all-reduce promises only a sum: it adds numbers that every rank's preceding launch
 * wrote, and the next launch reads the sum, besides words that a message of NCCL brings. NVSHMEM's
 * barrier_all promises that all earlier puts have arrived.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/cannot.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/options.h"
#include "harness/sweeps.h"
#include "harness/timer.h"
#include "micro/gpus/nccl_rank.h"
#include "micro/gpus/nvshmem_ranks.cuh"
#include "micro/gpus/rank_exchange.cuh"
#include "micro/gpus/ranks.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef GPUSYNC_MACHINE
#define STANDARD_ROUNDS "6"
#define STANDARD_THREADS "64"
#else
#define STANDARD_ROUNDS "1000"
#define STANDARD_THREADS "256"
#endif

static const unsigned GRAPH_ROUNDS = 100;

/* Looks at the round before, if there is one, and does this one, if there is one. */
__global__ void one_round(RankExchange exchange, unsigned r)
{
    if (r > 0)
        exchange.find(r - 1);
    if (r < exchange.rounds) {
        exchange.leave(r);
        exchange.come_late();
    }
}

/* ---- variants ---- */

enum { MPI, NCCL, NCCL_GRAPH, NVSHMEM_STREAM, NVSHMEM };

#define NEEDS_NCCL "NCCL when built, a GPU a rank"
#define NEEDS_NVSHMEM "NVSHMEM when built, a GPU a rank"
static const struct variant ways[] = {
    {.id = MPI,
     .name = "mpi",
     .summary = "a launch, the host waits for it, and MPI_Barrier",
     .ordered = true,
     .waits = true},
    {.id = NCCL,
     .name = "nccl",
     .summary = "launches, and NCCL's all-reduce of one number between them",
     .ordered = true,
     .waits = true,
     .special = NEEDS_NCCL},
    {.id = NCCL_GRAPH,
     .name = "nccl-graph",
     .summary = "nccl as a CUDA graph of each rank",
     .ordered = true,
     .waits = true,
     .special = NEEDS_NCCL},
    {.id = NVSHMEM_STREAM,
     .name = "nvshmem-stream",
     .summary = "launches, and NVSHMEM's barrier between them",
     .ordered = true,
     .waits = true,
     .special = NEEDS_NVSHMEM},
    {.id = NVSHMEM,
     .name = "nvshmem",
     .summary = "one kernel: NVSHMEM's barrier by one block, between two barriers of the grid",
     .ordered = true,
     .resident = true,
     .waits = true,
     .capability = 70,
     .special = NEEDS_NVSHMEM},
};

static bool uses_nccl(int id)
{
    return id == NCCL || id == NCCL_GRAPH;
}
static bool uses_nvshmem(int id)
{
    return id == NVSHMEM_STREAM || id == NVSHMEM;
}

/* ---- what a rank knows ---- */

static struct {
    int rounds, late; /* microseconds */
} settings;

struct facts {
    char host[64], gpu[64], bus[32];
};

static struct {
    struct facts *facts; /* of all ranks, and what they answered to the last order */
    unsigned *errors;
    double *times;
    bool has_nccl, has_nvshmem;
    int id; /* of the point's variant */
    RankExchange exchange;
    gpusync_grid_barrier barrier;
    unsigned *words; /* the host's, on their way to another rank */
    cudaGraphExec_t graph;
    cudaEvent_t begun, done;
} bench;

static const struct ranks *here()
{
    return ranks_here();
}

static struct facts facts_of_rank()
{
    struct facts f = {};
    gethostname(f.host, sizeof f.host - 1);
#ifdef GPUSYNC_MACHINE
    snprintf(f.gpu, sizeof f.gpu, "the memory machine");
    snprintf(f.bus, sizeof f.bus, "%d", here()->local);
#else
    int device;
    cudaDeviceProp properties;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&properties, device));
    snprintf(f.gpu, sizeof f.gpu, "%.60s", properties.name);
    CHECK(cudaDeviceGetPCIBusId(f.bus, sizeof f.bus, device));
#endif
    return f;
}

static bool each_has_a_gpu()
{
    for (int i = 0; i < here()->count; i++)
        for (int j = 0; j < i; j++)
            if (memcmp(&bench.facts[i], &bench.facts[j], sizeof *bench.facts) == 0)
                return false;
    return true;
}

static bool can_do(const struct variant *v)
{
    if (uses_nccl(v->id))
        return nccl_rank_is_there() && each_has_a_gpu();
    if (uses_nvshmem(v->id))
        return shmem_ranks_are_there() && each_has_a_gpu();
    return true;
}

/* ---- a point, in every rank ---- */

struct order {
    enum { OPEN, PREPARE, RUN, CHECK_RUN, TIME_RUN, RELEASE, CLOSE, END } what;
    int id;
    unsigned blocks, threads;
    int status; /* with which all end */
};

static void capture();

static void open_libraries(int id)
{
    if (uses_nccl(id) && !bench.has_nccl) {
        nccl_rank_open();
        bench.has_nccl = true;
    }
    if (uses_nvshmem(id) && !bench.has_nvshmem) {
        shmem_ranks_open();
        bench.has_nvshmem = true;
    }
}

static void allocate_words(unsigned *&words, size_t count)
{
    if (uses_nvshmem(bench.id))
        words = shmem_ranks_memory(count);
    else
        allocate_on_device(words, count * sizeof *words);
}

static void free_words(unsigned *words)
{
    if (uses_nvshmem(bench.id))
        shmem_ranks_free(words);
    else
        CHECK(cudaFree(words));
}

static void prepare_rank(const struct order *o)
{
    RankExchange *e = &bench.exchange;
    bench.id = o->id;
    open_libraries(o->id);
    *e = {};
    e->ranks = (unsigned)here()->count;
    e->me = (unsigned)here()->rank;
    e->blocks = o->blocks;
    e->workers = o->threads;
    e->rounds = (unsigned)settings.rounds;
    if (o->id == NCCL_GRAPH) /* a graph has all of its rounds */
        e->rounds = (e->rounds + GRAPH_ROUNDS - 1) / GRAPH_ROUNDS * GRAPH_ROUNDS;
    e->sums = uses_nccl(o->id);
    e->late_cycles = (long long)(settings.late * 1e-6 * device_clock_hz());
    allocate_words(e->board, 2 * (size_t)e->words());
    allocate_words(e->mail, 2 * (size_t)e->words());
    allocate_on_device(e->errors, sizeof *e->errors);
    allocate_on_device(e->numbers, 2 * sizeof *e->numbers);
    if (o->id == MPI) {
        bench.words = (unsigned *)allocate(e->words() * sizeof *bench.words);
        mailbox_open(2 * (size_t)e->words());
    }
    CHECK(gpusync_grid_barrier_create(&bench.barrier, o->blocks));
    CHECK(cudaEventCreate(&bench.begun));
    CHECK(cudaEventCreate(&bench.done));
    if (o->id == NCCL_GRAPH)
        capture();
}

static void release_rank()
{
    RankExchange *e = &bench.exchange;
    wait_for_device();
    if (bench.graph)
        CHECK(cudaGraphExecDestroy(bench.graph));
    bench.graph = NULL;
    free_words(e->board);
    free_words(e->mail);
    CHECK(cudaFree(e->errors));
    CHECK(cudaFree(e->numbers));
    if (bench.id == MPI) {
        free(bench.words);
        mailbox_close();
    }
    CHECK(gpusync_grid_barrier_destroy(&bench.barrier));
    CHECK(cudaEventDestroy(bench.begun));
    CHECK(cudaEventDestroy(bench.done));
}

static void close_rank()
{
    if (bench.has_nccl)
        nccl_rank_close();
    if (bench.has_nvshmem)
        shmem_ranks_close();
    free(bench.facts);
    free(bench.errors);
    free(bench.times);
}

/* ---- a run, in every rank ---- */

/* The machine's kernels run in no time of the host's. */
static void host_comes_late()
{
    if (device_is_machine() && settings.late && here()->rank == here()->count - 1)
        usleep((useconds_t)settings.late);
}

static void meet_by_mpi(unsigned r)
{
    const RankExchange &e = bench.exchange;
    size_t bytes = e.words() * sizeof(unsigned);
    CHECK(cudaStreamSynchronize(harness_stream()));
    host_comes_late();
    if (e.checks) {
        CHECK(cudaMemcpy(bench.words, e.board + e.half(r), bytes, cudaMemcpyDeviceToHost));
        mailbox_put(bench.words, e.half(r), e.words(), (int)e.next());
    }
    ranks_meet();
    if (e.checks)
        CHECK(cudaMemcpy(e.mail + e.half(r), mailbox_words() + e.half(r), bytes, cudaMemcpyHostToDevice));
}

static void meet_by_nccl(unsigned r)
{
    const RankExchange &e = bench.exchange;
    if (e.checks)
        nccl_rank_pass(e.board + e.half(r), e.mail + e.half(r), e.words(), harness_stream());
    nccl_rank_add(e.numbers + (r & 1), harness_stream());
}

static void meet_by_nvshmem(unsigned r)
{
    if (bench.exchange.checks)
        shmem_ranks_put(bench.exchange, r, harness_stream());
    shmem_ranks_meet(harness_stream());
}

static void meet(unsigned r)
{
    if (bench.id == MPI)
        meet_by_mpi(r);
    else if (uses_nccl(bench.id))
        meet_by_nccl(r);
    else
        meet_by_nvshmem(r);
}

static void launch_round(unsigned r)
{
    launch_shape shape = {bench.exchange.blocks, bench.exchange.workers, 0, false, false};
    CHECK(launch(one_round, shape, harness_stream(), bench.exchange, r));
}

/* One launch more looks at the last round. */
static void launch_rounds(unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        launch_round(r);
        meet(r);
    }
    if (bench.exchange.checks)
        launch_round(rounds);
}

static void capture()
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    launch_rounds(GRAPH_ROUNDS);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&bench.graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

static void run_rank()
{
    if (bench.id == NVSHMEM)
        return shmem_ranks_rounds(bench.exchange, bench.barrier, harness_stream());
    if (!bench.graph)
        return launch_rounds(bench.exchange.rounds);
    for (unsigned r = 0; r < bench.exchange.rounds; r += GRAPH_ROUNDS)
        CHECK(cudaGraphLaunch(bench.graph, harness_stream()));
}

/* A run that looks; the graph is captured anew, with the looking. Returns how much was wrong in this rank. */
static unsigned check_rank()
{
    RankExchange *e = &bench.exchange;
    cudaGraphExec_t kept = bench.graph;
    unsigned errors;
    CHECK(cudaMemset(e->errors, 0, sizeof *e->errors));
    CHECK(cudaMemset(e->mail, 0, 2 * (size_t)e->words() * sizeof *e->mail));
    CHECK(cudaMemset(e->board, 0, 2 * (size_t)e->words() * sizeof *e->board));
    CHECK(cudaDeviceSynchronize());
    ranks_meet(); /* none writes a mail before it is empty */
    e->checks = true;
    if (kept)
        capture();
    run_rank();
    wait_for_device();
    if (kept) {
        CHECK(cudaGraphExecDestroy(bench.graph));
        bench.graph = kept;
    }
    e->checks = false;
    CHECK(cudaMemcpy(&errors, e->errors, sizeof errors, cudaMemcpyDeviceToHost));
    return errors;
}

static double operations(const struct point *)
{
    return bench.exchange.rounds;
}

/* This rank's own time of a round. */
static double time_rank()
{
    double time;
    CHECK(cudaEventRecord(bench.begun, harness_stream()));
    run_rank();
    CHECK(cudaEventRecord(bench.done, harness_stream()));
    wait_for_device();
#ifdef GPUSYNC_MACHINE
    time = machine_event_elapsed(bench.begun, bench.done);
#else
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, bench.begun, bench.done));
    time = 1e6 * (double)milliseconds;
#endif
    return time / bench.exchange.rounds;
}

/* ---- orders ---- */

static void gather_facts()
{
    struct facts mine = facts_of_rank();
    bench.facts = (struct facts *)allocate((size_t)here()->count * sizeof mine);
    bench.errors = (unsigned *)allocate((size_t)here()->count * sizeof *bench.errors);
    bench.times = (double *)allocate((size_t)here()->count * sizeof *bench.times);
    ranks_gather(&mine, sizeof mine, bench.facts);
}

static void prepare_by(void *order)
{
    prepare_rank((const struct order *)order);
}

/* A library that fails one rank ends the attempt of all, with the first reason. */
static void prepare_all(const struct order *o)
{
    char *reasons = (char *)allocate((size_t)here()->count * REASON_BYTES), reason[REASON_BYTES] = "";
    struct order order = *o;
    attempt(prepare_by, &order, reason);
    ranks_gather(reason, sizeof reason, reasons);
    for (int i = 0; i < here()->count; i++)
        if (!*reason)
            memcpy(reason, reasons + i * REASON_BYTES, sizeof reason);
    free(reasons);
    if (*reason && here()->rank == 0)
        cannot_measure("%s", reason);
}

static void obey(const struct order *o)
{
    unsigned errors;
    double time;
    switch (o->what) {
    case order::OPEN:
        return gather_facts();
    case order::PREPARE:
        return prepare_all(o);
    case order::RUN:
        return run_rank();
    case order::CHECK_RUN:
        errors = check_rank();
        return ranks_gather(&errors, sizeof errors, bench.errors);
    case order::TIME_RUN:
        time = time_rank();
        return ranks_gather(&time, sizeof time, bench.times);
    case order::RELEASE:
        return release_rank();
    case order::CLOSE:
        return close_rank();
    case order::END:
        return ranks_close();
    }
}

/* The first rank's: all do it, this one too. */
static void everybody(struct order order)
{
    ranks_broadcast(&order, sizeof order);
    obey(&order);
}

/* A rank's GPU: by its number on its host, counted from --device. Returns the watchdog's time. */
static double open_own_device(int argc, char **argv, const struct experiment *e)
{
    struct options options;
    struct device device;
    parse_options_of_sweep(argc, argv, e, &options); /* which the first rank has read without complaint */
    options.trace = NULL;
#ifndef GPUSYNC_MACHINE
    static char index[16];
    int count;
    CHECK(cudaGetDeviceCount(&count));
    snprintf(index, sizeof index, "%d",
             ((options.device ? atoi(options.device) : 0) + here()->local) % count);
    options.device = index;
#endif
    open_device(&options, &device);
    return options.timeout_s;
}

/* All other ranks. */
static int follow(int argc, char **argv, const struct experiment *e)
{
    static char name[64];
    double timeout_s = 0;
    struct order order;
    snprintf(name, sizeof name, "%s, rank %d", e->name, here()->rank);
    set_program_name(name);
    do {
        ranks_broadcast(&order, sizeof order);
        if (order.what == order::OPEN)
            timeout_s = open_own_device(argc, argv, e);
        if (order.what == order::PREPARE)
            watchdog_set(timeout_s, "what the first rank ordered");
        obey(&order);
    } while (order.what != order::END);
    return order.status;
}

/* ---- the first rank ---- */

static bool under_way; /* others hold what they must give back, or wait for each other */

/* However it ends: if no work is under way, so do the others, in peace. */
static void dismiss(int status, void *)
{
    if (!under_way)
        everybody({.what = order::END, .status = status});
}

static long long open_problem(const char *, long long size, unsigned long long)
{
    if (size != here()->count)
        fail(EXIT_BAD_INPUT, "--size %lld: there are as many ranks as mpirun -n says, which is %d", size,
             here()->count);
    everybody({.what = order::OPEN});
    return size;
}

static void close_problem(void)
{
    everybody({.what = order::CLOSE});
    under_way = false;
}

static void prepare(const struct point *p)
{
    under_way = true;
    everybody({.what = order::PREPARE, .id = p->variant->id, .blocks = p->blocks, .threads = p->threads});
}

static void run(const struct point *)
{
    everybody({.what = order::RUN});
}

static struct verdict check(const struct point *)
{
    everybody({.what = order::CHECK_RUN});
    struct verdict verdict = {true, 0, 0};
    for (int i = 0; i < here()->count; i++)
        verdict.wrong += bench.errors[i];
    verdict.compared = (unsigned long long)here()->count * bench.exchange.rounds * bench.exchange.looks();
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void release(void)
{
    everybody({.what = order::RELEASE});
}

static const char *transport()
{
    static char text[128];
    if (uses_nccl(bench.id))
        return nccl_rank_transport();
    if (uses_nvshmem(bench.id))
        return shmem_ranks_transport(bench.exchange.mail);
    snprintf(text, sizeof text, "MPI's own, %s", here()->hosts == 1 ? "within a host" : "between hosts");
    return text;
}

/* Each rank's own time of a round: the fastest and the slowest tell of skew. */
static void describe(const struct point *, struct cJSON *json)
{
    everybody({.what = order::TIME_RUN});
    double fastest = bench.times[0], slowest = bench.times[0];
    for (int i = 1; i < here()->count; i++) {
        fastest = bench.times[i] < fastest ? bench.times[i] : fastest;
        slowest = bench.times[i] > slowest ? bench.times[i] : slowest;
    }
    cJSON_AddStringToObject(json, "transport", transport());
    cJSON_AddItemToObject(json, "round_of_rank", cJSON_CreateDoubleArray(bench.times, here()->count));
    cJSON_AddNumberToObject(json, "round_of_fastest_rank", fastest);
    cJSON_AddNumberToObject(json, "round_of_slowest_rank", slowest);
}

/* Where the ranks were, and what they met by. */
static struct cJSON *analyse(const struct cJSON *, int)
{
    cJSON *json = cJSON_CreateObject(), *ranks = cJSON_AddArrayToObject(json, "ranks");
    for (int i = 0; i < here()->count; i++) {
        cJSON *rank = cJSON_CreateObject();
        cJSON_AddNumberToObject(rank, "rank", i);
        cJSON_AddStringToObject(rank, "host", bench.facts[i].host);
        cJSON_AddStringToObject(rank, "gpu", bench.facts[i].gpu);
        cJSON_AddStringToObject(rank, "bus", bench.facts[i].bus);
        cJSON_AddItemToArray(ranks, rank);
    }
    cJSON_AddNumberToObject(json, "hosts", here()->hosts);
    cJSON_AddStringToObject(json, "mpi", ranks_library());
    if (bench.has_nccl)
        cJSON_AddStringToObject(json, "nccl", nccl_rank_version());
    if (bench.has_nvshmem)
        cJSON_AddStringToObject(json, "nvshmem", shmem_ranks_version());
    return json;
}

static int resident_blocks(const struct variant *, unsigned threads, long long, int sm_count)
{
    return shmem_ranks_resident_blocks(threads) * sm_count;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "rounds",
         .help = "barriers in one run",
         .standard = STANDARD_ROUNDS,
         .least = 1,
         .most = 1000000,
         .number = &settings.rounds},
        {.name = "late",
         .help = "microseconds by which the last rank arrives late at each barrier",
         .standard = "0",
         .least = 0,
         .most = 1000000,
         .number = &settings.late},
        {}};
    static char ranks[16];
    set_program_name("micro-multi-node");
    ranks_open(&argc, &argv);
    snprintf(ranks, sizeof ranks, "%d", here()->count);
    struct experiment e = {};
    e.name = "micro-multi-node";
    e.question = "what does a barrier across GPUs of one or several nodes cost? (started by mpirun)";
    e.variants = ways;
    e.variant_count = sizeof ways / sizeof *ways;
    e.one_process = true;
    e.can_do = can_do;
    e.options = options;
    e.size_means = "ranks, as many as mpirun started";
    e.gpu_sizes = ranks;
    e.machine_sizes = ranks;
    e.gpu_runs = 3;
    e.launches.threads = STANDARD_THREADS;
    e.launches.sweep = SWEEP_ALL_MULTIPROCESSORS;
    e.launches.resident_blocks = resident_blocks;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.describe = describe;
    e.analyse = analyse;
    if (here()->rank > 0)
        return follow(argc, argv, &e);
    if (on_exit(dismiss, NULL) != 0)
        fail(EXIT_CANNOT, "no exit handler");
    return run_experiment(argc, argv, e);
}
