/*
 * How much of a language model's decoding is waiting? A token goes through layers that are shaped as those of a
 * decoder of 1.2 billion parameters with 16 bits each (micro/decode/model.h): --tokens tokens, each of which
 * depends on the one before, by a kernel for each step, by graphs, and in one kernel under several orders. The
 * time is bounded by the memory: every weight is read once for each token. `copy` tells how many bytes a
 * second the GPU can move, `no-order` what the one kernel takes if nobody waits.
 *
 *     build/gpu/micro-decode --variant graph-pdl,counter,courier,tile-counters,flags-in-data,no-order,copy
 *     build/gpu/micro-decode --gpus 2 --variant flags-in-data,no-order
 *
 * --gpus: each GPU has a share of the heads, of their cache and of the numbers between GATE_UP and DOWN; parts of what
 * PROJECTION and DOWN give it leaves on the boards of all GPUs (micro/decode/schedule.cuh). --on one: members of the
 * blocks of one GPU, without a link.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/kernel_facts.cuh"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "harness/placement.cuh"
#include "harness/timer.h"
#include "micro/decode/analysis.h"
#include "micro/decode/answers.cuh"
#include "micro/decode/layout.cuh"
#include "micro/gpus/gpus.h"
#include "sync/grid_barrier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef GPUSYNC_MACHINE
#define STANDARD_LAYERS "2"
#define STANDARD_HIDDEN "2"
#define STANDARD_GROUP "1"
#define STANDARD_CACHE "32"
#define STANDARD_TOKENS "2"
#define STANDARD_SLOTS "2"
#define STANDARD_AHEAD "2"
#else
#define STANDARD_LAYERS "16"
#define STANDARD_HIDDEN "4"
#define STANDARD_GROUP "4"
#define STANDARD_CACHE "1024"
#define STANDARD_TOKENS "8"
#define STANDARD_SLOTS "6"
#define STANDARD_AHEAD "3"
#endif

#define COPY_THREADS 512
#define COPIES_AT_ONCE 4
#define COPY_BLOCKS_OF_MULTIPROCESSOR 8
#define COPY_TRIALS 3

/* ---- kernels beside the steps ---- */

/* Of one member after the other. */
__global__ void fill_weights(uint4 *weights, decoder d, schedule work, unsigned members)
{
    const size_t of_member = (size_t)work.layers * work.layer_vectors;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < members * of_member;
         i += (size_t)gridDim.x * blockDim.x) {
        const unsigned member = work.first_member + (unsigned)(i / of_member);
        const unsigned layer = (unsigned)(i % of_member / work.layer_vectors);
        const unsigned own = (unsigned)(i % work.layer_vectors);
        unsigned kind = STEPS_OF_LAYER - 1;
        while (own < work.shapes[kind].vectors_before)
            kind--;
        const step_shape &shape = work.shapes[kind];
        const unsigned vector = vector_of_all(shape, member, own - shape.vectors_before);
        unsigned words[4], eight = weights_of(&d, layer, kind, vector);
        for (unsigned w = 0; w < 4; w++)
            words[w] = pair_of(weight_of(eight, 2 * w), weight_of(eight, 2 * w + 1));
        weights[i] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

__global__ void __launch_bounds__(COPY_THREADS) copy_vectors(uint4 *to, const uint4 *from, size_t count)
{
    size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; at + (COPIES_AT_ONCE - 1) * threads < count; at += COPIES_AT_ONCE * threads) {
        uint4 some[COPIES_AT_ONCE];
        UNROLL(4)
        for (unsigned i = 0; i < COPIES_AT_ONCE; i++)
            some[i] = from[at + i * threads];
        UNROLL(4)
        for (unsigned i = 0; i < COPIES_AT_ONCE; i++)
            to[at + i * threads] = some[i];
    }
    for (; at < count; at += threads)
        to[at] = from[at];
}

/* ---- the variants ---- */

enum decode_id {
    LAUNCHES,
    GRAPH,
    GRAPH_PDL,
    COUNTER,
    COURIER,
    TILE_COUNTERS,
    FLAGS_IN_DATA,
    NO_ORDER,
    COPY,
    VARIANTS
};

