/*
 * Matrix filling of Smith-Waterman with affine gaps by anti-diagonals, each of which is a step, with a
 * barrier between two steps (Xiao and Feng 2010, section VI-B and Figure 9; Figures 10b to 13b; Feng and Xiao
 * 2010, Figures 1 and 2). The host traces back.
 *
 * `dataflow` (swat/matrix/strips.cuh) and `dataflow-blocked` (swat/matrix/blocked.cuh) have no barrier at
 * all.
 *
 *     build/gpu/swat --input proteins.fasta --output alignments.tsv --variant dataflow-blocked --blocks all
 *
 * align/alignment.h has the recurrence, swat/matrix/diagonals.cuh the step.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"
#include "align/alignment.h"
#include "swat/matrix/blocked.cuh"
#include "swat/matrix/diagonals.cuh"
#include "swat/matrix/strips.cuh"

#include <stdlib.h>
#include <string.h>

/* A pair of sequences: its sequences, its data on the device, and the expected answers. */
struct pair {
    const sequence *a, *b;
    SwatStep step;
    row_best *expected;
    unsigned char *expected_directions;
    step_bench<SwatStep> loop;
    packed_word *borders; /* the borders of this pair's strips, for the dataflow variants */
};

/* The ids of the variants that are not step loops. The ids below SYNC_METHODS are the methods' ids, and
 * belong to the step loops. */
enum { DATAFLOW = SYNC_METHODS, BLOCKED };
static const struct variant without_barrier[] = {
    VARIANT(DATAFLOW, "dataflow",
            "no barrier: one warp for each strip of 32 rows waits only for the strip above", .ordered = true,
            .resident = true, .capability = 30),
    VARIANT(BLOCKED, "dataflow-blocked",
            "dataflow with several rows a lane in registers, all pairs in one launch", .ordered = true,
            .resident = true, .capability = 70)};

static struct {
    scoring scores;
    sequences list;
    pair *pairs;
    size_t pair_count, most_rows;
    /* the substitution scores, and the lines of H, E and F (swat/matrix/lines.h) with room for the longest
     * sequence, which all pairs use; on the device */
    int *device_scores, *lines;
    unsigned char **codes; /* for each sequence, its codes with padding, on the device */
    SwatBlocked blocked;   /* the arguments of dataflow-blocked, with the strips of all pairs */
    unsigned epoch;        /* the epoch of the last launch of a dataflow variant */
    /* best cell of each row of one pair, copied from the device; there is room for any pair */
    row_best *best;
    unsigned char *directions;
    size_t most_direction_bytes;
} bench;

/* Returns the number of threads of a block of swat_strips for --threads: whole warps, at least one. */
static unsigned strip_threads(unsigned threads)
{
    return threads < 32 ? 32 : threads / 32 * 32;
}

/* Returns the number of threads of a block of swat_blocked for --threads: 1 to 8 whole warps, because the
 * profiles of more warps would not fit into the shared memory of many devices. */
static unsigned blocked_threads(unsigned threads)
{
    return strip_threads(threads < 256 ? threads : 256);
}
static size_t blocked_shared_bytes(unsigned threads)
{
    return blocked_threads(threads) / 32 * SwatBlockedStrip::profile_bytes;
}

static struct {
    const char *matrix;
    int gap_open, gap_extend;
} settings;

