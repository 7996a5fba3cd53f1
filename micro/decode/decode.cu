/*
 * How much of a language model's decoding is waiting? A token goes through layers with the shapes of a
 * decoder of 1.2 billion parameters of 16 bits (micro/decode/model.h). The program decodes --tokens tokens,
 * each of which depends on the preceding token, with a kernel for each step, with graphs, and in one kernel
 * under several orders. The memory bounds the time: every weight is read once for each token. `copy` shows
 * how many bytes per second the GPU can move, `no-order` how long the one kernel takes if nobody waits.
 *
 *     build/gpu/micro-decode --variant graph-pdl,counter,courier,tile-counters,flags-in-data,no-order,copy
 *     build/gpu/micro-decode --gpus 2 --variant flags-in-data,no-order
 *
 * With --gpus, each GPU has a share of the heads, of their cache and of the numbers between GATE_UP and DOWN.
 * It leaves its parts of the results of PROJECTION and DOWN on the boards of all GPUs
 * (micro/decode/schedule.cuh). With --on one, the members are groups of blocks of one GPU, without a link.
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
#include "micro/decode/fill.cuh"
#include "micro/decode/layout.cuh"
#include "micro/decode/variants.cuh"
#include "harness/gpus.h"
#include "sync/grid_barrier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BLOCKS_OF_MULTIPROCESSOR 8
#define COPY_TRIALS 3

/* ---- The problem ---- */

static struct {
    struct gpus gpus; /* the GPUs in use, one for each grid */
    decoder of;
    uint4 *weights[GPUSYNC_MOST_GPUS]; /* the weights on each GPU */
    /* the reference's and the GPU's results, [token][layer][results of a layer] */
    signed char *expected, *found;
    size_t count; /* number of results in `expected` and in `found` */
    decoding now; /* the current point's decoding */
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

/* Makes the GPU current that has a member's memory. */
static void on_gpu(unsigned member)
{
    CHECK(cudaSetDevice(bench.gpus.devices[member < bench.gpus.count ? member : 0]));
}

/* Allocates and fills the weights of the members whose memory is on this GPU. */
static void make_weights(unsigned gpu)
{
    on_gpu(gpu);
    /* A block always reads a whole slot of the ring (ITEM_BYTES), even if the item is shorter, so there must
     * be readable memory after the last weights. */
    allocate_on_device(bench.weights[gpu], weight_bytes() / grids() + ITEM_BYTES);
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

/* ---- Shared memory ---- */

/* Returns the layout of a block's shared memory if each member has this number of blocks. */
template <class Order>
static shared_layout layout_under(const Order &, long long size, unsigned blocks)
{
    decoder d = decoder_of(size, 0);
    return layout_of(schedule_of(&d, blocks, (unsigned)members), d,
                     shared_bytes_of_block(Order::BLOCKS_OF_MULTIPROCESSOR), (unsigned)slots, (unsigned)ahead,
                     ahead_by == BY_NEED, Order::STEPS_AT_ONCE);
}

/* Returns the number of resident blocks. It is computed with the layout for one block on each multiprocessor:
 * with more blocks in the grid, a multiprocessor could not hold more of them. */
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

/* ---- A point ---- */

static unsigned steps_of_run(void)
{
    return (unsigned)(tokens * layers) * STEPS_OF_LAYER;
}

static bool has_words(const struct variant *v)
{
    return v->id == FLAGS_IN_DATA;
}
/* Returns the number of words of one member's pairs for the tokens 0, 4, 8, ... */
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

/* Enqueues the clearing of the sums and counters to which a run of the grid's members adds. */
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
            /* The first step is launched without programmatic dependent launch, so that it starts only after
             * the stream's earlier work has ended. */
            shape.programmatic = p->variant->graphs == GRAPHS_PROGRAMMATIC && step > 0;
            CHECK(launch(decode<decltype(order)>, shape, harness_stream(), bench.now, step, 1u));
        }
    });
}

/* Returns the number of bytes that the variant `copy` copies. It is half of the weights' bytes, because a
 * copy reads and writes each byte, and should move as many bytes as decoding reads. */
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

/* Chooses the faster of two ways to copy. The machine does not model the time of the driver's copy. */
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

/* Makes the memory look as if a run had left wrong results. */
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
        bench.graph = capture_graph([&] { enqueue_launches(p); });
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

/* ---- Results ---- */

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

/* Compares the boards of all members with the reference. */
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

/* Checks the results of the last run, overwrites them, and checks the results of one more run. */
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

/* Writes a line for each result, in the order of tokens, layers and steps. */
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
    struct experiment e = {
        .name = "micro-decode",
        .question = "how much of a language model's decoding is waiting?",
        .family = FAMILY_MICRO,
        .variants = variants,
        .variant_count = VARIANTS,
        .can_do = can_do,
        .options = options,
        .size_means = "numbers of the state between two layers, a power of two",
        .gpu_sizes = "2048",
        .machine_sizes = "128",
        .gpu_runs = 3,
        .launches = {.sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks,
                     .threads_of = [](long long) -> unsigned { return WORKER_THREADS; }},
        .problem = {.open = open_problem,
                    .close = close_problem,
                    .reference = reference,
                    .write_answers = write_answers,
                    .is_generated = true},
        .describe = describe,
        .analyse = analyse_decoding,
    };
    return run_experiment(argc, argv, e);
}
