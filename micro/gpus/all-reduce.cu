/*
 * What does an all-reduce inside a kernel cost? In a round each GPU has a vector of numbers, each of its
 * blocks sends a share of it, and each block gets the sum of the vectors of all GPUs, as the next layer of a
 * decode kernel needs it. Every number of every sum is checked in every round, also in timed runs; `none`
 * measures the time of this alone.
 *
 *     build/gpu/micro-all-reduce --gpus 2 --size 1024,8192           # bytes of a vector
 *     build/gpu/micro-all-reduce --gpus 2 --on one                   # two members on one GPU, without a link
 *     build/machine/micro-all-reduce --gpus 2 --size 64 --memory random --races
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/gpus/all_reduce_variants.cuh"
#include "harness/gpus.h"
#include "micro/gpus/nccl.h"
#include "micro/gpus/nccl_lsa.cuh"
#include "micro/gpus/nccl_reduce.cuh"
#include "micro/gpus/nvshmem_reduce.cuh"

#include <limits.h>
#include <stdlib.h>

#define STANDARD_ROUNDS MACHINE_OR_GPU("6", "2000")
#define STANDARD_THREADS MACHINE_OR_GPU("64", "256")

static const int GRAPH_ROUNDS = 100;

/* ---- The problem ---- */

enum { ON_OWN, ON_ONE }; /* values of --on */
static struct {
    int gpus, on, rounds;
} settings;

static struct {
    struct gpus gpus; /* the GPUs in use; a single GPU if all members share it */
    int devices[GPUSYNC_MOST_GPUS];
    gpusync_all_reduce memory[GPUSYNC_MOST_GPUS];
    rounds_of_gpu rounds;
    cudaGraphExec_t graph;
    /* whether the point uses NCCL's device API, and whether it uses NVSHMEM */
    bool has_nccl_device, has_nvshmem;
    unsigned elements, rounds_done;
} bench;

static bool share_a_grid(void)
{
    return device_is_machine() || settings.on == ON_ONE;
}

static bool is_nccl_device(const struct variant *v)
{
    return v->id == NCCL_DEVICE || v->id == NCCL_DEVICE_SHARE;
}

static bool is_nvshmem(const struct variant *v)
{
    return v->id == NVSHMEM_GRAPH || v->id == NVSHMEM_DEVICE;
}

static bool is_graph(const struct variant *v)
{
    return v->id == NCCL_GRAPH || v->id == NVSHMEM_GRAPH;
}

static bool can_do(const struct variant *v)
{
#ifdef GPUSYNC_NCCL
    const bool has_nccl = true;
#else
    const bool has_nccl = false;
#endif
    if (v->id == NCCL_GRAPH)
        return has_nccl && !share_a_grid();
    if (is_nccl_device(v))
        return nccl_lsa_is_there() && !share_a_grid();
    if (is_nvshmem(v))
        return shmem_reduce_is_there() && !share_a_grid() && settings.gpus > 1;
    return !v->special || device_is_machine();
}

static long long open_problem(const char *, long long size, unsigned long long)
{
    unsigned gpus = (unsigned)settings.gpus;
    if (size < 4 || size % 4 || size > INT_MAX / 32)
        fail(EXIT_BAD_INPUT, "size %lld: a vector is of whole numbers of 4 bytes, up to %d bytes", size,
             INT_MAX / 32 / 4 * 4);
    if (gpus > 4 && gpus != 8)
        fail(EXIT_BAD_INPUT, "%u GPUs: 1 to 4, or 8, can be measured", gpus);
    gpus_open(settings.on == ON_ONE ? 1 : gpus, &bench.gpus);
    for (unsigned g = 0; g < gpus; g++)
        bench.devices[g] = bench.gpus.devices[g < bench.gpus.count ? g : 0];
    bench.elements = (unsigned)(size / 4);
    return size;
}

static void close_problem(void)
{
    gpus_close(&bench.gpus);
}

/* ---- A point ---- */

static void on_gpu(unsigned g)
{
    CHECK(cudaSetDevice(bench.devices[g]));
}

static int rounds_of(const struct point *p)
{
    return is_graph(p->variant) ? GRAPH_ROUNDS : settings.rounds;
}