#define ONE_GPU .special = "--gpus 1"
static const struct variant variants[VARIANTS] = {
    {.id = LAUNCHES,
     .name = "launches",
     .summary = "one launch for each step, back to back",
     .ordered = true,
     .capability = 70,
     ONE_GPU},
    {.id = GRAPH,
     .name = "graph",
     .summary = "the launches as one CUDA graph",
     .ordered = true,
     .graphs = GRAPHS,
     .capability = 70,
     ONE_GPU},
    {.id = GRAPH_PDL,
     .name = "graph-pdl",
     .summary = "with programmatic dependent launch: a step loads weights while the step before runs",
     .ordered = true,
     .graphs = GRAPHS_PROGRAMMATIC,
     .capability = 90,
     ONE_GPU},
    {.id = COUNTER,
     .name = "counter",
     .summary = "one launch: the grid barrier counter after each step",
     .ordered = true,
     .resident = true,
     .capability = 70,
     ONE_GPU},
    {.id = COURIER,
     .name = "courier",
     .summary = "one launch: the grid barrier courier, by a warp of its own",
     .ordered = true,
     .resident = true,
     .capability = 70,
     ONE_GPU},
    {.id = TILE_COUNTERS,
     .name = "tile-counters",
     .summary = "one launch: a warp waits for the counters of the tiles that it loads",
     .ordered = true,
     .resident = true,
     .capability = 70,
     ONE_GPU},
    {.id = FLAGS_IN_DATA,
     .name = "flags-in-data",
     .summary = "one launch: a word of two results has a bit that is other in each run",
     .ordered = true,
     .resident = true,
     .waits = true, /* the number of a run is an argument */
     .capability = 70},
    {.id = NO_ORDER,
     .name = "no-order",
     .summary = "one launch, nobody waits: the same loads and arithmetic, and wrong results",
     .unchecked = true,
     .capability = 70},
    {.id = COPY,
     .name = "copy",
     .summary = "no decoding: a copy on the device that moves as many bytes as the weights are",
     .unchecked = true,
     ONE_GPU},
};

static int layers, hidden, group, cache, tokens, slots, ahead, ahead_by; /* --layers and so on */
enum { BY_NEED, FIXED };
static int members, on; /* --gpus, --on */
enum { ON_OWN, ON_ONE };

static bool share_a_grid(void)
{
    return device_is_machine() || on == ON_ONE;
}
static unsigned grids(void)
{
    return share_a_grid() ? 1 : (unsigned)members;
}

static bool can_do(const struct variant *v)
{
    return !v->special || members == 1;
}

/* Calls `call` with an object of the order that the variant stands for. */
template <class Call>
static void with_order(int id, Call call)
{
    switch (id) {
    case LAUNCHES:
    case GRAPH:
        return call(LaunchOrder());
    case GRAPH_PDL:
        return call(EarlyLaunchOrder());
    case COUNTER:
        return call(CounterOrder());
    case COURIER:
        return call(CourierOrder());
    case TILE_COUNTERS:
        return call(TileOrder());
    case FLAGS_IN_DATA:
        return members > 1 ? call(WordsOfGpusOrder()) : call(WordOrder());
    case NO_ORDER:
        return members > 1 ? call(NoOrderOfGpus()) : call(NoOrder());
    }
}

static bool is_launches(const struct variant *v)
{
    return v->id <= GRAPH_PDL;
}

/* ---- the problem ---- */

static struct {
    struct gpus gpus; /* one for each grid */
    decoder of;
    uint4 *weights[GPUSYNC_MOST_GPUS]; /* of each */
    signed char *expected, *found;     /* [token][layer][results] */
    size_t count;                      /* of them */
    decoding now;                      /* of the point */
    uint4 *copied;
    bool copies_by_kernel;
    cudaGraphExec_t graph;
} bench;

static decoder decoder_of(long long size, unsigned long long seed)
{
    decoder d = {};
    d.width = (unsigned)size;
    d.hidden = (unsigned)size * (unsigned)hidden;
    d.heads = (unsigned)group;
    d.groups = d.width / HEAD_NUMBERS / d.heads;
    d.cache = (unsigned)cache;
    d.layers = (unsigned)layers;
    d.seed = (unsigned)seed;
    return d;
}

static size_t weight_bytes(void)
{
    return (size_t)bench.of.layers * vectors_before(&bench.of, STEPS_OF_LAYER) * sizeof(uint4);
}

/* Where a member's memory is. */
static void on_gpu(unsigned member)
{
    CHECK(cudaSetDevice(bench.gpus.devices[member < bench.gpus.count ? member : 0]));
}

