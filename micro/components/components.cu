/*
 * What do the parts of a barrier cost? There is one loop for each part; the result is a time per operation.
 * build/report preset makes a machine description from these constants.
 *
 *     build/gpu/micro-components --variant atomic,fence --blocks 1,132
 *
 * Parts within a thread, warp or block (arithmetic to syncthreads) take equally long in any number of blocks;
 * atomic and the fences show what happens if many blocks execute them at once; hop passes a token round a
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
#include "micro/gpus/gpus.h"

#include <stdlib.h>

enum part {
    CLOCK_CYCLE,
    ARITHMETIC,
    LOOP,
    DIVIDE,
    PARAMETER,
    READ_CLOCK,
    L1_LOAD,
    L2_LOAD,
    SHARED_LOAD,
    SHUFFLE,
    SYNCWARP,
    SYNCTHREADS,
    SYNCTHREADS_1_WARP,
    SYNCTHREADS_32_WARPS,
    ATOMIC,
    REDUCTION,
    SHARED_ATOMIC,
    SHARED_ATOMIC_CONTENDED,
    FENCE_OF_BLOCK,
    FENCE,
    FENCE_STORE,
    RELEASE,
    RELEASE_STORE,
    ACQUIRE,
    FENCE_SYSTEM,
    RELEASE_SYSTEM,
    ACQUIRE_SYSTEM,
    PEER_LOAD,
    PEER_ATOMIC,
    PEER_FENCE_STORE,
    PEER_LINES_STORED,
    HOP,
    SHARED_HOP,
    POLL,
    POLL_LANE,
    SHARED_POLL,
    SHARED_POLL_LANE,
    MBARRIER_HOP,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_32,
    MBARRIER_TRY,
    MBARRIER_TRY_32,
    MBARRIER_TRY_EARLY,
    MBARRIER_TRY_EARLY_32,
    LAUNCH,
    LAUNCH_BEHIND,
    LAUNCH_SYNCHRONOUS,
    LAUNCH_GRAPH,
    LAUNCH_GRAPH_PDL,
    LAUNCH_GRAPH_PEERS,
    PARTS
};

#define A_SECOND_GPU "a second GPU whose memory the first reaches"
#define A_GPU "a GPU: the memory machine takes it for a deadlock"

static const struct variant parts[PARTS] = {
    {.id = CLOCK_CYCLE,
     .name = "clock-cycle",
     .summary = "one cycle of the multiprocessor's clock",
     .ordered = true},
    {.id = ARITHMETIC,
     .name = "arithmetic",
     .summary = "an integer multiply-add that depends on the one before",
     .ordered = true},
    {.id = LOOP, .name = "loop", .summary = "arithmetic, in a loop that is not unrolled", .ordered = true},
    {.id = DIVIDE,
     .name = "divide",
     .summary = "a division of 32-bit unsigned numbers that depends on the one before",
     .ordered = true},
    {.id = PARAMETER,
     .name = "parameter",
     .summary = "a word of a kernel's parameters at a computed place",
     .ordered = true},
    {.id = READ_CLOCK, .name = "clock64", .summary = "a reading of the clock", .ordered = true},
    {.id = L1_LOAD,
     .name = "l1-load",
     .summary = "a load that hits the L1 cache (pointer chase)",
     .ordered = true,
     .capability = 70},
    {.id = L2_LOAD,
     .name = "l2-load",
     .summary = "a load that bypasses the L1 cache (pointer chase)",
     .ordered = true},
    {.id = SHARED_LOAD,
     .name = "shared-load",
     .summary = "a load from shared memory (pointer chase)",
     .ordered = true},
    {.id = SHUFFLE,
     .name = "shuffle",
     .summary = "__shfl_sync from a lane that the value names",
     .ordered = true,
     .capability = 30},
    {.id = SYNCWARP, .name = "syncwarp", .summary = "__syncwarp", .ordered = true},
    {.id = SYNCTHREADS, .name = "syncthreads", .summary = "__syncthreads", .ordered = true},
    {.id = SYNCTHREADS_1_WARP,
     .name = "syncthreads-1-warp",
     .summary = "__syncthreads in a block of 32 threads",
     .ordered = true},
    {.id = SYNCTHREADS_32_WARPS,
     .name = "syncthreads-32-warps",
     .summary = "__syncthreads in a block of 1,024 threads",
     .ordered = true,
     .capability = 20},
    {.id = ATOMIC,
     .name = "atomic",
     .summary = "an atomic addition on one word, by one thread of each block",
     .ordered = true},
    {.id = REDUCTION, .name = "reduction", .summary = "atomic, without using its old value", .ordered = true},
    {.id = SHARED_ATOMIC,
     .name = "shared-atomic",
     .summary = "an atomic addition in shared memory, by one thread",
     .ordered = true,
     .capability = 12},
    {.id = SHARED_ATOMIC_CONTENDED,
     .name = "shared-atomic-contended",
     .summary = "shared-atomic by the 32 threads of a warp on one word",
     .ordered = true,
     .capability = 12},
    {.id = FENCE_OF_BLOCK, .name = "fence-block", .summary = "__threadfence_block", .ordered = true},
    {.id = FENCE, .name = "fence", .summary = "__threadfence with nothing to wait for", .ordered = true},
    {.id = FENCE_STORE,
     .name = "fence-after-store",
     .summary = "a store, then __threadfence",
     .ordered = true},
    {.id = RELEASE,
     .name = "fence-release",
     .summary = "fence.release with nothing to wait for",
     .ordered = true,
     .capability = 70},
    {.id = RELEASE_STORE,
     .name = "fence-release-after-store",
     .summary = "a store, then fence.release",
     .ordered = true,
     .capability = 70},
    {.id = ACQUIRE, .name = "fence-acquire", .summary = "fence.acquire", .ordered = true, .capability = 70},
    {.id = FENCE_SYSTEM,
     .name = "fence-system",
     .summary = "__threadfence_system with nothing to wait for",
     .ordered = true,
     .capability = 20},
    {.id = RELEASE_SYSTEM,
     .name = "fence-release-system",
     .summary = "fence.release.sys with nothing to wait for",
     .ordered = true,
     .capability = 70},
    {.id = ACQUIRE_SYSTEM,
     .name = "fence-acquire-system",
     .summary = "fence.acquire.sys",
     .ordered = true,
     .capability = 70},
    {.id = PEER_LOAD,
     .name = "peer-load",
     .summary = "l2-load in another GPU's memory",
     .ordered = true,
     .capability = 70,
     .special = A_SECOND_GPU},
    {.id = PEER_ATOMIC,
     .name = "peer-atomic",
     .summary = "atomic on a word of another GPU's memory",
     .ordered = true,
     .capability = 70,
     .special = A_SECOND_GPU},
    {.id = PEER_FENCE_STORE,
     .name = "peer-fence-after-store",
     .summary = "a store into another GPU's memory, then __threadfence_system",
     .ordered = true,
     .capability = 70,
     .special = A_SECOND_GPU},
    {.id = PEER_LINES_STORED,
     .name = "peer-lines",
     .summary = "128 bytes stored by a warp into another GPU's memory, one after the other",
     .ordered = true,
     .capability = 70,
     .special = A_SECOND_GPU},
    {.id = HOP,
     .name = "hop",
     .summary = "a store by one block until another has seen it",
     .ordered = true,
     .resident = true},
    {.id = SHARED_HOP,
     .name = "shared-hop",
     .summary = "a store into shared memory by one warp until another has seen it",
     .ordered = true},
    {.id = POLL,
     .name = "poll",
     .summary =
         "one poll of a word, past the L1 cache, in a loop that waits for another thread; one thread a block",
     .ordered = true,
     .special = A_GPU},
    {.id = POLL_LANE,
     .name = "poll-lane",
     .summary = "poll by one thread of a warp, whose other threads wait for it",
     .ordered = true,
     .special = A_GPU},
    {.id = SHARED_POLL,
     .name = "shared-poll",
     .summary = "one poll of a word of shared memory in a loop, by all of a warp",
     .ordered = true,
     .special = A_GPU},
    {.id = SHARED_POLL_LANE,
     .name = "shared-poll-lane",
     .summary = "shared-poll by one thread of a warp, whose other threads wait for it",
     .ordered = true,
     .special = A_GPU},
    {.id = MBARRIER_HOP,
     .name = "mbarrier-hop",
     .summary = "an arrival at an mbarrier until another warp has seen it",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_ARRIVE,
     .name = "mbarrier-arrive",
     .summary = "an arrival at an mbarrier",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_ARRIVE_32,
     .name = "mbarrier-arrive-32",
     .summary = "mbarrier-arrive by the 32 threads of a warp, each at its own",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_TRY,
     .name = "mbarrier-try",
     .summary = "a try_wait for a phase that has completed",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_TRY_32,
     .name = "mbarrier-try-32",
     .summary = "mbarrier-try by the 32 threads of a warp, each for its own",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_TRY_EARLY,
     .name = "mbarrier-try-early",
     .summary = "a try_wait for a phase that does not complete",
     .ordered = true,
     .capability = 90},
    {.id = MBARRIER_TRY_EARLY_32,
     .name = "mbarrier-try-early-32",
     .summary = "mbarrier-try-early by the 32 threads of a warp, each for its own",
     .ordered = true,
     .capability = 90},
    {.id = LAUNCH,
     .name = "launch",
     .summary = "an empty kernel after another",
     .ordered = true,
     .unchecked = true},
    {.id = LAUNCH_BEHIND,
     .name = "launch-behind",
     .summary = "a kernel of 20,000 cycles after another, launched while the other runs",
     .ordered = true,
     .unchecked = true},
    {.id = LAUNCH_SYNCHRONOUS,
     .name = "launch-synchronous",
     .summary = "an empty kernel, and a wait for it",
     .ordered = true,
     .unchecked = true},
    {.id = LAUNCH_GRAPH,
     .name = "launch-graph",
     .summary = "an empty kernel after another in a graph",
     .ordered = true,
     .unchecked = true,
     .graphs = GRAPHS},
    {.id = LAUNCH_GRAPH_PDL,
     .name = "launch-graph-pdl",
     .summary = "launch-graph with programmatic dependent launch",
     .ordered = true,
     .unchecked = true,
     .graphs = GRAPHS_PROGRAMMATIC,
     .capability = 90},
    {.id = LAUNCH_GRAPH_PEERS,
     .name = "launch-graph-peers",
     .summary = "an empty kernel on each of two GPUs after both others, in a graph",
     .ordered = true,
     .unchecked = true,
     .graphs = GRAPHS,
     .special = A_SECOND_GPU},
};

static bool is_poll(const struct variant *v)
{
    return v->id >= POLL && v->id <= SHARED_POLL_LANE;
}

static bool needs_second_gpu(const struct variant *v)
{
    return v->special && !is_poll(v);
}

/* The machine's links are constants of its description, not parts to be measured. */
static bool can_do(const struct variant *v)
{
    return is_poll(v) ? !device_is_machine() : !needs_second_gpu(v) || gpus_has_peer();
}