static void make_pair(pair *p, size_t a, size_t b)
{
    p->a = &bench.list.items[a];
    p->b = &bench.list.items[b];
    size_t m = p->a->length, bytes = direction_bytes(m, p->b->length);
    p->expected = (row_best *)allocate(m * sizeof *p->expected);
    p->expected_directions = (unsigned char *)allocate(bytes);
    bench.most_direction_bytes = bytes > bench.most_direction_bytes ? bytes : bench.most_direction_bytes;
    SwatStep *s = &p->step;
    s->a = bench.codes[a] + PADDING;
    s->b = bench.codes[b] + PADDING;
    s->scores = bench.device_scores;
    for (size_t line = 0; line < 7; line++) {
        int *place = bench.lines + line * (bench.most_rows + 1);
        *(line < 3 ? &s->h[line] : line < 5 ? &s->e[line - 3] : &s->f[line - 5]) = place;
    }
    s->rows = (int)m;
    s->columns = (int)p->b->length;
    s->open = bench.scores.open;
    s->extend = bench.scores.extend;
    allocate_on_device(s->best, m * sizeof(row_best));
    allocate_on_device(s->directions, bytes);
    size_t strips = (m + SwatStrips::rows_per_strip - 1) / SwatStrips::rows_per_strip;
    size_t border_bytes = strips * 2 * p->b->length * sizeof(packed_word);
    allocate_on_device(p->borders, border_bytes);
    CHECK(cudaMemset(p->borders, 0, border_bytes));
}

static int longer_first(const void *x, const void *y)
{
    const swat_task *a = (const swat_task *)x, *b = (const swat_task *)y;
    int steps_a = a->rows + a->columns, steps_b = b->rows + b->columns;
    return (steps_a < steps_b) - (steps_a > steps_b);
}

/* Makes the list of the strips of all pairs, which are filled by one launch. */
static void make_strips(void)
{
    enum { rows = SwatBlockedStrip::rows };
    SwatBlocked *q = &bench.blocked;
    swat_task *tasks = (swat_task *)allocate(bench.pair_count * sizeof *tasks);
    for (size_t i = 0; i < bench.pair_count; i++) {
        const SwatStep &s = bench.pairs[i].step;
        packed_word_pair *borders = (packed_word_pair *)bench.pairs[i].borders;
        tasks[i] = {s.a, s.b, s.best, s.directions, borders, s.rows, s.columns};
        q->strip_count += (s.rows + rows - 1) / rows;
    }
    qsort(tasks, bench.pair_count, sizeof *tasks, longer_first);
    swat_strip *strips = (swat_strip *)allocate((size_t)q->strip_count * sizeof *strips), *next = strips;
    for (size_t i = 0; i < bench.pair_count; i++)
        for (int strip = 0; strip * rows < tasks[i].rows; strip++)
            *next++ = {(int)i, strip};
    q->tasks = (swat_task *)copy_on_device(tasks, bench.pair_count * sizeof *tasks);
    q->strips = (swat_strip *)copy_on_device(strips, (size_t)q->strip_count * sizeof *strips);
    q->scores = bench.device_scores;
    q->open = SwatBlockedStrip::cost_of_opening(bench.scores.open);
    q->extend = SwatBlockedStrip::cost_of_extending(bench.scores.extend);
    q->e_bit = E_BIT;
    q->extends_bits = EXTENDS_BITS;
    q->ticket = (unsigned *)copy_on_device(&q->drawn, sizeof q->drawn);
    free(tasks);
    free(strips);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    read_matrix(settings.matrix, &bench.scores);
    bench.scores.open = settings.gap_open;
    bench.scores.extend = settings.gap_extend;
    if (size > 1 << 20)
        fail(EXIT_BAD_INPUT, "size %lld: sequences of up to 2^20 letters can be generated", size);
    if (file)
        read_fasta(file, &bench.scores, &bench.list);
    else
        generate_sequences((size_t)size, seed, &bench.scores, &bench.list);
    size_t count = bench.list.count, longest = 0;
    bench.codes = (unsigned char **)allocate(count * sizeof *bench.codes);
    for (size_t i = 0; i < count; i++) {
        size_t length = bench.list.items[i].length;
        unsigned char *padded = padded_codes(&bench.list.items[i]);
        bench.codes[i] = (unsigned char *)copy_on_device(padded, length + 2 * PADDING);
        longest = length > longest ? length : longest;
        free(padded);
    }
    bench.most_rows = longest;
    bench.device_scores = (int *)copy_on_device(bench.scores.score, sizeof bench.scores.score);
    allocate_on_device(bench.lines, 7 * (longest + 1) * sizeof(int));
    bench.pairs = (pair *)allocate((count * (count - 1) / 2) * sizeof *bench.pairs);
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            make_pair(&bench.pairs[bench.pair_count++], a, b);
    allocate_pinned(bench.best, longest * sizeof *bench.best);
    allocate_pinned(bench.directions, bench.most_direction_bytes);
    make_strips();
    return (long long)longest;
}

