/*
 * What does a barrier cost across GPUs that may be on several nodes? mpirun starts one process for each GPU.
 * The first process reads the command line, measures, writes the result file, and broadcasts every step to
 * the others. A round is one store by each thread and the barrier.
 *
 *     mpirun -n 2 build/gpu/micro-multi-node --json result.json
 *     mpirun -n 4 build/machine/micro-multi-node --rounds 6          # MPI's barrier alone, without any GPU
 *
 * Each barrier is verified by its own promise (micro/gpus/rank_exchange.cuh). MPI's barrier promises that all
 * ranks have arrived: a rank writes into the next rank's memory before it (MPI_Put), and the next rank reads
 * after it. NCCL's all-reduce promises only a sum: it adds numbers that every rank's preceding launch wrote,
 * and the next launch reads the sum, besides words that a message of NCCL brings. NVSHMEM's barrier_all
 * promises that all earlier puts have arrived.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "harness/options.h"
#include "harness/sweeps.h"
#include "harness/timer.h"
#include "micro/gpus/rank_work.cuh"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STANDARD_ROUNDS MACHINE_OR_GPU("6", "1000")
#define STANDARD_THREADS MACHINE_OR_GPU("64", "256")

/* ---- Orders ---- */

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

/* Prepares the point in all ranks. If a library fails in any rank, the first rank ends the attempt and prints
 * the reason. */
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

/* Makes all ranks execute an order. Only the first rank calls this function, and it executes the order,
 * too. */
static void everybody(struct order order)
{
    ranks_broadcast(&order, sizeof order);
    obey(&order);
}

/* Opens this rank's GPU, which is number `local` counted from --device. Returns the time of the watchdog in
 * seconds. */
static double open_own_device(int argc, char **argv, const struct experiment *e)
{
    struct options options;
    struct device device;
    struct named_sweep *sweeps;
    /* the first rank has already parsed the same options without an error */
    parse_options(argc, argv, e, &options);
    if (options.sweep && find_sweeps(e, &options, &sweeps) == 1)
        add_options(sweeps[0].options, e, &options);
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

/* Receives and executes the first rank's orders; every other rank calls this function. */
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

/* ---- What only the first rank executes ---- */

static bool under_way; /* true while other ranks hold resources, or wait for each other */

/* Exit handler of the first rank: makes the other ranks exit with the same status, unless work is under
 * way. */
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

/* Adds to the JSON each rank's own time of a round. The difference between the fastest and the slowest rank
 * is the skew. */
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

/* Returns JSON about where the ranks ran, and with which versions of the libraries. */
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

static double operations(const struct point *)
{
    return bench.exchange.rounds;
}

static int resident_blocks(const struct variant *, unsigned threads, long long, int sm_count)
{
    return shmem_ranks_resident_blocks(threads) * sm_count;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("rounds", 1, 1000000, STANDARD_ROUNDS, &settings.rounds, "barriers in one run"),
        OPTION_OF_NUMBER("late", 0, 1000000, "0", &settings.late,
                         "microseconds by which the last rank arrives late at each barrier"),
        {}};
    static char ranks[16];
    set_program_name("micro-multi-node");
    ranks_open(&argc, &argv);
    snprintf(ranks, sizeof ranks, "%d", here()->count);
    struct experiment e = {
        .name = "micro-multi-node",
        .question = "what does a barrier across GPUs of one or several nodes cost? (started by mpirun)",
        .variants = ways,
        .variant_count = sizeof ways / sizeof *ways,
        .one_process = true,
        .can_do = can_do,
        .options = options,
        .size_means = "ranks, as many as mpirun started",
        .gpu_sizes = ranks,
        .machine_sizes = ranks,
        .gpu_runs = 3,
        .launches = {.threads = STANDARD_THREADS,
                     .sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks},
        .problem = {.open = open_problem, .close = close_problem, .is_generated = true},
        .describe = describe,
        .analyse = analyse,
    };
    if (here()->rank > 0)
        return follow(argc, argv, &e);
    if (on_exit(dismiss, NULL) != 0)
        fail(EXIT_CANNOT, "no exit handler");
    return run_experiment(argc, argv, e);
}
