/*
 * How much does a hop depend on where the two blocks and the word lie? The program measures a hop between two
 * blocks (sync/hop.cuh) for many pairs of multiprocessors and several lines of memory; all other blocks of
 * the grid end at once. The time of a point is the median over pairs and lines; its "hops" contain the time
 * of each pair and line.
 *
 *     build/gpu/micro-hop-pairs --pairs 512 --lines 16
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/statistics.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/device_time.cuh"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "sync/hop.cuh"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* number of words (1 KB) in which one block leaves its flags and data for the other block */
#define BOX_WORDS 256
#define LETTER_WORDS 32 /* number of words of the data of a hop: 128 bytes, as in micro-dependency */
/* number of rounds before the measured ones, for each pair of blocks and line of memory */
#define WARM_ROUNDS 4
/* bytes of memory in which the words of a hop get random places; it fits into the L2 cache of an H100 */
#define BOARD_BYTES (1u << 25)

#define STANDARD_PAIRS MACHINE_OR_GPU("4", "128")
#define STANDARD_LINES MACHINE_OR_GPU("2", "8")
#define STANDARD_ROUNDS MACHINE_OR_GPU("8", "50")

/* Two blocks (hub and partner), the place in memory of their words, and the number of rounds that earlier
 * pairs executed with these words */
struct site {
    unsigned hub, partner, place, first_round, number;
};

struct board {
    unsigned *words;
    unsigned rounds;
    /* took: for each site (a pair of blocks and a line of memory), the duration of its rounds on the device's
     * clock */
    unsigned long long *took, *wrong, *compared;
    unsigned *where; /* for each site, the multiprocessors of its hub and of its partner */
};

/* Returns word number `at` of the data of a round. It is never all ones. */
static __device__ __forceinline__ unsigned letter_word(unsigned round, unsigned at)
{
    return (round * 2654435761u + at * 40503u) & 0x7fffffffu;
}

struct found {
    unsigned wrong, compared;
    __device__ void note(unsigned is, unsigned expected)
    {
        wrong += is != expected;
        compared++;
    }
};

/* ---- The kinds of hop: every thread of a block calls send and receive ---- */

struct ByCounter {
    static const int EMPTY = 0;
    static __device__ void send(unsigned *box, unsigned round)
    {
        for (unsigned i = thread_in_block(); i < LETTER_WORDS; i += threads_in_block())
            box[LETTER_WORDS + i] = letter_word(round, i);
        hop_send(box);
    }
    static __device__ void receive(unsigned *box, unsigned round, found &found)
    {
        hop_receive(box, round);
        for (unsigned i = thread_in_block(); i < LETTER_WORDS; i += threads_in_block())
            found.note(box[LETTER_WORDS + i], letter_word(round, i));
    }
};

struct Packed {
    static const int EMPTY = 0;
    static const unsigned PLACES = (LETTER_WORDS + 2) / 3;
    static __device__ void send(unsigned *box, unsigned round)
    {
        for (unsigned i = thread_in_block(); i < PLACES; i += threads_in_block())
            hop_packed_publish(
                (hop_packed *)box + i,
                {letter_word(round, 3 * i), letter_word(round, 3 * i + 1), letter_word(round, 3 * i + 2)},
                round);
    }
    static __device__ void receive(unsigned *box, unsigned round, found &found)
    {
        for (unsigned i = thread_in_block(); i < PLACES; i += threads_in_block()) {
            hop_data data = hop_packed_await((hop_packed *)box + i, round);
            found.note(data.x, letter_word(round, 3 * i));
            found.note(data.y, letter_word(round, 3 * i + 1));
            found.note(data.z, letter_word(round, 3 * i + 2));
        }
        __syncthreads();
    }
};

struct BySentinel {
    static const int EMPTY = 0xff;
    static const unsigned PLACES = LETTER_WORDS / 4;
    static __device__ uint4 *place(unsigned *box, unsigned round, unsigned i)
    {
        return (uint4 *)box + round % 3 * PLACES + i;
    }
    static __device__ void send(unsigned *box, unsigned round)
    {
        for (unsigned i = thread_in_block(); i < PLACES; i += threads_in_block()) {
            hop_sentinel_store(place(box, round, i),
                               make_uint4(letter_word(round, 4 * i), letter_word(round, 4 * i + 1),
                                          letter_word(round, 4 * i + 2), letter_word(round, 4 * i + 3)));
            hop_sentinel_clear(place(box, round + 2, i));
        }
        __threadfence();
    }
    static __device__ void receive(unsigned *box, unsigned round, found &found)
    {
        for (unsigned i = thread_in_block(); i < PLACES; i += threads_in_block()) {
            uint4 data = hop_sentinel_await(place(box, round, i));
            found.note(data.x, letter_word(round, 4 * i));
            found.note(data.y, letter_word(round, 4 * i + 1));
            found.note(data.z, letter_word(round, 4 * i + 2));
            found.note(data.w, letter_word(round, 4 * i + 3));
        }
        __syncthreads();
    }
};

