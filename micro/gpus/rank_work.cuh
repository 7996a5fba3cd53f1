/* The work of a rank in micro-multi-node: its variants, its state, and a point's memory, runs and checks. */
#ifndef MICRO_RANK_WORK_CUH
#define MICRO_RANK_WORK_CUH

#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "harness/variants.h"
#include "micro/gpus/nccl_rank.h"
#include "micro/gpus/nvshmem_ranks.cuh"
#include "micro/gpus/rank_exchange.cuh"
#include "micro/gpus/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned GRAPH_ROUNDS = 100;

/* Checks the words of round r - 1 if r > 0, and executes round r if r is below the number of rounds. */
__global__ void one_round(RankExchange exchange, unsigned r)
{
    if (r > 0)
        exchange.find(r - 1);
    if (r < exchange.rounds) {
        exchange.leave(r);
        exchange.come_late();
    }
}

/* ---- Variants ---- */

enum { MPI, NCCL, NCCL_GRAPH, NVSHMEM_STREAM, NVSHMEM };

#define NEEDS_NCCL "NCCL when built, a GPU a rank"
#define NEEDS_NVSHMEM "NVSHMEM when built, a GPU a rank"
static const struct variant ways[] = {
    VARIANT(MPI, "mpi", "a launch, the host waits for it, and MPI_Barrier", .ordered = true, .waits = true),
    VARIANT(NCCL, "nccl", "launches, and NCCL's all-reduce of one number between them", .ordered = true,
            .waits = true, .special = NEEDS_NCCL),
    VARIANT(NCCL_GRAPH, "nccl-graph", "nccl as a CUDA graph of each rank", .ordered = true, .waits = true,
            .special = NEEDS_NCCL),
    VARIANT(NVSHMEM_STREAM, "nvshmem-stream", "launches, and NVSHMEM's barrier between them", .ordered = true,
            .waits = true, .special = NEEDS_NVSHMEM),
    VARIANT(NVSHMEM, "nvshmem",
            "one kernel: NVSHMEM's barrier by one block, between two barriers of the grid", .ordered = true,
            .resident = true, .waits = true, .capability = 70, .special = NEEDS_NVSHMEM),
};

static bool uses_nccl(int id)
{
    return id == NCCL || id == NCCL_GRAPH;
}
static bool uses_nvshmem(int id)
{
    return id == NVSHMEM_STREAM || id == NVSHMEM;
}

/* ---- The state of this process, which is one rank ---- */

static struct {
    int rounds, late; /* number of rounds, and microseconds by which the last rank is late */
} settings;

struct facts {
    char host[64], gpu[64], bus[32];
};

static struct {
    /* [rank]: the host and GPU of each rank, and in `errors` and `times` each rank's answers to the last
     * order */
    struct facts *facts;
    unsigned *errors;
    double *times;
    bool has_nccl, has_nvshmem;
    int id; /* id of the point's variant */
    RankExchange exchange;
    gpusync_grid_barrier barrier;
    unsigned *words; /* memory on the host for words that are sent to another rank */
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

/* ---- Preparing a point, which every rank does ---- */

struct order {
    enum { OPEN, PREPARE, RUN, CHECK_RUN, TIME_RUN, RELEASE, CLOSE, END } what;
    int id;
    unsigned blocks, threads;
    int status; /* exit status with which all ranks end */
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
    if (o->id == NCCL_GRAPH) /* a graph contains GRAPH_ROUNDS rounds and runs as a whole */
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

/* ---- Executing a run, which every rank does ---- */

/* Delays the last rank on the machine. Kernels take no time of the host there, so the host itself waits. */
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

/* Launches all rounds. If the words are checked, another launch checks the last round. */
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

/* Executes a run with checks and returns the number of errors in this rank. The checked run needs a newly
 * captured graph. */
static unsigned check_rank()
{
    RankExchange *e = &bench.exchange;
    cudaGraphExec_t kept = bench.graph;
    unsigned errors;
    CHECK(cudaMemset(e->errors, 0, sizeof *e->errors));
    CHECK(cudaMemset(e->mail, 0, 2 * (size_t)e->words() * sizeof *e->mail));
    CHECK(cudaMemset(e->board, 0, 2 * (size_t)e->words() * sizeof *e->board));
    CHECK(cudaDeviceSynchronize());
    ranks_meet(); /* no rank may write into a mail before it is empty */
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

/* Executes a run and returns the time of a round as this rank's GPU measures it. */
static double time_rank()
{
    double time;
    CHECK(cudaEventRecord(bench.begun, harness_stream()));
    run_rank();
    CHECK(cudaEventRecord(bench.done, harness_stream()));
    wait_for_device();
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, bench.begun, bench.done));
    time = 1e6 * (double)milliseconds;
    return time / bench.exchange.rounds;
}

#endif