static void close_problem(void)
{
    for (size_t i = 0; i < bench.pair_count; i++) {
        pair *p = &bench.pairs[i];
        CHECK(cudaFree(p->step.best));
        CHECK(cudaFree(p->step.directions));
        CHECK(cudaFree(p->borders));
        free(p->expected);
        free(p->expected_directions);
    }
    for (size_t i = 0; i < bench.list.count; i++)
        CHECK(cudaFree(bench.codes[i]));
    CHECK(cudaFree(bench.device_scores));
    CHECK(cudaFree(bench.lines));
    CHECK(cudaFree((void *)bench.blocked.tasks));
    CHECK(cudaFree((void *)bench.blocked.strips));
    CHECK(cudaFree(bench.blocked.ticket));
    CHECK(cudaFreeHost(bench.best));
    CHECK(cudaFreeHost(bench.directions));
    free(bench.codes);
    free(bench.pairs);
    free_sequences(&bench.list);
    bench = {};
}

static void expect(size_t i)
{
    fill_sequential(bench.pairs[i].a, bench.pairs[i].b, &bench.scores, bench.pairs[i].expected,
                    bench.pairs[i].expected_directions);
}

static void reference(void)
{
    parallel_for(bench.pair_count, expect);
}

static void sequential(void)
{
    for (size_t i = 0; i < bench.pair_count; i++)
        expect(i);
}

/* Exits if scores may be too large for the costs in swat/matrix/blocked.cuh, which have fewer bits than an
 * int. */
static void check_costs(void)
{
    long long most = 0;
    for (int i = 0; i < SCORING_LETTERS * SCORING_LETTERS; i++)
        most = bench.scores.score[i] > most ? bench.scores.score[i] : most;
    for (size_t i = 0; i < bench.pair_count; i++) {
        const SwatStep &s = bench.pairs[i].step;
        long long letters = s.rows < s.columns ? s.rows : s.columns;
        if (letters * most + s.open + most >= SwatBlockedStrip::score_limit)
            fail(EXIT_BAD_INPUT,
                 "dataflow-blocked: %lld letters, with up to %lld for a pair, may score above %d", letters,
                 most, (int)SwatBlockedStrip::score_limit);
    }
}

static void prepare(const struct point *point)
{
    if (point->variant->id == BLOCKED)
        check_costs();
    for (size_t i = 0; i < bench.pair_count; i++) {
        pair *p = &bench.pairs[i];
        size_t bytes = direction_bytes(p->a->length, p->b->length);
        CHECK(cudaMemset(p->step.best, 0xff, p->a->length * sizeof(row_best)));
        CHECK(cudaMemset(p->step.directions, 0, bytes));
        if (point->variant->id < DATAFLOW)
            p->loop.prepare(point, p->step, p->step.rows + p->step.columns - 1);
    }
}

static void run_strips(const struct point *point, pair *p)
{
    const SwatStep &s = p->step;
    SwatStrips strips = {s.a,       s.b,    s.scores, s.best,     s.directions, s.rows,
                         s.columns, s.open, s.extend, p->borders, ++bench.epoch};
    launch_shape shape = {point->blocks, strip_threads(point->threads), 0, false, false};
    CHECK(launch(swat_strips, shape, harness_stream(), strips));
}