static struct {
    unsigned *out, *words; /* words: of the second GPU, for the parts that need one */
    size_t words_bytes;
    cudaGraphExec_t graph;
    struct gpus gpus;
    parameter_chain chain;
} bench;

static unsigned threads_of(const struct point *p)
{
    int part = p->variant->id;
    switch (part) {
    case SHARED_ATOMIC_CONTENDED:
    case SYNCTHREADS_1_WARP:
    case LOOP:
    case DIVIDE:
    case PARAMETER:
    case MBARRIER_ARRIVE_32:
    case MBARRIER_TRY_32:
    case MBARRIER_TRY_EARLY_32:
    case POLL_LANE:
    case SHARED_POLL:
    case SHARED_POLL_LANE:
        return 32;
    case SHARED_HOP:
    case MBARRIER_HOP:
        return 64;
    case SYNCTHREADS_32_WARPS:
        return 1024;
    case ARITHMETIC:
    case SHUFFLE:
    case SYNCWARP:
    case SYNCTHREADS:
    case PEER_LINES_STORED:
        return p->threads;
    default:
        return 1;
    }
}

static launch_shape shape_of(const struct point *p)
{
    return {p->blocks, threads_of(p), 0, false, p->variant->id == LAUNCH_GRAPH_PDL};
}

