/*
 * What does it cost to chain small layers, as the decoding of a language model does? The program computes a
 * chain of matrix-vector products in tiles, one tile for each block (micro/hops/tiles.cuh): with launches,
 * graphs, grid barriers after each layer, and with tiles that wait only for the tiles whose sums they need.
 * No layer writes the weights, so a block that stays in its kernel loads some weights of the next layer
 * before it waits.
 *
 *     build/gpu/micro-megakernel --size 512,2048 --variant cpu-graph,cpu-graph-pdl,counter,tile-counters
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"
#include "harness/timer.h"
#include "micro/hops/tiles.cuh"

#include <stdlib.h>
#include <string.h>

#define STANDARD_LAYERS MACHINE_OR_GPU("5", "24")
#define CHECKED_RUNS MACHINE_OR_GPU(2, 5)

#define COUNTER_WORDS 32 /* number of words of a counter, which has a cache line to itself */
#define LEAST_TILE_NUMBERS 32

/*
 * The words by which tiles communicate. They keep their values from launch to launch, as counters only grow.
 * Every block reads `launches` when it begins; `launches` grows when the last block ends.
 */
struct tile_links {
    /* [KEPT_LAYERS][rows], each on a separate line: the number of tiles of the row group that have left their
     * sums */
    unsigned *counters;
    unsigned *launches, *ended;
};

/* Returns how many layers of a launch use the counters number `kept`: each KEPT_LAYERS-th of the `layers`
 * layers. */
static __device__ __forceinline__ unsigned uses_of(int layers, int kept)
{
    return (unsigned)(layers - kept + KEPT_LAYERS - 1) / KEPT_LAYERS;
}

static __device__ __forceinline__ unsigned *counter_of(const tile_links &links, const tile_grid &grid,
                                                       int layer, unsigned group)
{
    return links.counters + ((unsigned)(layer % KEPT_LAYERS) * grid.rows + group) * COUNTER_WORDS;
}

static __device__ __forceinline__ void end_of_tiles(const tile_links &links, unsigned launch)
{
    if (is_block_leader() && add_relaxed(links.ended, 1) == blocks_in_grid() - 1) {
        *links.ended = 0;
        *links.launches = launch + 1;
    }
}

/* Executes all layers in one launch. Tiles wait for counters; there is one for each layer and row group. */
__global__ void __launch_bounds__(TILE_THREADS)
    tiles_by_counters(TileStep<PlainSums> step, int layers, tile_links links)
{
    unsigned launch = load_relaxed(links.launches);
    step.look_ahead(0);
    for (int layer = 0; layer < layers; layer++) {
        step(layer);
        __syncthreads();
        if (is_block_leader()) {
            fence_release();
            add_relaxed(counter_of(links, step.grid, layer, step.row_group()), 1);
        }
        if (layer + 1 == layers)
            break;
        step.look_ahead(layer + 1);
        if (is_block_leader()) {
            unsigned uses = launch * uses_of(layers, layer % KEPT_LAYERS) + (unsigned)layer / KEPT_LAYERS + 1;
            const unsigned *counter = counter_of(links, step.grid, layer, step.needed_row_group());
            while ((int)(load_relaxed(counter) - uses * step.grid.columns) < 0) {
            }
            fence_acquire();
        }
        __syncthreads();
    }
    end_of_tiles(links, launch);
}

/* Executes all layers in one launch: tiles wait for sums, which contain the number of their layer. Numbers in
 * shared memory may be replaced when all threads have used them. */
__global__ void __launch_bounds__(TILE_THREADS)
    tiles_by_words(TileStep<PackedSums> step, int layers, tile_links links)
{
    unsigned launch = load_relaxed(links.launches);
    step.partial.first_epoch = launch * (unsigned)layers + 1;
    step.look_ahead(0);
    for (int layer = 0; layer < layers; layer++) {
        step(layer);
        __syncthreads();
        if (layer + 1 < layers)
            step.look_ahead(layer + 1);
    }
    end_of_tiles(links, launch);
}