/* Allocates and fills the vectors that NCCL adds up. They do not change from round to round. */
static void fill_vectors(void)
{
    size_t bytes = bench.elements * sizeof(unsigned);
    unsigned *host = (unsigned *)allocate(bytes);
    for (unsigned g = 0; g < (unsigned)settings.gpus; g++) {
        on_gpu(g);
        allocate_on_device(bench.rounds.vector[g], 2 * bytes);
        all_reduce_first_numbers(g, bench.elements, host);
        CHECK(cudaMemset(bench.rounds.vector[g], 0, 2 * bytes));
        CHECK(cudaMemcpy(bench.rounds.vector[g], host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
    }
    free(host);
    on_gpu(0);
}

static void capture_nccl(void)
{
    cudaGraph_t captured;
    gpus_join(&bench.gpus);
    CHECK(cudaStreamBeginCapture(bench.gpus.streams[0], cudaStreamCaptureModeGlobal));
    gpus_fork(&bench.gpus);
    for (int i = 0; i < GRAPH_ROUNDS; i++)
        nccl_add_up(&bench.gpus, bench.rounds.vector, bench.elements);
    on_gpu(0);
    gpus_join(&bench.gpus);
    CHECK(cudaStreamEndCapture(bench.gpus.streams[0], &captured));
    CHECK(cudaGraphInstantiate(&bench.graph, captured, 0));
    CHECK(cudaGraphDestroy(captured));
}

static void prepare(const struct point *p)
{
    unsigned gpus = (unsigned)settings.gpus;
    bench.rounds = {0, (unsigned)rounds_of(p), {}, {}};
    CHECK(gpusync_all_reduce_create_with(bench.memory, bench.devices, gpus, p->blocks, bench.elements,
                                         plain_reduce_more_bytes(gpus, p->blocks)));
    for (unsigned g = 0; g < gpus; g++) {
        on_gpu(g);
        allocate_on_device(bench.rounds.wrong[g], sizeof(unsigned));
        CHECK(cudaMemset(bench.rounds.wrong[g], 0, sizeof(unsigned)));
        CHECK(cudaDeviceSynchronize());
    }
    on_gpu(0);
    if (p->variant->id == NCCL_GRAPH) {
        fill_vectors();
        nccl_open(&bench.gpus);
        /* the first all-reduce connects the GPUs, which must not happen while a graph is captured */
        nccl_add_up(&bench.gpus, bench.rounds.vector, bench.elements);
        gpus_join(&bench.gpus);
        capture_nccl();
    }
    bench.has_nccl_device = is_nccl_device(p->variant);
    bench.rounds_done = 0;
    if (bench.has_nccl_device) {
        nccl_open(&bench.gpus);
        nccl_lsa_open(&bench.gpus, p->blocks);
        nccl_reduce_open(&bench.gpus, bench.elements);
    }
    bench.has_nvshmem = is_nvshmem(p->variant);
    if (bench.has_nvshmem)
        shmem_reduce_open(&bench.gpus, {gpus, p->blocks, p->threads, bench.elements, (unsigned)rounds_of(p),
                                        is_graph(p->variant)});
}

static void release(void)
{
    for (unsigned g = 0; g < (unsigned)settings.gpus; g++) {
        CHECK(cudaFree(bench.rounds.wrong[g]));
        CHECK(cudaFree(bench.rounds.vector[g]));
    }
    CHECK(gpusync_all_reduce_destroy(bench.memory));
    if (bench.has_nccl_device) {
        nccl_reduce_close(&bench.gpus);
        nccl_lsa_close(&bench.gpus);
        nccl_close();
    }
    if (bench.has_nvshmem)
        shmem_reduce_close();
    if (bench.graph) {
        CHECK(cudaGraphExecDestroy(bench.graph));
        nccl_close();
    }
    bench.graph = NULL;
}

static void run_nccl_device(const struct point *p)
{
    for (unsigned g = 0; g < (unsigned)settings.gpus; g++) {
        on_gpu(g);
        nccl_reduce_rounds r = {g,
                                p->blocks,
                                p->threads,
                                bench.elements,
                                bench.rounds_done,
                                (unsigned)settings.rounds,
                                bench.rounds.wrong[g]};
        nccl_reduce(r, p->variant->id == NCCL_DEVICE_SHARE, bench.gpus.streams[g]);
    }
    bench.rounds_done += (unsigned)settings.rounds;
}

static void run_ours(const struct point *p)
{
    unsigned grids = share_a_grid() ? 1 : (unsigned)settings.gpus;
    launch_shape shape = {p->blocks * (unsigned)settings.gpus / grids, p->threads, 0, !device_is_machine(),
                          false};
    for (unsigned g = 0; g < grids; g++) {
        on_gpu(g);
        bench.rounds.me = g;
        CHECK(launch(kernel_of(p->variant->id, (unsigned)settings.gpus), shape, bench.gpus.streams[g],
                     bench.rounds, bench.memory[g]));
    }
}

static void run(const struct point *p)
{
    if (bench.graph) {
        CHECK(cudaGraphLaunch(bench.graph, bench.gpus.streams[0]));
        return;
    }
    if (bench.has_nvshmem) {
        shmem_reduce_run(bench.gpus.streams[0]);
        return;
    }
    gpus_fork(&bench.gpus);
    if (bench.has_nccl_device)
        run_nccl_device(p);
    else
        run_ours(p);
    on_gpu(0);
    gpus_join(&bench.gpus);
}

static double operations(const struct point *p)
{
    return rounds_of(p);
}

/* Returns how many of the sums that NCCL has left on GPU g are wrong. */
static unsigned wrong_sums(unsigned g)
{
    size_t bytes = bench.elements * sizeof(unsigned);
    unsigned *sums = (unsigned *)allocate(bytes);
    CHECK(cudaMemcpy(sums, bench.rounds.vector[g] + bench.elements, bytes, cudaMemcpyDeviceToHost));
    unsigned wrong = all_reduce_wrong_sums((unsigned)settings.gpus, bench.elements, sums);
    free(sums);
    return wrong;
}

/* Returns the number of wrong sums since the point was prepared; for NCCL, only of its last round. */
static struct verdict check(const struct point *p)
{
    bool share = p->variant->id == PACKED_SHARE || p->variant->id == PHASE_SHARE ||
                 p->variant->id == NCCL_DEVICE_SHARE;
    double sums = (double)bench.elements * settings.gpus;
    if (!is_graph(p->variant))
        sums *= rounds_of(p) * (share ? 1.0 : (double)p->blocks);
    struct verdict verdict = {true, 0, (unsigned long long)sums};
    for (unsigned g = 0; g < (unsigned)settings.gpus; g++) {
        unsigned wrong;
        on_gpu(g);
        CHECK(cudaMemcpy(&wrong, bench.rounds.wrong[g], sizeof wrong, cudaMemcpyDeviceToHost));
        verdict.wrong += bench.graph ? wrong_sums(g) : wrong;
    }
    on_gpu(0);
    if (bench.has_nvshmem)
        verdict.wrong += shmem_reduce_wrong();
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* Returns the largest number of blocks of a member that can be resident. The members of a grid share the
 * GPU's multiprocessors. */
static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    unsigned gpus = (unsigned)settings.gpus;
    if (is_nccl_device(variant))
        return nccl_reduce_resident_blocks(threads) * sm_count;
    if (is_nvshmem(variant))
        return shmem_reduce_resident_blocks(threads) * sm_count;
    int all = resident_blocks_per_sm(kernel_of(variant->id, gpus), threads, 0) * sm_count;
    return share_a_grid() ? all / (int)gpus : all;
}

/* Checks that a block has as many threads as there may be GPUs: one thread signals each GPU. */
static void check_threads(const struct variant *, unsigned threads)
{
    if (threads < GPUSYNC_MOST_GPUS)
        fail(EXIT_BAD_INPUT, "threads %u: a block needs at least %d", threads, GPUSYNC_MOST_GPUS);
}

int main(int argc, char **argv)
{
    shmem_reduce_serve(argc, argv);
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("gpus", 1, GPUSYNC_MOST_GPUS, "2", &settings.gpus, "members: GPUs, unless --on one"),
        OPTION_OF_CHOICE("on", "own,one", "own", &settings.on,
                         "own: each member is a GPU; one: all are blocks of one GPU"),
        OPTION_OF_NUMBER("rounds", 1, 1000000, STANDARD_ROUNDS, &settings.rounds, "all-reduces in one run"),
        {}};
    struct experiment e = {
        .name = "micro-all-reduce",
        .question = "what does an all-reduce inside a kernel cost?",
        .variants = ways,
        .variant_count = WAYS,
        .left_out = "one-slot,only-receives",
        .can_do = can_do,
        .options = options,
        .size_means = "bytes of a vector",
        .gpu_sizes = "64,1024,8192,65536",
        .machine_sizes = "64,1024",
        .gpu_runs = 3,
        .launches = {.threads = STANDARD_THREADS,
                     .sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks,
                     .check = check_threads},
        .problem = {.open = open_problem, .close = close_problem, .is_generated = true},
    };
    return run_experiment(argc, argv, e);
}