/* ---- The kernel ---- */

static __device__ __forceinline__ unsigned multiprocessor()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

template <class Hop>
__global__ void exchange_of_pair(board b, site s)
{
    bool is_hub = block_in_grid() == s.hub;
    unsigned *out = b.words + s.place, *in = out + BOX_WORDS;
    instant begun = 0;
    found found = {};
    if (!is_hub && block_in_grid() != s.partner)
        return;
    for (unsigned r = 1; r <= WARM_ROUNDS + b.rounds; r++) {
        if (r == WARM_ROUNDS + 1)
            begun = device_time();
        if (is_hub)
            Hop::send(out, s.first_round + r);
        Hop::receive(is_hub ? in : out, s.first_round + r, found);
        if (!is_hub)
            Hop::send(in, s.first_round + r);
    }
    if (is_block_leader()) {
        b.where[2 * s.number + !is_hub] = multiprocessor();
        if (is_hub)
            b.took[s.number] = device_time() - begun;
    }
    atomicAdd(b.wrong, (unsigned long long)found.wrong);
    atomicAdd(b.compared, (unsigned long long)found.compared);
}

/* ---- The variants, named as in micro-dependency ---- */

enum { COUNTER, PACKED, SENTINEL, WAYS };
static const struct variant ways[WAYS] = {
    VARIANT(COUNTER, "fence-add",
            "a counter: release fence, relaxed red.add; one lane polls relaxed, acquire fence",
            .ordered = true, .resident = true, .capability = 70),
    VARIANT(PACKED, "packed-16", "12 bytes and their epoch, stored and loaded by one access", .ordered = true,
            .resident = true, .capability = 70),
    VARIANT(SENTINEL, "sentinel", "words that are never all ones, which means empty", .ordered = true,
            .resident = true, .capability = 70),
};

typedef void (*pair_kernel)(board, site);
static pair_kernel kernel_of(int id)
{
    static const pair_kernel kernels[WAYS] = {exchange_of_pair<ByCounter>, exchange_of_pair<Packed>,
                                              exchange_of_pair<BySentinel>};
    return kernels[id];
}

/* ---- A point of the sweep ---- */

static struct {
    int pairs, lines, rounds;
} settings;

static struct {
    board device;
    site *sites;
    size_t site_count;
    /* for each site (a pair of blocks and a line of memory), the time of a hop in the last run */
    double *hops;
    unsigned *where;
} bench;

static unsigned draw(struct random *random, unsigned below)
{
    return (unsigned)(random_next(random) % below);
}

/* Draws the sites, which are all combinations of a pair of blocks and a line of memory. */
static void draw_sites(const struct point *p)
{
    struct random random = {p->seed};
    unsigned lines = (unsigned)settings.lines, rounds = WARM_ROUNDS + (unsigned)settings.rounds;
    unsigned *places = (unsigned *)allocate(lines * sizeof *places);
    for (unsigned l = 0; l < lines; l++)
        places[l] = (l * (BOARD_BYTES / 4 / (2 * BOX_WORDS) / lines) +
                     draw(&random, BOARD_BYTES / 4 / (2 * BOX_WORDS) / lines)) *
                    2 * BOX_WORDS;
    for (unsigned k = 0; k < (unsigned)settings.pairs; k++) {
        unsigned hub = draw(&random, p->blocks), apart = 1 + draw(&random, p->blocks - 1);
        for (unsigned l = 0; l < lines; l++) {
            unsigned number = k * lines + l;
            bench.sites[number] = {hub, (hub + apart) % p->blocks, places[l], k * rounds, number};
        }
    }
    free(places);
}

static void prepare(const struct point *p)
{
    if (p->blocks < 2)
        cannot_measure("a hop is between two blocks");
    board *b = &bench.device;
    bench.site_count = (size_t)settings.pairs * (size_t)settings.lines;
    bench.sites = (site *)allocate(bench.site_count * sizeof *bench.sites);
    bench.hops = (double *)allocate(bench.site_count * sizeof *bench.hops);
    bench.where = (unsigned *)allocate(2 * bench.site_count * sizeof *bench.where);
    draw_sites(p);
    b->rounds = (unsigned)settings.rounds;
    b->words = (unsigned *)device_memory(BOARD_BYTES);
    allocate_on_device(b->took, bench.site_count * sizeof *b->took);
    allocate_on_device(b->where, 2 * bench.site_count * sizeof *b->where);
    allocate_on_device(b->wrong, sizeof *b->wrong);
    allocate_on_device(b->compared, sizeof *b->compared);
}