/* A GPU has the weights of its members alone. */
static void make_weights(unsigned gpu)
{
    on_gpu(gpu);
    allocate_on_device(bench.weights[gpu], weight_bytes() / grids() + ITEM_BYTES); /* whole slots are read */
    launch_shape shape = {1024, 256, 0, false, false};
#ifdef GPUSYNC_MACHINE
    shape.blocks = 8;
#endif
    schedule work = schedule_of(&bench.of, 1, (unsigned)members);
    work.first_member = gpu;
    CHECK(launch(fill_weights, shape, bench.gpus.streams[gpu], bench.weights[gpu], bench.of, work,
                 (unsigned)members / grids()));
    CHECK(cudaDeviceSynchronize());
}

static long long open_problem(const char *, long long size, unsigned long long seed)
{
    if (size < HEAD_NUMBERS || size > MOST_COLUMNS || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "--size %lld: numbers of a layer must be a power of two from %d to %d", size,
             HEAD_NUMBERS, MOST_COLUMNS);
    if (size * hidden > MOST_COLUMNS)
        fail(EXIT_BAD_INPUT,
             "--size %lld --hidden %d: more than %d columns, whose numbers do not fit into shared memory",
             size, hidden, MOST_COLUMNS);
    if (size % (HEAD_NUMBERS * group) || (group & (group - 1)))
        fail(EXIT_BAD_INPUT, "--group %d: %lld numbers are %lld heads, which are no groups of %d", group,
             size, size / HEAD_NUMBERS, group);
    if (size / (HEAD_NUMBERS * group) % members)
        fail(EXIT_BAD_INPUT, "--gpus %d: %lld groups of %d heads cannot be shared out evenly", members,
             size / (HEAD_NUMBERS * group), group);
    if (cache % CHUNK_TOKENS)
        fail(EXIT_BAD_INPUT, "--cache %d: tokens of the cache must be a multiple of %d", cache, CHUNK_TOKENS);
    bench.of = decoder_of(size, seed);
    bench.count = (size_t)tokens * bench.of.layers * results_before(&bench.of, STEPS_OF_LAYER);
    bench.expected = (signed char *)allocate(bench.count);
    bench.found = (signed char *)allocate(bench.count);
    gpus_open(on == ON_ONE ? 1 : (unsigned)members, &bench.gpus);
    gpus_reach_each_other(&bench.gpus);
    for (unsigned g = 0; g < grids(); g++)
        make_weights(g);
    on_gpu(0);
    return size;
}

static void close_problem(void)
{
    free(bench.expected);
    free(bench.found);
    for (unsigned g = 0; g < grids(); g++)
        CHECK(cudaFree(bench.weights[g]));
    gpus_close(&bench.gpus);
}

static void reference(void)
{
    decode_sequential(&bench.of, (unsigned)tokens, bench.expected);
}

/* ---- shared memory ---- */

/* With so many blocks of each member. */
template <class Order>
static shared_layout layout_under(const Order &, long long size, unsigned blocks)
{
    decoder d = decoder_of(size, 0);
    return layout_of(schedule_of(&d, blocks, (unsigned)members), d,
                     shared_bytes_of_block(Order::BLOCKS_OF_MULTIPROCESSOR), (unsigned)slots, (unsigned)ahead,
                     ahead_by == BY_NEED, Order::STEPS_AT_ONCE);
}

/* With a block on each multiprocessor; of more blocks a multiprocessor cannot have more than that. */
static int resident_blocks(const struct variant *variant, unsigned, long long size, int sm_count)
{
    int per_sm = 0, of_member = sm_count * (int)grids() / members;
    with_order(variant->id, [&](auto order) {
        typedef decltype(order) Order;
        shared_layout l = layout_under(order, size, (unsigned)of_member);
        per_sm = l.slots_of_warp >= 2 ? resident_blocks_per_sm(decode<Order>, Order::THREADS, l.bytes) : 0;
    });
    return per_sm * of_member;
}

/* ---- a point ---- */

static unsigned steps_of_run(void)
{
    return (unsigned)(tokens * layers) * STEPS_OF_LAYER;
}

