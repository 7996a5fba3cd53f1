/*
 * What do the parts of a barrier cost? There is one loop for each part; the result is a time per operation.
 * `build/report preset` makes a machine description from these constants.
 *
 *     build/gpu/micro-components --variant atomic,fence --blocks 1,132
 *
 * Parts within a thread, warp or block (arithmetic to syncthreads) take equally long in any number of blocks.
 * atomic and the fences show what happens if many blocks execute them at once. hop passes a token around a
 * ring of all blocks. The peer parts access a second GPU's memory from the first.
 */
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/timer.h"
#include "micro/components/component_kernels.cuh"
#include "harness/gpus.h"

#include <stdlib.h>

enum part {
#define PART(id, ...) id,
#include "micro/components/components.def"
#undef PART
    PARTS
};

#define LINE_BYTES (CHAIN_STRIDE * sizeof(unsigned))
#define MOST_BLOCKS_OF_CLUSTER 8 /* the largest cluster that a part needs */
/* What a part needs, as its `special` says */
static const char A_SECOND_GPU[] = "a second GPU whose memory the first reaches";
static const char A_GPU[] = "a GPU: the memory machine takes it for a deadlock";
static const char UNITS_APART[] = "a GPU: the memory machine takes one time for all instructions";

static const struct variant parts[PARTS] = {
#define PART(part, title, threads, how, text, ...) VARIANT(part, title, text, .ordered = true, __VA_ARGS__),
#include "micro/components/components.def"
#undef PART
};

static bool needs_second_gpu(const struct variant *v)
{
    return v->special == A_SECOND_GPU;
}

/* Returns whether the device can execute the variant. The machine cannot execute the peer parts: its links
 * are constants of its description, not parts to be measured. */
static bool can_do(const struct variant *v)
{
    if (v->special == A_GPU || v->special == UNITS_APART)
        return !device_is_machine();
    return !needs_second_gpu(v) || gpus_has_peer();
}

static struct {
    /* words that a kernel accesses; they lie in the second GPU's memory if the measured part needs that */
    unsigned *out, *words;
    size_t words_bytes;
    cudaGraphExec_t graph;
    struct gpus gpus;
} bench;

static unsigned threads_of(const struct point *p);

static launch_shape shape_of(const struct point *p)
{
    return {p->blocks, threads_of(p), 0, false, p->variant->id == LAUNCH_GRAPH_PDL};
}

/* Returns how often a token goes around the ring of blocks, so that a run has about `size` hops. */
static unsigned rounds_of(const struct point *p)
{
    return (unsigned)((p->size + p->blocks - 1) / p->blocks);
}

/* The largest number of launches in a run: a launch takes thousands of times as long as most parts. */
#define MOST_LAUNCHES 2000
#define MEMSET_BYTES 4096
static long long launches_of(const struct point *p)
{
    return p->size < MOST_LAUNCHES ? p->size : MOST_LAUNCHES;
}

static void enqueue_empty_kernel(const struct point *p, bool is_first, cudaStream_t stream)
{
    launch_shape shape = shape_of(p), plain = {shape.blocks, shape.threads, 0, false, false};
    if (p->variant->id == MEMSET)
        CHECK(cudaMemsetAsync(bench.words, 0, MEMSET_BYTES, stream));
    else if (p->variant->id == LAUNCH_BEHIND)
        CHECK(launch(long_kernel, plain, stream, bench.out));
    else if (shape.programmatic && !is_first)
        CHECK(launch(nothing_dependent, shape, stream, bench.out));
    else
        CHECK(launch(nothing, plain, stream, bench.out));
}

/* Enqueues an empty kernel on both GPUs; each kernel waits for the preceding kernels of both GPUs. */
static void enqueue_on_peers(const struct point *p)
{
    gpus_fork(&bench.gpus);
    for (unsigned g = 0; g < bench.gpus.count; g++) {
        CHECK(cudaSetDevice(bench.gpus.devices[g]));
        enqueue_empty_kernel(p, false, bench.gpus.streams[g]);
    }
    CHECK(cudaSetDevice(bench.gpus.devices[0]));
    gpus_join(&bench.gpus);
}