static void release(void)
{
    board *b = &bench.device;
    CHECK(cudaFree(b->words));
    CHECK(cudaFree(b->took));
    CHECK(cudaFree(b->where));
    CHECK(cudaFree(b->wrong));
    CHECK(cudaFree(b->compared));
    free(bench.sites);
    free(bench.hops);
    free(bench.where);
}

static void run(const struct point *p)
{
    const board *b = &bench.device;
    static const int empty[WAYS] = {ByCounter::EMPTY, Packed::EMPTY, BySentinel::EMPTY};
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    CHECK(cudaMemsetAsync(b->words, empty[p->variant->id], BOARD_BYTES, harness_stream()));
    CHECK(cudaMemsetAsync(b->wrong, 0, sizeof *b->wrong, harness_stream()));
    CHECK(cudaMemsetAsync(b->compared, 0, sizeof *b->compared, harness_stream()));
    for (size_t i = 0; i < bench.site_count; i++)
        CHECK(launch(kernel_of(p->variant->id), shape, harness_stream(), *b, bench.sites[i]));
}

/* Computes the time of a hop at each site (a pair of blocks and a line of memory), and returns the median. */
static double measured(const struct point *)
{
    unsigned long long *took = (unsigned long long *)allocate(bench.site_count * sizeof *took);
    CHECK(cudaStreamSynchronize(harness_stream()));
    CHECK(cudaMemcpy(took, bench.device.took, bench.site_count * sizeof *took, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.site_count; i++)
        bench.hops[i] = (double)took[i] / (2.0 * bench.device.rounds);
    free(took);
    return quantile(bench.hops, bench.site_count, 0.5);
}

static struct verdict check(const struct point *)
{
    struct verdict verdict = {};
    CHECK(cudaMemcpy(&verdict.wrong, bench.device.wrong, sizeof verdict.wrong, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&verdict.compared, bench.device.compared, sizeof verdict.compared,
                     cudaMemcpyDeviceToHost));
    unsigned long long least = 2ull * bench.site_count * (WARM_ROUNDS + bench.device.rounds) * LETTER_WORDS;
    verdict.correct = verdict.wrong == 0 && verdict.compared >= least;
    return verdict;
}

/* Adds "hops" to the JSON: for each pair of blocks, their multiprocessors and the time of a hop on each line
 * of memory. */
static void describe(const struct point *p, cJSON *json)
{
    size_t lines = (size_t)settings.lines;
    measured(p);
    CHECK(cudaMemcpy(bench.where, bench.device.where, 2 * bench.site_count * sizeof *bench.where,
                     cudaMemcpyDeviceToHost));
    cJSON *hops = cJSON_AddObjectToObject(json, "hops"), *pairs = cJSON_AddArrayToObject(hops, "pairs"),
          *times = cJSON_AddArrayToObject(hops, "times");
    for (size_t i = 0; i < bench.site_count; i += lines) {
        int of_pair[2] = {(int)bench.where[2 * i], (int)bench.where[2 * i + 1]};
        cJSON_AddItemToArray(pairs, cJSON_CreateIntArray(of_pair, 2));
        cJSON_AddItemToArray(times, cJSON_CreateDoubleArray(bench.hops + i, (int)lines));
    }
    cJSON_AddNumberToObject(hops, "low", quantile(bench.hops, bench.site_count, 0.05));
    cJSON_AddNumberToObject(hops, "high", quantile(bench.hops, bench.site_count, 0.95));
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    return sm_count * resident_blocks_per_sm(kernel_of(variant->id), threads, 0);
}

static double operations(const struct point *)
{
    return 1;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("pairs", 1, 100000, STANDARD_PAIRS, &settings.pairs, "pairs of multiprocessors"),
        OPTION_OF_NUMBER("lines", 1, 1000, STANDARD_LINES, &settings.lines,
                         "places in memory, for each pair"),
        OPTION_OF_NUMBER("rounds", 1, 100000, STANDARD_ROUNDS, &settings.rounds,
                         "rounds, of two hops, for each pair and place"),
        {}};
    struct experiment e = {
        .name = "micro-hop-pairs",
        .question = "how much does a hop depend on where the two blocks and the word lie?",
        .variants = ways,
        .variant_count = WAYS,
        .options = options,
        .size_means = "bytes that a block sends: 128",
        .gpu_sizes = "128",
        .machine_sizes = "128",
        .gpu_runs = 3,
        .launches = {.threads = "256",
                     .sweep = SWEEP_ALL_MULTIPROCESSORS,
                     .resident_blocks = resident_blocks},
        .measured = measured,
        .measured_unit = time_unit(),
        .describe = describe,
    };
    return run_experiment(argc, argv, e);
}
