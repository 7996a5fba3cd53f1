/*
 * Scores of Smith-Waterman without alignments, of all pairs of many sequences: the cost of a database search,
 * in billions of cells a second.
 *
 *     build/gpu/swat-scores --input proteins.fasta --output scores.tsv
 *     build/gpu/swat-scores --size 1000000
 *
 * `int16` computes two pairs in the halves of words, and computes scores that may not fit again with 32 bits;
 * `int32` computes all pairs with 32 bits; `int16+file` measures the time that a user waits: the FASTA file
 * is read, its sequences are sorted by length and copied, and the scores are copied back and ranked.
 * swat/scores/scores.cuh has the kernels. They need many pairs to use the whole GPU: for few long sequences,
 * swat --variant dataflow-blocked is faster, and has the alignments, too.
 */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "align/alignment.h"
#include "swat/scores/ranking.h"
#include "swat/scores/scores.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* largest possible score that is allowed for a pair, so that the score of one more cell still fits into 32
 * bits */
#define MOST_SCORE ((size_t)1 << 30)

enum { INT16, INT32, INT16_FILE, VARIANTS };

static const struct variant variants[VARIANTS] = {
    VARIANT(INT16, "int16", "two pairs in the halves of words; 32 bits for pairs that may overflow",
            .ordered = true, .capability = 70),
    VARIANT(INT32, "int32", "32 bits", .ordered = true, .capability = 70),
    VARIANT(INT16_FILE, "int16+file", "int16 from a FASTA file to the ranking: reading, sorting, copies",
            .ordered = true, .waits = true, .capability = 70)};

/* An entry of the list of sequences by length: a sequence's length and its number in the input. */
struct by_length {
    size_t length;
    int number;
};

static struct {
    scoring scores;
    sequences list;
    by_length *order; /* the sequences in descending order of length, as they are on the device */
    ScoreSearch q;    /* the arguments of the search kernels */
    score_pair *all;  /* all pairs of sequences, on the device, for the variant int32 */
    score_unit *units;
    /* the temporary FASTA file with the sequences, or NULL if the input is a file that can be read again */
    FILE *generated;
    char path[64];
    const char *file; /* the name of the FASTA file that int16+file reads */
    unsigned *ranking;
    /* `longest` is the number of border columns that the longest sequence needs, `span` the largest number of
     * codes that the sequences of a unit have together */
    size_t pairs, longest, span;
    int *found; /* the computed scores of all pairs, on the host */
    /* every stride-th pair is compared with the reference, expected_count pairs in all */
    size_t stride, expected_count;
    int *expected;
} bench;

static struct {
    const char *matrix;
    int gap_open, gap_extend, median;
} settings;

/* ---- the problem ---- */

static int longer_first(const void *x, const void *y)
{
    const by_length *a = (const by_length *)x, *b = (const by_length *)y;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length) : a->number - b->number;
}

static const sequence *sorted(int place)
{
    return &bench.list.items[bench.order[place].number];
}

/* Copies all sequences to the device in descending order of length, with SCORE_MARGIN times NO_LETTER before
 * and after each. */
static void upload_sequences(void)
{
    int count = (int)bench.list.count, *start = (int *)allocate((size_t)count * sizeof *start),
        *length = (int *)allocate((size_t)count * sizeof *length);
    size_t bytes = SCORE_MARGIN;
    for (int i = 0; i < count; i++) {
        start[i] = (int)bytes;
        length[i] = (int)sorted(i)->length;
        bytes += sorted(i)->length + SCORE_MARGIN;
    }
    if (bytes > INT_MAX / 2)
        fail(EXIT_BAD_INPUT, "%zu letters: up to 2^30 fit", bytes);
    unsigned char *codes = (unsigned char *)allocate(bytes);
    memset(codes, NO_LETTER, bytes);
    for (int i = 0; i < count; i++)
        memcpy(codes + start[i], sorted(i)->codes, sorted(i)->length);
    bench.q.codes = (unsigned char *)copy_on_device(codes, bytes);
    bench.q.start = (int *)copy_on_device(start, (size_t)count * sizeof *start);
    bench.q.length = (int *)copy_on_device(length, (size_t)count * sizeof *length);
    free(codes);
    free(start);
    free(length);
}

static void add_unit(int q, int first, int count)
{
    size_t span = 0;
    for (int i = first; i < first + count; i++)
        span += sorted(i)->length + SCORE_MARGIN;
    bench.span = span > bench.span ? span : bench.span;
    bench.units = (score_unit *)with_room(bench.units, sizeof *bench.units, (size_t)bench.q.unit_count, 1);
    bench.units[bench.q.unit_count++] = {q, first, count};
}

