/*
 * Needleman-Wunsch as in Rodinia: fills the whole score matrix, tile by tile along the anti-diagonals of
 * tiles (Li 2015, section 6, Table 3). A variant is a way to fill a tile. The tiles of a diagonal are one
 * launch, as in Li 2015, or one step between two grid barriers (NAME+BARRIER). `dataflow` and
 * `dataflow-blocked` need neither launches nor barriers between tiles: each strip waits for the strip to its
 * north.
 *
 *     build/gpu/nw --size 1984,16384 --variant shuffle,shuffle+counter,dataflow-blocked
 *     build/gpu/nw --input two.fasta --variant dataflow-blocked --output alignment.tsv
 */
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "base/failure.h"
#include "base/memory.h"
#include "harness/steps.cuh"
#include "nw/blocked.cuh"
#include "nw/reference.h"
#include "nw/strips.cuh"
#include "nw/tiles.cuh"

#include <stdlib.h>
#include <string.h>

/* A step of the step loop, which fills one anti-diagonal of tiles. */
template <class Tile>
struct NwStep {
    NwMatrix q;
    int down, across; /* number of tiles in a column of tiles, and in a row of tiles */

    __host__ __device__ int first_row(int d) const { return d - across + 1 > 0 ? d - across + 1 : 0; }
    __host__ __device__ int tiles_on(int d) const { return (d < down ? d + 1 : down) - first_row(d); }

    __device__ void operator()(int d)
    {
        for (int t = (int)blockIdx.x; t < tiles_on(d); t += (int)gridDim.x) {
            int row = first_row(d) + t, column = d - row;
            Tile::fill(q, row * Tile::edge + 1, column * Tile::edge + 1);
        }
    }
};

enum tile { DATA_PARALLEL, ATOM_LOCK, TINY_LOCK, PACKED_WORD, MBARRIER, SHUFFLE, STRIPS, BLOCKED, TILES };

/* Returns the id of the variant with this way to fill a tile and this method of synchronization between
 * diagonals. */
static int id_of(int tile, int method)
{
    return tile * SYNC_METHODS + method;
}
static int tile_of(const struct variant *v)
{
    return v->id / SYNC_METHODS;
}
static sync_id method_of(const struct variant *v)
{
    return (sync_id)(v->id % SYNC_METHODS);
}

static struct {
    struct nw_problem problem;
    int *expected, *host; /* the expected and the computed matrix on the host */
    int *field, *s;       /* the scores p(i,j) and the matrix S on the device */
    unsigned char *a, *b; /* codes of the two sequences on the device; b's codes have padding around them */
    int *scores;
    packed_word *borders;
    unsigned epoch;
    gpusync_grid_barrier memory;
    steps_plan<NwStep<ShuffleTile>> plan;
    bool widest_only, host_waits;
} bench;

static size_t matrix_cells(void)
{
    return (bench.problem.m + 1) * (bench.problem.n + 1);
}

static NwMatrix device_matrix(void)
{
    return {bench.field, bench.s, (int)bench.problem.m, (int)bench.problem.n, bench.problem.penalty};
}

template <class Tile>
static NwStep<Tile> make_step(void)
{
    NwMatrix q = device_matrix();
    return {q, (q.m + Tile::edge - 1) / Tile::edge, (q.n + Tile::edge - 1) / Tile::edge};
}

/* Returns whether the variant fills strips by dataflow, without diagonals of tiles. */
static bool has_strips(const struct variant *v)
{
    return tile_of(v) == STRIPS || tile_of(v) == BLOCKED;
}

/* Calls `call` with an object of the tile's class; the variants that fill strips have no such class. */
template <class Call>
static void with_tile(int tile, Call call)
{
    switch (tile) {
    case DATA_PARALLEL:
        return call(DataParallelTile());
    case ATOM_LOCK:
        return call(DataflowTile<AtomToken>());
#ifdef GPUSYNC_MACHINE
    case TINY_LOCK:
        return call(DataflowTile<TinyToken>());
#endif
    case PACKED_WORD:
        return call(DataflowTile<PackedToken>());
    case MBARRIER:
        return call(DataflowTile<MbarrierToken>());
    default:
        return call(ShuffleTile());
    }
}