static bool has_words(const struct variant *v)
{
    return v->id == FLAGS_IN_DATA;
}
/* Of each member that left some. */
static unsigned pairs_of_member(void)
{
    return words_of_rooms((unsigned)tokens, bench.of.layers * results_before(&bench.of, STEPS_OF_LAYER) / 2);
}
static size_t pairs_bytes(void)
{
    return (size_t)members * pairs_of_member() * LINES_OF_ROOM * sizeof(unsigned);
}
static size_t sums_bytes(const struct variant *v)
{
    size_t of_word = has_words(v) ? sizeof(counted_sum) : sizeof(int);
    return (size_t)words_of_rooms((unsigned)tokens, bench.of.layers * bench.of.width) * LINES_OF_ROOM *
           of_word;
}
static size_t counter_bytes(void)
{
    return (size_t)steps_of_run() * bench.of.groups * COUNTER_WORDS * sizeof(unsigned);
}

static void gpus_fork_if_several(void)
{
    if (grids() > 1)
        gpus_fork(&bench.gpus);
}
static void gpus_join_if_several(void)
{
    if (grids() > 1)
        gpus_join(&bench.gpus);
}

/* What a run adds to; of a grid's members. */
static void enqueue_zeros(const struct variant *v, unsigned grid)
{
    cudaStream_t stream = bench.gpus.streams[grid];
    for (unsigned m = grid; m < (unsigned)members; m += grids())
        CHECK(cudaMemsetAsync(bench.now.results.sums[m], 0, sums_bytes(v), stream));
    if (v->id == TILE_COUNTERS)
        CHECK(cudaMemsetAsync(bench.now.results.counters, 0, counter_bytes(), stream));
}

template <class Order>
static launch_shape shape_of(const Order &, unsigned blocks)
{
    return {blocks, Order::THREADS, bench.now.layout.bytes, false, false};
}

static void enqueue_launches(const struct point *p)
{
    with_order(p->variant->id, [&](auto order) {
        launch_shape shape = shape_of(order, p->blocks);
        for (unsigned step = 0; step < steps_of_run(); step++) {
            /* The first depends on nothing, and must not start before what the stream did before. */
            shape.programmatic = p->variant->graphs == GRAPHS_PROGRAMMATIC && step > 0;
            CHECK(launch(decode<decltype(order)>, shape, harness_stream(), bench.now, step, 1u));
        }
    });
}

static void capture(const struct point *p)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    enqueue_launches(p);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&bench.graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

/* Half of the weights: a copy reads and writes as many bytes as decoding reads. */
static size_t copied_bytes(void)
{
    return weight_bytes() / 2 / sizeof(uint4) * sizeof(uint4);
}

static void enqueue_copy(const struct point *p, bool by_kernel)
{
    launch_shape shape = {p->blocks * COPY_BLOCKS_OF_MULTIPROCESSOR, COPY_THREADS, 0, false, false};
    if (by_kernel)
        CHECK(launch(copy_vectors, shape, harness_stream(), bench.copied, (const uint4 *)bench.weights[0],
                     copied_bytes() / sizeof(uint4)));
    else
        CHECK(cudaMemcpyAsync(bench.copied, bench.weights[0], copied_bytes(), cudaMemcpyDeviceToDevice,
                              harness_stream()));
}

/* The faster of both ways. The machine does not say what a copy of the driver takes. */
static void prepare_copy(const struct point *p)
{
    double least[2] = {INFINITY, INFINITY};
    allocate_on_device(bench.copied, copied_bytes());
    bench.copies_by_kernel = true;
    for (int i = 0; i < COPY_TRIALS && !device_is_machine(); i++)
        for (int by_kernel = 0; by_kernel < 2; by_kernel++) {
            timer_start();
            enqueue_copy(p, by_kernel);
            least[by_kernel] = fmin(least[by_kernel], timer_stop());
        }
    if (!device_is_machine())
        bench.copies_by_kernel = least[1] < least[0];
}

/* As if a run had left wrong results there. */
static void spoil_results(const struct variant *v)
{
    int byte = bench.now.results.phase ? 0xff : 0x7f;
    for (unsigned m = 0; m < (unsigned)members; m++) {
        on_gpu(m);
        CHECK(cudaMemset(bench.now.results.pairs[m], byte, pairs_bytes()));
        CHECK(cudaMemset(bench.now.results.sums[m], 0xff, sums_bytes(v)));
        CHECK(cudaDeviceSynchronize());
    }
    on_gpu(0);
}