/* Makes the units of work: two sequences that are aligned with at most `most` other sequences. A unit with
 * `most` others keeps a block busy for several rounds. */
static void make_units(void)
{
    enum { most = 256 };
    int count = (int)bench.list.count;
    for (int q = 0; 2 * q + 1 < count; q++)
        for (int first = 2 * q + 1; first < count; first += most)
            add_unit(q, first, count - first < most ? count - first : most);
    bench.q.units =
        (score_unit *)copy_on_device(bench.units, (size_t)bench.q.unit_count * sizeof *bench.units);
}

static void make_pairs(void)
{
    int count = (int)bench.list.count;
    score_pair *all = (score_pair *)allocate(bench.pairs * sizeof *all), *next = all;
    for (int x = 0; x < count; x++)
        for (int y = x + 1; y < count; y++)
            *next++ = {x, y};
    bench.all = (score_pair *)copy_on_device(all, bench.pairs * sizeof *all);
    free(all);
}

/* Sets `zero`, the number that stands for a score of 0, and `limit`, the score from which the score of the
 * next cell may not fit into 16 bits. No pair scores more than the length of its shorter sequence times the
 * largest score of two letters. */
static void set_range(void)
{
    int most = 0, least = -1;
    size_t shorter = bench.list.count > 1 ? bench.order[1].length : 0;
    for (size_t i = 0; i < sizeof bench.scores.score / sizeof *bench.scores.score; i++) {
        most = bench.scores.score[i] > most ? bench.scores.score[i] : most;
        least = bench.scores.score[i] < least ? bench.scores.score[i] : least;
    }
    if (shorter * (size_t)most > MOST_SCORE)
        fail(EXIT_BAD_INPUT, "two sequences of %zu letters, with up to %d for a pair, may score above 2^30",
             shorter, most);
    bench.q.zero = -least;
    bench.q.limit = SHRT_MAX - most + least;
}

static void write_fasta(FILE *file)
{
    for (size_t i = 0; i < bench.list.count; i++) {
        const sequence *s = &bench.list.items[i];
        fprintf(file, ">%s\n", s->name);
        for (size_t k = 0; k < s->length; k++)
            putc(bench.scores.letters[s->codes[k]], file);
        putc('\n', file);
    }
    if (fflush(file))
        fail(EXIT_CANNOT, "a temporary file cannot be written");
}

/* Reads or generates the sequences. Generated sequences, and those read from a pipe, are also written to a
 * temporary file. */
static void read_problem(const char *file, long long size, unsigned long long seed)
{
    read_matrix(settings.matrix, &bench.scores);
    bench.scores.open = settings.gap_open;
    bench.scores.extend = settings.gap_extend;
    if (size < 2 || size > 1 << 28)
        fail(EXIT_BAD_INPUT, "size %lld: databases of 2 to 2^28 letters can be generated", size);
    if (file)
        read_fasta(file, &bench.scores, &bench.list);
    else
        generate_database((size_t)size, (size_t)settings.median, seed, &bench.scores, &bench.list);
    if (!file || file_is_special(file)) {
        bench.generated = tmpfile();
        if (!bench.generated)
            fail(EXIT_CANNOT, "a temporary file cannot be made");
        write_fasta(bench.generated);
    }
    if (bench.list.count > 30000)
        fail(EXIT_BAD_INPUT, "%zu sequences: all pairs of up to 30000 can be aligned", bench.list.count);
}

/* Sorts the sequences by length, and makes all data on the device except the borders. */
static void make_search(void)
{
    size_t count = bench.list.count;
    bench.order = (by_length *)allocate(count * sizeof *bench.order);
    for (size_t i = 0; i < count; i++)
        bench.order[i] = {bench.list.items[i].length, (int)i};
    qsort(bench.order, count, sizeof *bench.order, longer_first);
    bench.pairs = count * (count - 1) / 2;
    bench.longest = bench.order[0].length + SCORE_MARGIN;
    bench.q.sequences = (int)count;
    bench.q.open = settings.gap_open;
    bench.q.extend = settings.gap_extend;
    set_range();
    bench.q.matrix = (int *)copy_on_device(bench.scores.score, sizeof bench.scores.score);
    upload_sequences();
    make_units();
    allocate_on_device(bench.q.scores, bench.pairs * sizeof(int));
    allocate_on_device(bench.q.wide, bench.pairs * sizeof(score_pair));
    allocate_on_device(bench.q.ticket, 2 * sizeof(unsigned));
    bench.q.wide_count = bench.q.ticket + 1;
}