static void run_blocked(const struct point *point)
{
    SwatBlocked *q = &bench.blocked;
    unsigned threads = blocked_threads(point->threads), warps = point->blocks * threads / 32;
    launch_shape shape = {point->blocks, threads, blocked_shared_bytes(threads), false, false};
    q->epoch = ++bench.epoch;
    CHECK(launch(swat_blocked, shape, harness_stream(), *q));
    q->drawn +=
        (unsigned)q->strip_count + (warps < (unsigned)q->strip_count ? warps : (unsigned)q->strip_count);
}

static void run(const struct point *point)
{
    if (point->variant->id == BLOCKED)
        return run_blocked(point);
    for (size_t i = 0; i < bench.pair_count; i++)
        if (point->variant->id == DATAFLOW)
            run_strips(point, &bench.pairs[i]);
        else
            steps_run(bench.pairs[i].loop.plan);
}

static void release(void)
{
    for (size_t i = 0; i < bench.pair_count; i++)
        bench.pairs[i].loop.release();
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long, int sm_count)
{
    if (variant->id == DATAFLOW)
        return sm_count * resident_blocks_per_sm(swat_strips, strip_threads(threads), 0);
    if (variant->id == BLOCKED)
        return sm_count *
               resident_blocks_per_sm(swat_blocked, blocked_threads(threads), blocked_shared_bytes(threads));
    return step_resident_blocks<SwatStep>(variant, threads, 0, sm_count);
}

/* Copies the answers of a pair from the device to bench.best and bench.directions. */
static void download(const pair *p)
{
    size_t m = p->a->length, bytes = direction_bytes(m, p->b->length);
    CHECK(cudaMemcpy(bench.best, p->step.best, m * sizeof *bench.best, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(bench.directions, p->step.directions, bytes, cudaMemcpyDeviceToHost));
}

/* Compares each row's best cell and all directions of all pairs with the sequential ones. `wrong` is the
 * number of rows with a wrong best cell, plus one for each pair with a wrong direction. */
static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, 0, 0};
    for (size_t i = 0; i < bench.pair_count; i++) {
        pair *p = &bench.pairs[i];
        size_t m = p->a->length, bytes = direction_bytes(m, p->b->length);
        download(p);
        for (size_t row = 0; row < m; row++)
            verdict.wrong += bench.best[row].score != p->expected[row].score ||
                             bench.best[row].column != p->expected[row].column;
        verdict.wrong += memcmp(bench.directions, p->expected_directions, bytes) != 0;
        verdict.compared += m + 1;
    }
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static void write_answers(FILE *file)
{
    for (size_t i = 0; i < bench.pair_count; i++) {
        pair *p = &bench.pairs[i];
        download(p);
        print_alignment(file, p->a, p->b, bench.best, bench.directions);
    }
}

static double operations(const struct point *)
{
    double steps = 0;
    for (size_t i = 0; i < bench.pair_count; i++)
        steps += bench.pairs[i].step.rows + bench.pairs[i].step.columns - 1;
    return steps;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_TEXT("matrix", "blosum62", &settings.matrix,
                       "blosum62, nucleotide, or a file in NCBI's format"),
        OPTION_OF_NUMBER("gap-open", 0, 10000, "11", &settings.gap_open, "cost of a gap's first letter"),
        OPTION_OF_NUMBER("gap-extend", 0, 10000, "1", &settings.gap_extend, "cost of each further letter"),
        {}};
    struct experiment e = {
        .name = "swat",
        .question = "matrix filling of Smith-Waterman under every barrier",
        .options = options,
        .size_means = "letters in each of the two generated sequences",
        .gpu_sizes = "4096",
        .machine_sizes = "64",
        /* the number of threads of Xiao and Feng 2010 */
        .launches = {.threads = "256", .resident_blocks = resident_blocks},
        .problem = {open_problem, close_problem, reference, sequential, write_answers},
    };
    make_step_experiment(&e, without_barrier, 2);
    return run_experiment(argc, argv, e);
}