/* A token's rounds of the ring; so that a run has about `size` hops. */
static unsigned rounds_of(const struct point *p)
{
    return (unsigned)((p->size + p->blocks - 1) / p->blocks);
}

/* A launch takes thousands of times as long as most parts. */
#define MOST_LAUNCHES 2000
static long long launches_of(const struct point *p)
{
    return p->size < MOST_LAUNCHES ? p->size : MOST_LAUNCHES;
}

static void enqueue_empty_kernel(const struct point *p, bool is_first, cudaStream_t stream)
{
    launch_shape shape = shape_of(p), plain = {shape.blocks, shape.threads, 0, false, false};
    if (p->variant->id == LAUNCH_BEHIND)
        CHECK(launch(long_kernel, plain, stream, bench.out));
    else if (shape.programmatic && !is_first)
        CHECK(launch(nothing_dependent, shape, stream, bench.out));
    else
        CHECK(launch(nothing, plain, stream, bench.out));
}

/* On both GPUs; each waits for both. */
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

static void capture(const struct point *p)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    enqueue_empty_kernels(p);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&bench.graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

static void write_chain(void)
{
    unsigned *chain = (unsigned *)allocate(bench.words_bytes);
    for (unsigned i = 0; i < CHAIN; i++)
        chain[i * CHAIN_STRIDE] = (i + 1) % CHAIN * CHAIN_STRIDE;
    CHECK(cudaMemcpy(bench.words, chain, bench.words_bytes, cudaMemcpyHostToDevice));
    free(chain);
}