static void enqueue_empty_kernels(const struct point *p)
{
    for (long long i = 0; i < launches_of(p); i++) {
        if (p->variant->id == LAUNCH_GRAPH_PEERS)
            enqueue_on_peers(p);
        else
            enqueue_empty_kernel(p, i == 0, harness_stream());
        if (p->variant->id == LAUNCH_SYNCHRONOUS)
            CHECK(cudaStreamSynchronize(harness_stream()));
    }
}

/* Returns the number of blocks, rounded up to a multiple of the number of blocks in a cluster. */
static unsigned whole_clusters(unsigned blocks, unsigned in_cluster)
{
    return (blocks + in_cluster - 1) / in_cluster * in_cluster;
}

/* Returns the shape for clusters of this number of blocks. Each block has dynamic shared memory of a word a
 * thread. */
static launch_shape in_clusters(launch_shape shape, unsigned in_cluster)
{
    shape.cluster = in_cluster;
    shape.shared_bytes = CLUSTER_CHAIN(shape.threads.x) * sizeof(unsigned);
    shape.blocks = whole_clusters(shape.blocks.x, in_cluster);
    return shape;
}

static void write_chain(unsigned words)
{
    unsigned *chain = (unsigned *)allocate(bench.words_bytes);
    for (unsigned i = 0; i < words; i++)
        chain[i * CHAIN_STRIDE] = (i + 1) % words * CHAIN_STRIDE;
    CHECK(cudaMemcpy(bench.words, chain, bench.words_bytes, cudaMemcpyHostToDevice));
    free(chain);
}

/* Returns the number of words of the pointer chain of a part. In L1 they are few, because the first load of
 * each line is a miss, which must not count in a hit's time. */
static unsigned chain_words(const struct point *p)
{
    return p->variant->id == L1_LOAD ? 8 : CHAIN;
}

static bool chases(const struct point *p)
{
    return p->variant->id == L1_LOAD || p->variant->id == L2_LOAD || p->variant->id == L2_LOAD_SYSTEM ||
           p->variant->id == PEER_LOAD;
}

/* Returns whether each block of the part has CHAIN lines of its own. */
static bool has_own_lines(const struct variant *v)
{
    switch (v->id) {
    case L2_LOAD_WRITTEN:
    case L2_LOAD_UNWRITTEN:
    case L2_LOADS:
    case L2_LOADS_WIDE:
    case L2_LOADS_APART:
    case L2_LOADS_32_WARPS:
    case FENCE_8_STORES:
    case FENCE_32_STORES:
        return true;
    default:
        return false;
    }
}

/* Returns the number of lines that the threads of a point of DRAM_LOADS_32_WARPS read before they begin
 * again: a power of two, and at most 512 MiB, which is larger than L2. */
static size_t dram_lines(const struct point *p)
{
    const size_t most = (512u << 20) / LINE_BYTES,
                 wanted = (size_t)p->size * p->blocks * threads_of(p) * sizeof(uint4) / LINE_BYTES;
    size_t lines_count = CHAIN;
    while (lines_count < most && lines_count < wanted)
        lines_count *= 2;
    return lines_count;
}

static void allocate_words(const struct point *p)
{
    size_t lines_count = p->blocks + 1 > CHAIN ? p->blocks + 1 : CHAIN;
    if (has_own_lines(p->variant))
        lines_count = 1 + (size_t)p->blocks * CHAIN;
    if (p->variant->id == DRAM_LOADS_32_WARPS)
        lines_count = dram_lines(p);
    if (p->variant->id == PEER_LINES_STORED)
        lines_count = PEER_LINES;
    bench.words_bytes = lines_count * LINE_BYTES;
    if (needs_second_gpu(p->variant)) {
        gpus_open(2, &bench.gpus);
        CHECK(cudaSetDevice(bench.gpus.devices[1]));
    }
    allocate_on_device(bench.words, bench.words_bytes);
    CHECK(cudaMemset(bench.words, 0, bench.words_bytes));
    if (chases(p))
        write_chain(chain_words(p));
    CHECK(cudaDeviceSynchronize());
    if (needs_second_gpu(p->variant)) {
        CHECK(cudaSetDevice(bench.gpus.devices[0]));
        gpus_reach_each_other(&bench.gpus);
    }
}