/* ---- the problem ---- */

static struct {
    int penalty, problem, launches, host;
    const char *matrix;
} settings;
enum { RANDOM_PROBLEM, RODINIA_PROBLEM }; /* the choices of --problem, in the order of the option's list */
enum { ALL_LAUNCHES, WIDEST_LAUNCH };     /* the choices of --launches, in the order of the option's list */
enum { HOST_LEAVES, HOST_WAITS };         /* the choices of --host, in the order of the option's list */

static void make_sequences(const char *file, long long size, unsigned long long seed)
{
    struct nw_problem *q = &bench.problem;
    if (size > 40000)
        fail(EXIT_BAD_INPUT, "size %lld: whole matrices of up to 40000 letters a side can be filled", size);
    if (file)
        read_fasta(file, &q->scoring, &q->pair);
    else if (settings.problem == RODINIA_PROBLEM)
        nw_rodinia_sequences((size_t)size, &q->pair);
    else
        generate_sequences((size_t)size, seed, &q->scoring, &q->pair);
    if (q->pair.count != 2)
        fail(EXIT_BAD_INPUT, "%s: two sequences are needed, and there are %zu", file, q->pair.count);
    for (int i = 0; i < 2; i++)
        if (q->pair.items[i].length > 40000)
            fail(EXIT_BAD_INPUT, "%s: %s has more than 40000 letters", file, q->pair.items[i].name);
}

/* Copies the two sequences and their scores to the device, for `dataflow-blocked`. */
static void upload_pair(void)
{
    const struct nw_problem *q = &bench.problem;
    const struct sequence *b = &q->pair.items[1];
    unsigned char *padded = padded_codes(b);
    bench.a = (unsigned char *)copy_on_device(q->pair.items[0].codes, q->m);
    bench.b = (unsigned char *)copy_on_device(padded, b->length + 2 * PADDING);
    bench.scores = (int *)copy_on_device(q->scoring.score, sizeof q->scoring.score);
    free(padded);
}

static void reference(void)
{
    nw_fill_sequential(&bench.problem, bench.expected);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    struct nw_problem *q = &bench.problem;
    bench.widest_only = settings.launches == WIDEST_LAUNCH;
    bench.host_waits = settings.host == HOST_WAITS;
    q->penalty = settings.penalty;
    read_matrix(settings.matrix, &q->scoring);
    make_sequences(file, size, seed);
    nw_make_field(q);
    size_t border_bytes = (q->m / NwStrips::rows + 1) * q->n * sizeof(packed_word);
    bench.expected = (int *)allocate(matrix_cells() * sizeof(int));
    allocate_pinned(bench.host, matrix_cells() * sizeof(int));
    /* The reference is computed here already, because prepare() copies from it the cells that earlier
     * launches would have filled. */
    if (bench.widest_only)
        reference();
    allocate_on_device(bench.s, matrix_cells() * sizeof(int));
    allocate_on_device(bench.borders, border_bytes);
    CHECK(cudaMemset(bench.borders, 0, border_bytes));
    bench.field = (int *)copy_on_device(q->field, q->m * q->n * sizeof(int));
    upload_pair();
    return (long long)(q->m > q->n ? q->m : q->n);
}

static void close_problem(void)
{
    CHECK(cudaFree(bench.field));
    CHECK(cudaFree(bench.s));
    CHECK(cudaFree(bench.borders));
    CHECK(cudaFree(bench.a));
    CHECK(cudaFree(bench.b));
    CHECK(cudaFree(bench.scores));
    free(bench.expected);
    CHECK(cudaFreeHost(bench.host));
    nw_free(&bench.problem);
    bench = {};
}

/* ---- a point ---- */

/* Returns the number of the first anti-diagonal among those with the largest number of tiles. */
template <class Tile>
static int widest(const NwStep<Tile> &step)
{
    return (step.down < step.across ? step.down : step.across) - 1;
}

static unsigned smaller(int a, int b)
{
    return (unsigned)(a < b ? a : b);
}