static bool chases(const struct point *p)
{
    return p->variant->id == L1_LOAD || p->variant->id == L2_LOAD || p->variant->id == PEER_LOAD;
}

static void allocate_words(const struct point *p)
{
    size_t lines_count = p->blocks + 1 > CHAIN ? p->blocks + 1 : CHAIN;
    if (p->variant->id == PEER_LINES_STORED)
        lines_count = PEER_LINES;
    bench.words_bytes = lines_count * CHAIN_STRIDE * sizeof(unsigned);
    if (needs_second_gpu(p->variant)) {
        gpus_open(2, &bench.gpus);
        CHECK(cudaSetDevice(bench.gpus.devices[1]));
    }
    allocate_on_device(bench.words, bench.words_bytes);
    CHECK(cudaMemset(bench.words, 0, bench.words_bytes));
    if (chases(p))
        write_chain();
    CHECK(cudaDeviceSynchronize());
    if (needs_second_gpu(p->variant)) {
        CHECK(cudaSetDevice(bench.gpus.devices[0]));
        gpus_reach_peers(&bench.gpus);
    }
}

static void prepare(const struct point *p)
{
    allocate_words(p);
    for (unsigned i = 0; i < CHAIN; i++)
        bench.chain.next[i] = (i + NEXT) % CHAIN;
    allocate_on_device(bench.out, p->blocks * sizeof(unsigned));
    CHECK(cudaMemset(bench.out, 0xff, p->blocks * sizeof(unsigned)));
    if (p->variant->graphs != NO_GRAPHS)
        capture(p);
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

static void run(const struct point *p)
{
    launch_shape shape = shape_of(p);
    cudaStream_t stream = harness_stream();
    unsigned items = (unsigned)p->size, *out = bench.out, *words = bench.words;
    switch (p->variant->id) {
    case CLOCK_CYCLE:
        return CHECK(launch(clock_cycle, shape, stream, out, items));
    case ARITHMETIC:
        return CHECK(launch(arithmetic, shape, stream, out, items));
    case LOOP:
        return CHECK(launch(loop, shape, stream, out, items));
    case DIVIDE:
        return CHECK(launch(divide, shape, stream, out, items, DIVIDEND));
    case PARAMETER:
        return CHECK(launch(parameter, shape, stream, out, items, bench.chain));
    case READ_CLOCK:
        return CHECK(launch(read_clock, shape, stream, out, items));
    case L1_LOAD:
        return CHECK(launch(chase<PLAIN>, shape, stream, out, items, words));
    case L2_LOAD:
        return CHECK(launch(chase<PAST_L1>, shape, stream, out, items, words));
    case PEER_LOAD:
        return CHECK(launch(chase<OF_SYSTEM>, shape, stream, out, items, words));
    case SHARED_LOAD:
        return CHECK(launch(shared_load, shape, stream, out, items));
    case SHUFFLE:
        return CHECK(launch(shuffle, shape, stream, out, items));
    case SYNCWARP:
        return CHECK(launch(syncwarp, shape, stream, out, items));
    case SYNCTHREADS:
    case SYNCTHREADS_1_WARP:
    case SYNCTHREADS_32_WARPS:
        return CHECK(launch(syncthreads, shape, stream, out, items));
    case ATOMIC:
        return CHECK(launch(atomic<false>, shape, stream, out, items, words));
    case PEER_ATOMIC:
        return CHECK(launch(atomic<true>, shape, stream, out, items, words));
    case REDUCTION:
        return CHECK(launch(reduction, shape, stream, out, items, words));
    case PEER_LINES_STORED:
        return CHECK(launch(lines, shape, stream, out, items, words));
    case SHARED_ATOMIC:
    case SHARED_ATOMIC_CONTENDED:
        return CHECK(launch(shared_atomic, shape, stream, out, items));
    case FENCE_OF_BLOCK:
        return CHECK(launch(fence<FENCE_BLOCK, false>, shape, stream, out, items, words));
    case FENCE:
        return CHECK(launch(fence<FENCE_FULL, false>, shape, stream, out, items, words));
    case FENCE_STORE:
        return CHECK(launch(fence<FENCE_FULL, true>, shape, stream, out, items, words));
    case RELEASE:
        return CHECK(launch(fence<FENCE_RELEASE, false>, shape, stream, out, items, words));
    case RELEASE_STORE:
        return CHECK(launch(fence<FENCE_RELEASE, true>, shape, stream, out, items, words));
    case ACQUIRE:
        return CHECK(launch(fence<FENCE_ACQUIRE, false>, shape, stream, out, items, words));
    case FENCE_SYSTEM:
        return CHECK(launch(fence<FENCE_FULL_SYSTEM, false>, shape, stream, out, items, words));
    case RELEASE_SYSTEM:
        return CHECK(launch(fence<FENCE_RELEASE_SYSTEM, false>, shape, stream, out, items, words));
    case ACQUIRE_SYSTEM:
        return CHECK(launch(fence<FENCE_ACQUIRE_SYSTEM, false>, shape, stream, out, items, words));
    case PEER_FENCE_STORE:
        return CHECK(launch(fence<FENCE_FULL_SYSTEM, true>, shape, stream, out, items, words));
    case HOP:
        CHECK(cudaMemsetAsync(words, 0, bench.words_bytes, stream));
        return CHECK(launch(hop, shape, stream, out, rounds_of(p), words));
    case SHARED_HOP:
        return CHECK(launch(shared_hop, shape, stream, out, items));
    case POLL:
    case POLL_LANE:
        return CHECK(launch(poll, shape, stream, out, items, words));
    case SHARED_POLL:
    case SHARED_POLL_LANE:
        return CHECK(
            launch(shared_poll, shape, stream, out, items, p->variant->id == SHARED_POLL ? 32u : 1u));
    case MBARRIER_HOP:
        return CHECK(launch(mbarrier_hop, shape, stream, out, items));
    case MBARRIER_ARRIVE:
    case MBARRIER_ARRIVE_32:
        return CHECK(launch(mbarrier_arrivals, shape, stream, out, items));
    case MBARRIER_TRY:
    case MBARRIER_TRY_32:
        return CHECK(launch(mbarrier_try, shape, stream, out, items, true));
    case MBARRIER_TRY_EARLY:
    case MBARRIER_TRY_EARLY_32:
        return CHECK(launch(mbarrier_try, shape, stream, out, items, false));
    case LAUNCH_GRAPH:
    case LAUNCH_GRAPH_PDL:
    case LAUNCH_GRAPH_PEERS:
        return CHECK(cudaGraphLaunch(bench.graph, stream));
    default:
        return enqueue_empty_kernels(p);
    }
}

/* What each block must have left in out[block]. */
static unsigned expected_output(const struct point *p)
{
    unsigned items = (unsigned)p->size, value = 0;
    switch (p->variant->id) {
    case ARITHMETIC:
    case LOOP:
        for (unsigned i = 0; i < items; i++)
            value = value * 3 + 1;
        return value;
    case DIVIDE:
        return items % 2 ? 200 : 199;
    case L1_LOAD:
    case L2_LOAD:
    case PEER_LOAD:
        return items % CHAIN * CHAIN_STRIDE;
    case PARAMETER:
    case SHARED_LOAD:
        return items * NEXT % CHAIN;
    case SHUFFLE: /* lane i holds i + d, d doubling with each step from 1 */
        return items < 5 ? 1u << items : 0;
    case HOP:
        return rounds_of(p);
    case LAUNCH:
    case LAUNCH_BEHIND:
    case LAUNCH_SYNCHRONOUS:
    case LAUNCH_GRAPH:
    case LAUNCH_GRAPH_PDL:
    case LAUNCH_GRAPH_PEERS:
        return (unsigned)launches_of(p);
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
    if (p->variant->id == ATOMIC || p->variant->id == REDUCTION || p->variant->id == PEER_ATOMIC)
        verdict.wrong += counted != (unsigned)p->size * p->blocks;
    verdict.correct = verdict.wrong == 0;
    free(out);
    return verdict;
}

static int resident_blocks(const struct variant *, unsigned, long long, int sm_count)
{
    return sm_count * resident_blocks_per_sm(hop, 1, 0);
}

static double operations(const struct point *p)
{
    switch (p->variant->id) {
    case CLOCK_CYCLE:
        return (double)p->size * CYCLES_PER_ITEM;
    case HOP:
        return (double)rounds_of(p) * p->blocks;
    case SHARED_HOP:
    case MBARRIER_HOP:
        return 2.0 * (double)p->size; /* there and back */
    case PEER_LINES_STORED:
        return (double)p->size * p->blocks * p->threads / 32;
    case LAUNCH:
    case LAUNCH_BEHIND:
    case LAUNCH_SYNCHRONOUS:
    case LAUNCH_GRAPH:
    case LAUNCH_GRAPH_PDL:
    case LAUNCH_GRAPH_PEERS:
        return (double)launches_of(p);
    default:
        return (double)p->size;
    }
}

int main(int argc, char **argv)
{
    struct experiment experiment = {};
    experiment.name = "micro-components";
    experiment.question = "what do the parts of a barrier cost?";
    experiment.variants = parts;
    experiment.variant_count = PARTS;
    experiment.can_do = can_do;
    experiment.launches.threads = "256";
    experiment.size_means = "operations in one run";
    experiment.size_repeats = true;
    experiment.gpu_sizes = "5000";
    experiment.machine_sizes = "128";
    experiment.gpu_runs = 3;
    experiment.launches.sweep = SWEEP_DOUBLING;
    experiment.launches.resident_blocks = resident_blocks;
    experiment.prepare = prepare;
    experiment.check = check;
    experiment.run = run;
    experiment.release = release;
    experiment.operations = operations;
    return experiment_main(argc, argv, &experiment);
}