__global__ void fill_weights(uint4 *weights, tile_grid grid, unsigned layers)
{
    const unsigned bits[3] = {0xbf80, 0, 0x3f80}; /* the numbers -1, 0 and 1 as bfloat16 */
    unsigned tiles = grid.rows * grid.columns;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < (size_t)layers * tiles * grid.items * TILE_THREADS; i += (size_t)gridDim.x * blockDim.x) {
        unsigned lane = (unsigned)(i % 32), item = (unsigned)(i / 32 % grid.items);
        unsigned thread = (unsigned)(i / 32 / grid.items % TILE_WARPS) * 32 + lane;
        size_t tile_and_layer = i / TILE_THREADS / grid.items;
        unsigned tile = (unsigned)(tile_and_layer % tiles), layer = (unsigned)(tile_and_layer / tiles);
        unsigned row = tile / grid.columns * grid.height + row_of_item(grid, thread, item);
        unsigned column = tile % grid.columns * grid.width + column_of_item(grid, thread, item);
        unsigned words[4], all = layer_weights(layer, row, column / WEIGHTS_OF_GROUP);
        for (unsigned w = 0; w < 4; w++)
            words[w] = bits[1 + layer_weight(all, column + 2 * w)] |
                       bits[1 + layer_weight(all, column + 2 * w + 1)] << 16;
        weights[i] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

/* ---- The problem: the weights and the input, for a size ---- */

enum { TILE_COUNTERS = SYNC_METHODS, TILE_WORDS };

static const struct variant tile_variants[] = {
    VARIANT(TILE_COUNTERS, "tile-counters",
            "one launch: a tile waits for the counter of the row group that it needs", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(TILE_WORDS, "tile-words",
            "one launch: each partial sum and its layer's number are one word of 8 bytes", .ordered = true,
            .resident = true),
};

static int layers; /* value of --layers */

static struct {
    unsigned n, seed;
    unsigned *sums;
    int *expected, *host_input, *input;
    uint4 *weights;
    tile_grid grid; /* how the weights are divided into tiles */
    void *partial;  /* partial sums, as int or as packed words with the number of their layer */
    tile_links links;
    bool is_step_loop;
    step_bench<TileStep<PlainSums>> loop;
} bench;

static void reference(void)
{
    layers_sequential(bench.expected, bench.n, (unsigned)layers, bench.seed);
}

static long long open_problem(const char *, long long size, unsigned long long seed)
{
    if (size < LEAST_TILE_NUMBERS || size > MOST_NUMBERS || (size & (size - 1)))
        fail(EXIT_BAD_INPUT, "--size %lld: numbers of a layer must be a power of two from %d to %d", size,
             LEAST_TILE_NUMBERS, MOST_NUMBERS);
    bench.n = (unsigned)size;
    bench.seed = (unsigned)seed;
    bench.expected = (int *)allocate(bench.n * sizeof(int));
    bench.sums = (unsigned *)allocate(bench.n * sizeof *bench.sums);
    bench.host_input = (int *)allocate(bench.n * sizeof(int));
    for (unsigned i = 0; i < bench.n; i++)
        bench.host_input[i] = layer_input(bench.seed, i);
    allocate_on_device(bench.input, bench.n * sizeof(int));
    CHECK(cudaMemcpy(bench.input, bench.host_input, bench.n * sizeof(int), cudaMemcpyHostToDevice));
    return size;
}

static void close_problem(void)
{
    free(bench.expected);
    free(bench.sums);
    free(bench.host_input);
    CHECK(cudaFree(bench.input));
    CHECK(cudaFree(bench.weights));
    bench.weights = NULL;
    bench.grid = {};
}

/* Chooses the number of tiles, which is the number of multiprocessors, rounded down to a power of two. It
 * chooses fewer if tiles would be too narrow. */
static void shape(struct point *p, int sm_count)
{
    p->threads = TILE_THREADS;
    p->blocks = 1;
    while (2 * p->blocks <= (unsigned)sm_count &&
           grid_of_tiles((unsigned)p->size, 2 * p->blocks).width >= WEIGHTS_OF_ITEM)
        p->blocks *= 2;
}

/* ---- A point of the sweep ---- */

static void need_weights(const struct point *p)
{
    tile_grid grid = grid_of_tiles(bench.n, p->blocks);
    if (bench.weights && memcmp(&grid, &bench.grid, sizeof grid) == 0)
        return;
    CHECK(cudaFree(bench.weights));
    bench.grid = grid;
    allocate_on_device(bench.weights, (size_t)layers * p->blocks * grid.items * TILE_THREADS * sizeof(uint4));
    launch_shape shape = {p->blocks, TILE_THREADS, 0, false, false};
    CHECK(launch(fill_weights, shape, harness_stream(), bench.weights, grid, (unsigned)layers));
    wait_for_device();
}

static size_t counter_bytes(void)
{
    return KEPT_LAYERS * bench.grid.rows * COUNTER_WORDS * sizeof(unsigned);
}

static size_t partial_bytes(const struct point *p)
{
    return (size_t)KEPT_LAYERS * bench.grid.columns * bench.n *
           (p->variant->id == TILE_WORDS ? sizeof(packed_word) : sizeof(int));
}

/* Removes the results of earlier runs. */
static void clear_partial(const struct point *p)
{
    CHECK(cudaMemset(bench.partial, 0xff, partial_bytes(p)));
}

static void prepare(const struct point *p)
{
    need_weights(p);
    bench.partial = device_memory(partial_bytes(p));
    clear_partial(p);
    allocate_on_device(bench.links.counters, counter_bytes());
    allocate_on_device(bench.links.launches, sizeof(unsigned));
    allocate_on_device(bench.links.ended, sizeof(unsigned));
    CHECK(cudaMemset(bench.links.counters, 0, counter_bytes()));
    CHECK(cudaMemset(bench.links.launches, 0, sizeof(unsigned)));
    CHECK(cudaMemset(bench.links.ended, 0, sizeof(unsigned)));
    TileStep<PlainSums> step = {bench.grid, bench.weights, bench.input, {(int *)bench.partial}, {}};
    bench.is_step_loop = p->variant->id < SYNC_METHODS;
    if (bench.is_step_loop)
        bench.loop.prepare(p, step, layers, bench.grid.width * sizeof(float));
}

static void release(void)
{
    CHECK(cudaFree(bench.partial));
    CHECK(cudaFree(bench.links.counters));
    CHECK(cudaFree(bench.links.launches));
    CHECK(cudaFree(bench.links.ended));
    if (bench.is_step_loop)
        bench.loop.release();
}

static void run(const struct point *p)
{
    launch_shape shape = {p->blocks, p->threads, bench.grid.width * sizeof(float), false, false};
    if (bench.is_step_loop)
        return steps_run(bench.loop.plan);
    if (p->variant->id == TILE_COUNTERS) {
        TileStep<PlainSums> step = {bench.grid, bench.weights, bench.input, {(int *)bench.partial}, {}};
        return CHECK(launch(tiles_by_counters, shape, harness_stream(), step, layers, bench.links));
    }
    TileStep<PackedSums> step = {
        bench.grid, bench.weights, bench.input, {(packed_word *)bench.partial, 0}, {}};
    CHECK(launch(tiles_by_words, shape, harness_stream(), step, layers, bench.links));
}

/* Reads the last layer's sums into `sums`. */
static void read_sums(const struct variant *v, unsigned *sums)
{
    size_t count = (size_t)bench.grid.columns * bench.n, last = (size_t)((layers - 1) % KEPT_LAYERS) * count;
    bool words = v->id == TILE_WORDS;
    size_t bytes = words ? sizeof(packed_word) : sizeof(int);
    void *partial = allocate(count * bytes);
    CHECK(cudaMemcpy(partial, (char *)bench.partial + last * bytes, count * bytes, cudaMemcpyDeviceToHost));
    memset(sums, 0, bench.n * sizeof *sums);
    for (size_t i = 0; i < count; i++)
        sums[i % bench.n] += words ? (unsigned)((packed_word *)partial)[i] : ((unsigned *)partial)[i];
    free(partial);
}

static unsigned long long wrong_sums(const struct point *p)
{
    unsigned long long wrong = 0;
    read_sums(p->variant, bench.sums);
    for (unsigned i = 0; i < bench.n; i++)
        wrong += bench.sums[i] != (unsigned)bench.expected[i];
    return wrong;
}

static void write_answers(FILE *file)
{
    for (unsigned i = 0; i < bench.n; i++)
        fprintf(file, "%d\n", (int)bench.sums[i]);
}

/* Checks the sums of the last launch, and of further launches that continue with its counters. */
static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, wrong_sums(p), (unsigned long long)CHECKED_RUNS * bench.n};
    for (int i = 1; i < CHECKED_RUNS; i++) {
        clear_partial(p);
        run(p);
        wait_for_device();
        verdict.wrong += wrong_sums(p);
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static double operations(const struct point *)
{
    return layers;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("layers", 1, 10000, STANDARD_LAYERS, &layers, "layers of the chain"), {}};
    struct experiment e = {};
    make_step_experiment(&e, tile_variants, 2);
    e.name = "micro-megakernel";
    e.family = FAMILY_MICRO;
    e.question = "what does it cost to chain small layers, as the decoding of a language model does?";
    e.default_variants = "cpu-implicit,cpu-graph,cpu-graph-pdl,none,lock-based-fence,grid-sync,counter,tile-"
                         "counters,tile-words";
    e.options = options;
    e.size_means = "numbers of a layer, a power of two: it has as many weights squared";
    e.gpu_sizes = "256,512,1024,2048,4096,8192";
    e.machine_sizes = "64,128";
    e.launches.shape = shape;
    e.problem.open = open_problem;
    e.problem.is_generated = true;
    e.problem.close = close_problem;
    e.problem.reference = reference;
    e.problem.write_answers = write_answers;
    return run_experiment(argc, argv, e);
}