/* Gives the point as many blocks as the matrix has strips, but at most as many as can be resident. */
template <class Strips>
static void shape_strips(struct point *p, int sm_count, void (*kernel)(Strips))
{
    int strips = ((int)bench.problem.m + Strips::rows - 1) / Strips::rows;
    p->threads = Strips::threads;
    p->blocks =
        smaller(strips, sm_count * resident_blocks_per_sm(kernel, Strips::threads, Strips::shared_bytes));
}

/* Gives the point as many blocks as the widest diagonal has tiles, but, if all blocks must be resident, at
 * most as many as that allows. */
static void shape(struct point *p, int sm_count)
{
    if (tile_of(p->variant) == STRIPS)
        return shape_strips(p, sm_count, nw_strips);
    if (tile_of(p->variant) == BLOCKED)
        return shape_strips(p, sm_count, nw_blocked);
    with_tile(tile_of(p->variant), [&](auto tile) {
        typedef decltype(tile) Tile;
        NwStep<Tile> step = make_step<Tile>();
        int tiles = step.tiles_on(widest(step)), resident = tiles;
        if (p->variant->resident)
            resident = sm_count * resident_blocks_per_sm(step_loop<Counter, NwStep<Tile>>, Tile::threads,
                                                         Tile::shared_bytes);
        p->threads = Tile::threads;
        p->blocks = smaller(tiles, resident);
    });
    if (tile_of(p->variant) == SHUFFLE && p->variant->resident)
        p->blocks = smaller((int)p->blocks,
                            steps_resident_blocks<NwStep<ShuffleTile>>(method_of(p->variant), p->threads,
                                                                       ShuffleTile::shared_bytes, sm_count));
}

/* Returns a number below 0 if cell (i, j) is filled before the launch of the widest diagonal, 0 if by that
 * launch, and a number above 0 if later. */
template <class Tile>
static int side_of_widest(const NwStep<Tile> &step, size_t i, size_t j)
{
    return (int)((i - 1) / Tile::edge + (j - 1) / Tile::edge) - widest(step);
}

/* Fills all cells that the launch of the widest diagonal reads. All other cells are wrong until a launch
 * fills them. */
static void fill_before_widest(int tile)
{
    size_t n = bench.problem.n;
    memset(bench.host, 0xff, matrix_cells() * sizeof(int));
    nw_fill_boundary(&bench.problem, bench.host);
    with_tile(tile, [&](auto object) {
        NwStep<decltype(object)> step = make_step<decltype(object)>();
        for (size_t i = 1; i <= bench.problem.m; i++)
            for (size_t j = 1; j <= n; j++)
                if (side_of_widest(step, i, j) < 0)
                    bench.host[i * (n + 1) + j] = bench.expected[i * (n + 1) + j];
    });
    CHECK(cudaMemcpy(bench.s, bench.host, matrix_cells() * sizeof(int), cudaMemcpyHostToDevice));
}

/* Fills the first row and column on the device, because a matrix of a gigabyte takes longer to copy than to
 * fill. */
__global__ void fill_boundary(NwMatrix q)
{
    for (int j = (int)threadIdx.x; j <= q.n; j += (int)blockDim.x)
        *q.at(0, j) = -j * q.penalty;
    for (int i = 1 + (int)threadIdx.x; i <= q.m; i += (int)blockDim.x)
        *q.at(i, 0) = -i * q.penalty;
}

static void prepare(const struct point *p)
{
    CHECK(gpusync_grid_barrier_create(&bench.memory, p->blocks));
    CHECK(cudaMemset(bench.s, 0xff, matrix_cells() * sizeof(int)));
    if (bench.widest_only)
        fill_before_widest(tile_of(p->variant));
    else
        CHECK(launch(fill_boundary, {1, 256, 0, false, false}, harness_stream(), device_matrix()));
    if (tile_of(p->variant) == SHUFFLE) {
        NwStep<ShuffleTile> step = make_step<ShuffleTile>();
        launch_shape shape = {p->blocks, p->threads, ShuffleTile::shared_bytes, false, false};
        bench.plan =
            steps_prepare(method_of(p->variant), step, step.down + step.across - 1, shape, bench.memory);
    }
}