static void prepare(const struct point *p)
{
    const size_t bytes = whole_clusters(p->blocks, MOST_BLOCKS_OF_CLUSTER) * sizeof(unsigned);
    allocate_words(p);
    allocate_on_device(bench.out, bytes);
    CHECK(cudaMemset(bench.out, 0xff, bytes));
    if (p->variant->graphs != NO_GRAPHS)
        bench.graph = capture_graph([&] { enqueue_empty_kernels(p); });
}

static void release(void)
{
    if (bench.graph)
        CHECK(cudaGraphExecDestroy(bench.graph));
    bench.graph = NULL;
    CHECK(cudaFree(bench.out));
    CHECK(cudaFree(bench.words));
    if (bench.gpus.count)
        gpus_close(&bench.gpus);
    bench.gpus.count = 0;
}

/* The parameters of a run that measures a part of a barrier */
struct work {
    const struct point *point;
    launch_shape shape;
    cudaStream_t stream;
    unsigned items, *out, *words;
};

/* Passes a token around the ring of all blocks. */
static void run_ring(const work &w)
{
    CHECK(cudaMemsetAsync(w.words, 0, bench.words_bytes, w.stream));
    CHECK(launch(hop, w.shape, w.stream, w.out, rounds_of(w.point), w.words));
}

#define OF_POINT 0
#define RUN(kernel, ...) CHECK(launch(kernel, w.shape, w.stream, w.out, w.items __VA_OPT__(, ) __VA_ARGS__))
#define RUN_IN_CLUSTERS(kernel, blocks)                                                                      \
    CHECK(launch(kernel, in_clusters(w.shape, blocks), w.stream, w.out, w.items))
#define RUN_GRAPH CHECK(cudaGraphLaunch(bench.graph, w.stream))
static const struct {
    unsigned threads;
    void (*run)(const work &);
} rows[PARTS] = {
#define PART(id, name, threads, how, ...) {threads, [](const work &w) { how; }},
#include "micro/components/components.def"
#undef PART
};

static unsigned threads_of(const struct point *p)
{
    unsigned threads = rows[p->variant->id].threads;
    return threads == OF_POINT ? p->threads : threads;
}

static void run(const struct point *p)
{
    rows[p->variant->id].run({p, shape_of(p), harness_stream(), (unsigned)p->size, bench.out, bench.words});
}

/* Returns the number of instructions of a loop whose body is executed as often as it takes for `size` of
 * them. */
static double whole_bodies(const struct point *p, unsigned body)
{
    return (double)((p->size + body - 1) / body * body);
}

static double operations(const struct point *p)
{
    if (p->variant->unchecked) /* launches, of which no kernel stores anything that would be checked */
        return (double)launches_of(p);
    switch (p->variant->id) {
    case CLOCK_CYCLE:
        return (double)p->size * CYCLES_PER_ITEM;
    case HOP:
        return (double)rounds_of(p) * p->blocks;
    case SHARED_HOP:
    case CLUSTER_HOP:
    case MBARRIER_HOP:
    case MBARRIER_HOP_ALL:
    case HALF_HOP_POLLS:
    case HALF_HOP_POLLS_32_WARPS:
    case HALF_HOP_NAMED:
    case HALF_HOP_NAMED_32_WARPS:
    case HALF_HOP_MBARRIER:
    case HALF_HOP_MBARRIER_32_WARPS:
        /* each round of these kernels has two hops, there and back */
        return 2.0 * (double)p->size;
    case L2_LOAD_WRITTEN:
    case L2_LOAD_UNWRITTEN:
        return (double)(p->size / CHAIN * CHAIN);
    case L2_LOADS:
    case L2_LOADS_WIDE:
    case L2_LOADS_APART:
    case L2_LOADS_32_WARPS:
    case DRAM_LOADS_32_WARPS:
        return (double)(p->size / IN_FLIGHT * IN_FLIGHT);
    case CODE_64_KIB:
        return whole_bodies(p, STRAIGHT_INSTRUCTIONS);
    case CODE_256_KIB:
        return whole_bodies(p, 4 * STRAIGHT_INSTRUCTIONS);
    case PEER_LINES_STORED:
        return (double)p->size * p->blocks * p->threads / 32;
    default:
        return (double)p->size;
    }
}