static void prepare(const struct point *p)
{
    if (p->variant->id == COPY)
        return prepare_copy(p);
    decoding *now = &bench.now;
    *now = {bench.of, schedule_of(&bench.of, p->blocks, (unsigned)members), bench.weights[0], {}, {}, {}};
    with_order(p->variant->id, [&](auto order) { now->layout = layout_under(order, p->size, p->blocks); });
    if (now->layout.slots_of_warp < 2)
        fail(EXIT_CANNOT, "%s: a block has not enough shared memory for --size %lld with %u blocks",
             p->variant->name, p->size, p->blocks);
    now->results.gpus = (unsigned)members;
    now->results.pairs_of_member = pairs_of_member();
    for (unsigned m = 0; m < (unsigned)members; m++) {
        on_gpu(m);
        now->results.pairs[m] = (unsigned *)device_memory(pairs_bytes());
        now->results.sums[m] = device_memory(sums_bytes(p->variant));
    }
    on_gpu(0);
    allocate_on_device(now->results.counters, counter_bytes());
    spoil_results(p->variant);
    CHECK(gpusync_grid_barrier_create(&now->memory, p->blocks));
    if (p->variant->graphs != NO_GRAPHS)
        capture(p);
}

static void release(void)
{
    if (bench.graph)
        CHECK(cudaGraphExecDestroy(bench.graph));
    bench.graph = NULL;
    if (bench.copied) {
        CHECK(cudaFree(bench.copied));
        bench.copied = NULL;
        return;
    }
    for (unsigned m = 0; m < (unsigned)members; m++) {
        CHECK(cudaFree(bench.now.results.pairs[m]));
        CHECK(cudaFree(bench.now.results.sums[m]));
    }
    CHECK(cudaFree(bench.now.results.counters));
    CHECK(gpusync_grid_barrier_destroy(&bench.now.memory));
}

static void enqueue_decode(const struct point *p, cudaStream_t stream)
{
    unsigned blocks = p->blocks * (unsigned)members / grids();
    with_order(p->variant->id, [&](auto order) {
        CHECK(
            launch(decode<decltype(order)>, shape_of(order, blocks), stream, bench.now, 0u, steps_of_run()));
    });
}

static void enqueue_tokens(const struct point *p, unsigned grid)
{
    if (p->variant->graphs != NO_GRAPHS)
        return CHECK(cudaGraphLaunch(bench.graph, harness_stream()));
    if (is_launches(p->variant))
        return enqueue_launches(p);
    bench.now.weights = bench.weights[grid];
    bench.now.work.first_member = grid;
    enqueue_decode(p, bench.gpus.streams[grid]);
}

static void run(const struct point *p)
{
    if (p->variant->id == COPY) {
        for (int token = 0; token < tokens; token++)
            enqueue_copy(p, bench.copies_by_kernel);
        return;
    }
    bench.now.results.phase ^= 1;
    gpus_fork_if_several();
    for (unsigned g = 0; g < grids(); g++) {
        on_gpu(g);
        enqueue_zeros(p->variant, g);
        enqueue_tokens(p, g);
    }
    on_gpu(0);
    gpus_join_if_several();
}

/* ---- what came out ---- */

static struct comparison compare_board(const struct board_copy *copy, unsigned member)
{
    struct comparison all = {0, 0};
    for (unsigned token = 0; token < (unsigned)tokens; token++)
        for (unsigned layer = 0; layer < bench.of.layers; layer++)
            for (unsigned kind = 0; kind < STEPS_OF_LAYER; kind++) {
                struct comparison step = compare_step(bench.of, *copy, member, (unsigned)members,
                                                      {token, layer, kind}, bench.expected, bench.found);
                all.compared += step.compared;
                all.wrong += step.wrong;
            }
    return all;
}

/* On the boards of all members. */
static void compare_results(const struct variant *v, struct verdict *verdict)
{
    unsigned *pairs = (unsigned *)allocate(pairs_bytes());
    void *sums = allocate(sums_bytes(v));
    struct board_copy copy = {&bench.now.work, has_words(v), pairs, sums, pairs_of_member()};
    for (unsigned m = 0; m < (unsigned)members; m++) {
        CHECK(cudaMemcpy(pairs, bench.now.results.pairs[m], pairs_bytes(), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(sums, bench.now.results.sums[m], sums_bytes(v), cudaMemcpyDeviceToHost));
        struct comparison found = compare_board(&copy, m);
        verdict->compared += found.compared;
        verdict->wrong += found.wrong;
    }
    free(pairs);
    free(sums);
}

/* Also of a run that finds nothing of the one before. */
static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    if (p->variant->unchecked)
        return verdict;
    compare_results(p->variant, &verdict);
    spoil_results(p->variant);
    run(p);
    wait_for_device();
    compare_results(p->variant, &verdict);
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

/* A line for each result: in the order of tokens, layers, steps. */
static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.count; i++)
        fprintf(file, "%d\n", bench.found[i]);
}