static void release(void)
{
    steps_release(&bench.plan);
    CHECK(gpusync_grid_barrier_destroy(&bench.memory));
}

/* Runs the framework of Li 2015: one launch for each diagonal, with as many blocks as the diagonal has
 * tiles. */
template <class Tile>
static void launch_diagonals(const NwStep<Tile> &step)
{
    int diagonals = step.down + step.across - 1;
    for (int d = 0; d < diagonals; d++) {
        launch_shape shape = {(unsigned)step.tiles_on(d), Tile::threads, Tile::shared_bytes, false, false};
        if (!bench.widest_only || d == widest(step))
            CHECK(launch(one_step<NwStep<Tile>>, shape, harness_stream(), step, d));
    }
}

template <class Strips>
static void launch_strips(const struct point *p, void (*kernel)(Strips), const Strips &strips)
{
    launch_shape shape = {p->blocks, p->threads, Strips::shared_bytes, false, false};
    CHECK(launch(kernel, shape, harness_stream(), strips));
}

static void run_on_device(const struct point *p)
{
    int tile = tile_of(p->variant);
    sync_id method = method_of(p->variant);
    NwMatrix q = device_matrix();
    if (tile == STRIPS)
        return launch_strips(p, nw_strips, {q, bench.borders, ++bench.epoch, NULL});
    if (tile == BLOCKED)
        return launch_strips(
            p, nw_blocked,
            {q, bench.a, bench.b + PADDING, bench.scores, bench.borders, ++bench.epoch, NULL, NULL});
    if (tile == SHUFFLE && method != SYNC_CPU_IMPLICIT)
        return steps_run(bench.plan);
    with_tile(tile, [&](auto object) {
        typedef decltype(object) Tile;
        NwStep<Tile> step = make_step<Tile>();
        launch_shape shape = {p->blocks, p->threads, Tile::shared_bytes, false, false};
        if (method == SYNC_CPU_IMPLICIT)
            return launch_diagonals(step);
        CHECK(launch(step_loop<Counter, NwStep<Tile>>, shape, harness_stream(), step,
                     step.down + step.across - 1, bench.memory));
    });
}

/* With --host waits, the host's wait belongs to the run, and so to its time. Li 2015, Table 3, has such
 * times: the columns tiny-lock and atomic-lock are 21 and 29 us more than a multiple of their rounds of
 * blocks, once in all launches of a matrix and not once in each (docs/experiments.md). */
static void run(const struct point *p)
{
    run_on_device(p);
    if (bench.host_waits)
        CHECK(cudaStreamSynchronize(harness_stream()));
}

/* Returns how many cells of row i a run should have filled: all, or, with --launches widest, those in tiles
 * up to the widest diagonal. */
template <class Tile>
static size_t filled_columns(const NwStep<Tile> &step, size_t i)
{
    size_t n = bench.problem.n, columns = 0;
    if (!bench.widest_only)
        return n;
    while (columns < n && side_of_widest(step, i, columns + 1) <= 0)
        columns++;
    return columns;
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    size_t m = bench.problem.m, *columns = (size_t *)allocate(m * sizeof *columns);
    CHECK(cudaMemcpy(bench.host, bench.s, matrix_cells() * sizeof(int), cudaMemcpyDeviceToHost));
    with_tile(tile_of(p->variant), [&](auto object) {
        NwStep<decltype(object)> step = make_step<decltype(object)>();
        for (size_t i = 1; i <= m; i++)
            verdict.compared += columns[i - 1] = filled_columns(step, i);
    });
    verdict.wrong = nw_count_wrong(&bench.problem, bench.host, bench.expected, columns);
    verdict.correct = verdict.wrong == 0;
    free(columns);
    return verdict;
}

static void write_answers(FILE *file)
{
    nw_print_alignment(file, &bench.problem, bench.host);
}

/* Returns the number of cells that one run fills. */
static double operations(const struct point *)
{
    return (double)bench.problem.m * (double)bench.problem.n;
}

/* ---- the variants ---- */