/* Returns what each block must have stored in out[block]. */
static unsigned expected_output(const struct point *p)
{
    unsigned items = (unsigned)p->size, value = 0;
    switch (p->variant->id) {
    case ARITHMETIC:
    case LOOP:
    case CODE_64_KIB:
    case CODE_256_KIB:
        for (unsigned i = 0; i < (unsigned)operations(p); i++)
            value = value * 3 + 1;
        return value;
    case BRANCH:
    case BRANCH_BOTH:
        for (unsigned i = 0; i < items; i++)
            for (unsigned step = 0; step < SIDE_STEPS; step++)
                value = value * 3 + (p->variant->id == BRANCH_BOTH && i % 32 < 16 ? 1 : 2);
        return value;
    case DIVIDE:
        return items % 2 ? 200 : 199;
    case L1_LOAD:
    case L2_LOAD:
    case L2_LOAD_SYSTEM:
    case PEER_LOAD:
        return items % chain_words(p) * CHAIN_STRIDE;
    case SHARED_LOAD:
        return items * NEXT % CHAIN;
    case CLUSTER_LOAD:
    case CLUSTER_LOAD_32_WARPS:
        return items * CLUSTER_NEXT % CLUSTER_CHAIN(threads_of(p));
    case SHUFFLE: /* lane i holds i + d modulo 32; d is 1 at first and doubles in each shuffle */
        return items < 5 ? 1u << items : 0;
    case HOP:
        return rounds_of(p);
    default:
        return items;
    }
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, p->blocks};
    unsigned *out = (unsigned *)allocate(p->blocks * sizeof *out), counted = 0;
    CHECK(cudaMemcpy(out, bench.out, p->blocks * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&counted, bench.words, sizeof counted, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < p->blocks; b++)
        verdict.wrong += out[b] != expected_output(p);
    if (p->variant->id == ATOMIC_APART)
        verdict.wrong += counted != (unsigned)p->size;
    if (p->variant->id == ATOMIC || p->variant->id == REDUCTION || p->variant->id == ATOMIC_LINES ||
        p->variant->id == PEER_ATOMIC)
        verdict.wrong += counted != (unsigned)p->size * p->blocks;
    verdict.correct = verdict.wrong == 0;
    free(out);
    return verdict;
}

static int resident_blocks(const struct variant *, unsigned, long long, int sm_count)
{
    return sm_count * resident_blocks_per_sm(hop, 1, 0);
}

/* On a GPU, only the atomic on one word is measured with numbers of blocks between one and all
 * multiprocessors: its times tell how many multiprocessors are near the word (report/preset.c). Blocks that
 * have lines of their own are at most one on each multiprocessor, so that the lines fit into L2. */
static bool wants_blocks(const struct variant *v, unsigned blocks, int sm_count)
{
    return device_is_machine() || v->id == ATOMIC || blocks == 1 || blocks == (unsigned)sm_count ||
           (blocks > (unsigned)sm_count && !has_own_lines(v) && v->id != DRAM_LOADS_32_WARPS);
}

int main(int argc, char **argv)
{
    struct experiment experiment = {
        .name = "micro-components",
        .question = "what do the parts of a barrier cost?",
        .variants = parts,
        .variant_count = PARTS,
        .can_do = can_do,
        .size_means = "operations in one run",
        .size_repeats = true,
        .gpu_sizes = "50000",
        .machine_sizes = "128",
        .gpu_runs = 3,
        .launches = {.threads = "256",
                     .sweep = SWEEP_DOUBLING,
                     .resident_blocks = resident_blocks,
                     .wants_blocks = wants_blocks},
    };
    return run_experiment(argc, argv, experiment);
}