static void drop_search(void)
{
    const void *on_device[] = {bench.q.codes, bench.q.start,  bench.q.length, bench.q.matrix,
                               bench.q.units, bench.q.scores, bench.q.wide,   bench.q.ticket};
    for (size_t i = 0; i < sizeof on_device / sizeof *on_device; i++)
        CHECK(cudaFree((void *)on_device[i]));
    free(bench.order);
    free(bench.units);
    bench.units = NULL;
    bench.q.unit_count = 0;
    free_sequences(&bench.list);
}

static long long open_problem(const char *file, long long size, unsigned long long seed)
{
    size_t letters = 0;
    read_problem(file, size, seed);
    bench.file = file;
    if (bench.generated) {
        snprintf(bench.path, sizeof bench.path, "/proc/self/fd/%d", fileno(bench.generated));
        bench.file = bench.path;
    }
    for (size_t i = 0; i < bench.list.count; i++)
        letters += bench.list.items[i].length;
    make_search();
    bench.found = (int *)pinned_memory(bench.pairs * sizeof *bench.found);
    return (long long)letters;
}

static void close_problem(void)
{
    drop_search();
    if (bench.generated)
        fclose(bench.generated);
    CHECK(cudaFreeHost(bench.found));
    free(bench.ranking);
    free(bench.expected);
    bench = {};
}

static double cells(void)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < bench.list.count; i++) {
        double n = (double)bench.list.items[i].length;
        sum += n;
        squares += n * n;
    }
    return (sum * sum - squares) / 2;
}

/* ---- the expected scores of pairs ---- */

/* Returns the pair of sequences whose score is scores[place]. */
static score_pair pair_at(size_t place)
{
    int x = 0, count = bench.q.sequences;
    while (x + 2 < count && score_index(x + 1, x + 2, count) <= place)
        x++;
    return {x, x + 1 + (int)(place - score_index(x, x + 1, count))};
}

static void expect(size_t number)
{
    score_pair pair = pair_at(number * bench.stride);
    const sequence *a = sorted(pair.x), *b = sorted(pair.y);
    row_best *rows = (row_best *)allocate(a->length * sizeof *rows);
    unsigned char *directions = (unsigned char *)allocate(direction_bytes(a->length, b->length));
    fill_sequential(a, b, &bench.scores, rows, directions);
    for (size_t i = 0; i < a->length; i++)
        if (rows[i].score > bench.expected[number])
            bench.expected[number] = rows[i].score;
    free(rows);
    free(directions);
}

/* Computes the expected score of every stride-th pair. The stride limits this to about 10^9 cells in all. */
static void reference(void)
{
    bench.stride = 1 + (size_t)(cells() / 1e9);
    bench.expected_count = (bench.pairs + bench.stride - 1) / bench.stride;
    bench.expected = (int *)allocate(bench.expected_count * sizeof *bench.expected);
    parallel_for(bench.expected_count, expect);
}

/* ---- a point ---- */

/* Gives the point as many blocks as can be resident, but no more blocks than there is work for. */
static void shape(struct point *p, int sm_count)
{
    bool narrow = p->variant->id != INT32;
    size_t work =
        narrow ? (size_t)bench.q.unit_count : (bench.pairs + 256 / SCORE_LANES - 1) / (256 / SCORE_LANES);
    int per_sm = narrow ? resident_blocks_per_sm(swat_scores_16, 256, SCORE_PROFILE_BYTES)
                        : resident_blocks_per_sm(swat_scores_32, 256, WIDE_BYTES);
    size_t resident = (size_t)(sm_count * per_sm);
    p->threads = 256;
    p->blocks = (unsigned)(work < resident ? work : resident);
}

/* Returns how many groups of 8 lanes have room in the borders' memory for a border of the longest sequence,
 * rounded down to whole warps. */
static int wide_groups(const struct point *p)
{
    size_t room = p->blocks * bench.q.pitch / bench.longest, groups = p->blocks * 256 / SCORE_LANES;
    return (int)((room < groups ? room : groups) / SCORE_GROUPS * SCORE_GROUPS);
}