static double operations(const struct point *)
{
    return tokens;
}

static void describe(const struct point *p, cJSON *json)
{
    cJSON_AddNumberToObject(json, "bytes_per_token", (double)weight_bytes());
    if (p->variant->id == COPY) {
        cJSON_AddStringToObject(json, "copied_by", bench.copies_by_kernel ? "kernel" : "cudaMemcpyAsync");
        return;
    }
    struct point grid = *p;
    grid.blocks = p->blocks * (unsigned)members / grids();
    describe_placement(&grid, json);
    cJSON_AddNumberToObject(json, "steps_per_token", STEPS_OF_LAYER * layers);
    cJSON_AddNumberToObject(json, "launches_per_run", is_launches(p->variant) ? steps_of_run() : 1);
    cJSON_AddNumberToObject(json, "ring_bytes", bench.now.layout.slots_of_warp * WORKERS * ITEM_BYTES);
    with_order(p->variant->id, [&](auto order) {
        add_kernel_facts(json, decode<decltype(order)>, decltype(order)::THREADS, bench.now.layout.bytes, 0);
    });
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        {.name = "layers",
         .help = "layers of the decoder",
         .standard = STANDARD_LAYERS,
         .least = 1,
         .most = 1000,
         .number = &layers},
        {.name = "hidden",
         .help = "numbers between GATE_UP and DOWN, as a multiple of --size",
         .standard = STANDARD_HIDDEN,
         .least = 1,
         .most = 16,
         .number = &hidden},
        {.name = "group",
         .help = "heads of 64 numbers that share their keys and values: 1, 2 or 4",
         .standard = STANDARD_GROUP,
         .least = 1,
         .most = MOST_HEADS_OF_GROUP,
         .number = &group},
        {.name = "cache",
         .help = "tokens in the cache, a multiple of 8",
         .standard = STANDARD_CACHE,
         .least = CHUNK_TOKENS,
         .most = 8192,
         .number = &cache},
        {.name = "tokens",
         .help = "tokens of a run",
         .standard = STANDARD_TOKENS,
         .least = 1,
         .most = 1000,
         .number = &tokens},
        {.name = "slots",
         .help = "slots of 4 KB for the weights of each of a block's 8 warps, at most",
         .standard = STANDARD_SLOTS,
         .least = 2,
         .most = 64,
         .number = &slots},
        {.name = "ahead",
         .help = "copies of 4 KB that each of a block's four filling warps has under way, at most",
         .standard = STANDARD_AHEAD,
         .least = 1,
         .most = MOST_AHEAD,
         .number = &ahead},
        {.name = "ahead-by",
         .help = "need: fewer of these copies, the more slots are filled; fixed: always as many",
         .standard = "need",
         .choices = "need,fixed",
         .number = &ahead_by},
        {.name = "gpus",
         .help = "members that decode together: GPUs, unless --on one",
         .standard = "1",
         .least = 1,
         .most = GPUSYNC_MOST_GPUS,
         .number = &members},
        {.name = "on",
         .help = "own: each member is a GPU; one: all are blocks of one GPU",
         .standard = "own",
         .choices = "own,one",
         .number = &on},
        {}};
    struct experiment e = {};
    e.name = "micro-decode";
    e.family = FAMILY_MICRO;
    e.question = "how much of a language model's decoding is waiting?";
    e.variants = variants;
    e.variant_count = VARIANTS;
    e.options = options;
    e.can_do = can_do;
    e.size_means = "numbers of the state between two layers, a power of two";
    e.gpu_sizes = "2048";
    e.machine_sizes = "128";
    e.gpu_runs = 3;
    e.launches.sweep = SWEEP_ALL_MULTIPROCESSORS;
    e.launches.threads_of = [](long long) -> unsigned { return WORKER_THREADS; };
    e.launches.resident_blocks = resident_blocks;
    e.problem.open = open_problem;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.problem.write_answers = write_answers;
    e.describe = describe;
    e.analyse = analyse_decoding;
    return run_experiment(argc, argv, e);
}