static const struct {
    const char *name, *summary;
    int capability;
    const char *special;
} tiles[TILES] = {
    {"data-parallel", "one warp for a tile, along its anti-diagonals (Li 2015, Figure 6)", 0, NULL},
    {"atom-lock", "one thread and one mutex for each cell (Listing 14)", 20,
     NULL}, /* atom-lock needs compute capability 2.0 for blocks of 1,024 threads */
    {"tiny-lock", "one thread for each cell, the cells' own lock bits (Listing 15)", 0,
     "lock bits in shared memory: Fermi, on the memory machine"},
    {"packed-word", "one thread for each cell, value and epoch in one 64-bit word", 20, NULL},
    {"mbarrier", "one thread and one mbarrier for each cell", 90, NULL},
    {"shuffle", "one warp for a tile, one lane for each column, operands by shuffle", 30, NULL},
    {"dataflow", "one warp for each strip of tiles, which waits only for its north neighbour", 30, NULL},
    {"dataflow-blocked", "as dataflow, with several rows for each lane in registers", 80,
     NULL}, /* dataflow-blocked needs compute capability 8.0 for the shared memory of a block */
};

static const int most_variants = (int)TILES * (int)SYNC_METHODS;
static struct variant variants[most_variants];
static char names[most_variants][64];
static int variant_count;

static void add_variant(int tile, int method)
{
    const struct variant *sync = &sync_variants[method];
    bool plain = method == SYNC_CPU_IMPLICIT;
    snprintf(names[variant_count], sizeof *names, "%s%s%s", tiles[tile].name, plain ? "" : "+",
             plain ? "" : sync->name);
    struct variant *v = &variants[variant_count];
    *v = *sync;
    v->id = id_of(tile, method);
    v->name = names[variant_count++];
    v->summary = plain ? tiles[tile].summary : sync->summary;
    v->capability = sync->capability > tiles[tile].capability ? sync->capability : tiles[tile].capability;
    v->special = tiles[tile].special;
}

/* Makes the variants: every way to fill a tile, once with launches and once with the fastest barrier, and
 * `shuffle` also with every other method that orders memory accesses. */
static void make_variants(void)
{
    for (int tile = 0; tile < TILES; tile++)
        add_variant(tile, SYNC_CPU_IMPLICIT);
    for (int tile = 0; tile < SHUFFLE; tile++)
        add_variant(tile, SYNC_COUNTER);
    for (int method = 0; method < SYNC_METHODS; method++)
        if (sync_variants[method].ordered && method != SYNC_CPU_IMPLICIT)
            add_variant(SHUFFLE, method);
}

static bool can_do(const struct variant *v)
{
    if (settings.launches == WIDEST_LAUNCH && (has_strips(v) || method_of(v) != SYNC_CPU_IMPLICIT))
        return false;
    return tile_of(v) != TINY_LOCK || device_has_lock_bits();
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("penalty", 0, 10000, "10", &settings.penalty, "cost of each letter in a gap"),
        OPTION_OF_TEXT("matrix", "blosum62", &settings.matrix,
                       "blosum62, nucleotide, or a file in NCBI's format"),
        OPTION_OF_CHOICE("problem", "random,rodinia", "random", &settings.problem,
                         "random or rodinia: the sequences that are generated"),
        OPTION_OF_CHOICE("launches", "all,widest", "all", &settings.launches,
                         "all, or widest: time only the launch of the widest diagonal, as Li 2015, Table 3"),
        OPTION_OF_CHOICE("host", "leaves,waits", "leaves", &settings.host,
                         "leaves, or waits: a run ends when the host has waited for it, as Li 2015, Table 3"),
        {}};
    make_variants();
    struct experiment e = {
        .name = "nw",
        .question =
            "Needleman-Wunsch, tile by tile: how should its cells, and its tiles, wait for each other?",
        .variants = variants,
        .variant_count = variant_count,
        .can_do = can_do,
        .options = options,
        .size_means = "letters in each of the two generated sequences",
        .gpu_sizes = "31,62,124,248,496,992,1984,3968,7936,16384",
        .machine_sizes = "31,62,124,248",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {open_problem, close_problem, reference, reference, write_answers},
    };
    return run_experiment(argc, argv, e);
}