static void prepare(const struct point *p)
{
    /* the memory for one block's borders must suffice for one warp of the 32-bit kernel */
    size_t least = SCORE_GROUPS * bench.longest;
    bench.q.pitch = bench.span + SCORE_MARGIN > least ? bench.span + SCORE_MARGIN : least;
    allocate_on_device(bench.q.borders, p->blocks * bench.q.pitch * sizeof *bench.q.borders);
    CHECK(cudaMemset(bench.q.scores, 0xff, bench.pairs * sizeof(int)));
    if (p->variant->id == INT32)
        make_pairs();
}

static void release(void)
{
    CHECK(cudaFree(bench.q.borders));
    CHECK(cudaFree(bench.all));
    bench.all = NULL;
}

static void run_wide(const struct point *p, ScoreSearch q)
{
    CHECK(launch(swat_scores_32, {p->blocks, 256, WIDE_BYTES, false, false}, harness_stream(), q,
                 wide_groups(p), bench.longest));
}

static void run_narrow(const struct point *p)
{
    CHECK(cudaMemsetAsync(bench.q.ticket, 0, 2 * sizeof(unsigned), harness_stream()));
    CHECK(launch(swat_scores_16, {p->blocks, 256, SCORE_PROFILE_BYTES, false, false}, harness_stream(),
                 bench.q));
    run_wide(p, bench.q);
}

static void run_from_file(const struct point *p)
{
    drop_search();
    read_fasta(bench.file, &bench.scores, &bench.list);
    make_search();
    run_narrow(p);
    CHECK(cudaMemcpyAsync(bench.found, bench.q.scores, bench.pairs * sizeof(int), cudaMemcpyDeviceToHost,
                          harness_stream()));
    CHECK(cudaStreamSynchronize(harness_stream()));
    free(bench.ranking);
    bench.ranking = rank_scores(bench.found, bench.pairs);
}

static void run(const struct point *p)
{
    static unsigned all; /* `all` is static, because a graph's node reads it after run() has returned */
    all = (unsigned)bench.pairs;
    if (p->variant->id == INT16_FILE)
        return run_from_file(p);
    if (p->variant->id == INT32) {
        ScoreSearch q = bench.q;
        q.wide = bench.all;
        CHECK(cudaMemcpyAsync(q.wide_count, &all, sizeof all, cudaMemcpyHostToDevice, harness_stream()));
        return run_wide(p, q);
    }
    run_narrow(p);
}

static struct verdict check(const struct point *p)
{
    struct verdict verdict = {true, 0, 0};
    CHECK(cudaMemcpy(bench.found, bench.q.scores, bench.pairs * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bench.expected_count; i++)
        verdict.wrong += bench.found[i * bench.stride] != bench.expected[i];
    verdict.compared = bench.expected_count;
    verdict.correct = verdict.wrong == 0;
    if (p->variant->id == INT16_FILE)
        verdict.correct = verdict.correct && is_ranking(bench.ranking, bench.found, bench.pairs);
    return verdict;
}

/* Writes a line for each pair, in the order of the input: both names and the score. */
static void write_answers(FILE *file)
{
    size_t count = bench.list.count;
    int *place = (int *)allocate(count * sizeof *place);
    for (size_t i = 0; i < count; i++)
        place[bench.order[i].number] = (int)i;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++) {
            int x = place[a] < place[b] ? place[a] : place[b], y = place[a] < place[b] ? place[b] : place[a];
            fprintf(file, "%s\t%s\t%d\n", bench.list.items[a].name, bench.list.items[b].name,
                    bench.found[score_index(x, y, bench.q.sequences)]);
        }
    free(place);
}

static double operations(const struct point *)
{
    return cells();
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_TEXT("matrix", "blosum62", &settings.matrix,
                       "blosum62, nucleotide, or a file in NCBI's format"),
        OPTION_OF_NUMBER("gap-open", 1, 10000, "11", &settings.gap_open, "cost of a gap's first letter"),
        OPTION_OF_NUMBER("gap-extend", 1, 10000, "1", &settings.gap_extend, "cost of each further letter"),
        OPTION_OF_NUMBER("median", 1, 100000, "300", &settings.median,
                         "median number of letters of a generated sequence"),
        {}};
    struct experiment e = {
        .name = "swat-scores",
        .question = "scores of Smith-Waterman alone, of all pairs: how many cells a second?",
        .variants = variants,
        .variant_count = VARIANTS,
        .options = options,
        .size_means = "letters in all generated sequences",
        .gpu_sizes = "1000000",
        .machine_sizes = "300",
        .gpu_runs = 3,
        .launches = {.shape = shape},
        .problem = {open_problem, close_problem, reference, NULL, write_answers},
    };
    return run_experiment(argc, argv, e);
}
