/*
 * Smith-Waterman of sequences that are too long to be simulated completely. A run fills a sample of the
 * anti-diagonals (--diagonals), which divide the matrix into equal parts with each sampled one in the middle
 * of its part; the host has filled the two preceding anti-diagonals, which the step needs. The reported time
 * is the time of the whole matrix: the time of a run, plus, for the rest of the matrix, a multiple of the
 * additional time of a run that fills the sample twice. So costs that occur once in a run, such as a launch,
 * count once.
 *
 * The program swat has the same step (swat/matrix/diagonals.cuh) and barriers, and verifies that the barriers
 * make its results right. This program cannot verify that, because no step of a sample needs results of
 * another step. For the same reason a step finds nothing in an L1 cache that another step left there: so
 * without fences a sample takes longer than its part of the whole matrix would; with fences it takes hardly
 * longer.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "harness/memory.h"
#include "harness/step_bench.cuh"
#include "harness/timer.h"
#include "swat/matrix/diagonals.cuh"
#include "swat/matrix/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* number of lines (three of H, two of E and two of F) from which an anti-diagonal is filled */
enum { LINES = 7 };

struct SwatSample {
    SwatStep step;
    /* number of the matrix's anti-diagonals divided by the number of steps of the sample, times 2^16 */
    unsigned long long part;
    int pitch; /* each step uses its own part of a line; the parts begin `pitch` elements apart */
    int steps; /* number of steps of the sample, which a run does once or twice */

    /* Returns the number of the anti-diagonal that step s fills: the one in the middle of the step's part of
     * the matrix. */
    __host__ __device__ int diagonal(int s) const
    {
        return 2 + (int)(((2 * (unsigned long long)s + 1) * part) >> 17);
    }
    __device__ void operator()(int s)
    {
        int place = s < steps ? s : s - steps;
        step.diagonal(diagonal(place), place * pitch);
    }
};

static struct {
    scoring scores;
    sequences list;
    size_t rows, direction_bytes;
    int steps_of_whole, steps;
    /* the lines of all steps, on the device; their values before a run, and their expected values after it */
    int *lines, *start_lines, *expected_lines;
    row_best *best, *start_best, *expected_best;
    unsigned char *directions, *expected_directions;
    SwatSample sample;
    step_bench<SwatSample> loop, twice;
    double twice_time;
} bench;

static int diagonals; /* the value of --diagonals: how many anti-diagonals a run fills */

/* Returns how many numbers a line has, for all steps together. */
static size_t line_length(void)
{
    return (size_t)bench.steps * (size_t)bench.sample.pitch;
}

/* Returns the addresses of the seven lines of H, E and F. In `all` the first one begins at `place`, and the
 * others follow at distances of `apart` numbers. */
static swat_lines lines_at(int *all, size_t apart, row_best *best, size_t place)
{
    swat_lines lines;
    for (size_t line = 0; line < LINES; line++)
        *(line < 3   ? &lines.h[line]
          : line < 5 ? &lines.e[line - 3]
                     : &lines.f[line - 5]) = all + line * apart + place;
    lines.best = best + place;
    return lines;
}

/* Returns the lines of one step, which are parts of the lines that hold all steps. */
static swat_lines lines_of(int *all, row_best *best, int step)
{
    return lines_at(all, line_length(), best, (size_t)step * (size_t)bench.sample.pitch);
}

static void copy_lines(const swat_lines *to, const swat_lines *from)
{
    size_t bytes = (bench.rows + 1) * sizeof(int);
    for (int line = 0; line < 3; line++)
        memcpy(to->h[line], from->h[line], bytes);
    for (int line = 0; line < 2; line++) {
        memcpy(to->e[line], from->e[line], bytes);
        memcpy(to->f[line], from->f[line], bytes);
    }
    memcpy(to->best, from->best, bench.rows * sizeof(row_best));
}

/* Computes the lines with which each step begins, and the lines that each step must leave. */
static void fill_start_lines(void)
{
    size_t pitch = (size_t)bench.sample.pitch;
    int *numbers = (int *)allocate(LINES * pitch * sizeof *numbers);
    row_best *best = (row_best *)allocate(pitch * sizeof *best);
    swat_lines now = lines_at(numbers, pitch, best, 0);
    const sequence *a = &bench.list.items[0], *b = &bench.list.items[1];
    for (int s = 0, filled = 1; s < bench.steps; s++) {
        int d = bench.sample.diagonal(s);
        fill_lines(&now, a, b, &bench.scores, filled + 1, d - 1);
        swat_lines start = lines_of(bench.start_lines, bench.start_best, s);
        copy_lines(&start, &now);
        fill_lines(&now, a, b, &bench.scores, d, d);
        swat_lines expected = lines_of(bench.expected_lines, bench.expected_best, s);
        copy_lines(&expected, &now);
        filled = d;
    }
    free(numbers);
    free(best);
}

static long long open_problem(const char *, long long size, unsigned long long seed)
{
    read_matrix("blosum62", &bench.scores);
    bench.scores.open = 11;
    bench.scores.extend = 1;
    if (size > 1 << 15)
        fail(EXIT_BAD_INPUT, "size %lld: matrices of up to 2^15 letters can be sampled", size);
    generate_sequences((size_t)size, seed, &bench.scores, &bench.list);
    const sequence *a = &bench.list.items[0], *b = &bench.list.items[1];
    bench.rows = a->length;
    bench.steps_of_whole = (int)(a->length + b->length) - 1;
    bench.steps = diagonals;
    if (diagonals > bench.steps_of_whole)
        fail(EXIT_BAD_INPUT, "--diagonals %d: a matrix of size %lld has only %d", diagonals, size,
             bench.steps_of_whole);
    if ((size + 1) * diagonals > INT_MAX)
        fail(EXIT_BAD_INPUT, "--diagonals %d: too many for size %lld", diagonals, size);
    SwatSample *sample = &bench.sample;
    sample->part = ((unsigned long long)bench.steps_of_whole << 16) / (unsigned)diagonals;
    sample->pitch = (int)bench.rows + 1;
    sample->steps = bench.steps;
    bench.direction_bytes = direction_bytes(bench.rows, b->length);
    bench.start_lines = (int *)allocate(LINES * line_length() * sizeof *bench.start_lines);
    bench.expected_lines = (int *)allocate(LINES * line_length() * sizeof *bench.expected_lines);
    bench.start_best = (row_best *)allocate(line_length() * sizeof *bench.start_best);
    bench.expected_best = (row_best *)allocate(line_length() * sizeof *bench.expected_best);
    bench.expected_directions = (unsigned char *)allocate(bench.direction_bytes);
    fill_start_lines();
    allocate_on_device(bench.lines, LINES * line_length() * sizeof *bench.lines);
    allocate_on_device(bench.best, line_length() * sizeof *bench.best);
    allocate_on_device(bench.directions, bench.direction_bytes);
    swat_lines first = lines_of(bench.lines, bench.best, 0);
    unsigned char *codes[2];
    for (int i = 0; i < 2; i++)
        codes[i] = (unsigned char *)copy_on_device(bench.list.items[i].codes, bench.list.items[i].length);
    int *scores = (int *)copy_on_device(bench.scores.score, sizeof bench.scores.score);
    sample->step = {codes[0],
                    codes[1],
                    scores,
                    {first.h[0], first.h[1], first.h[2]},
                    {first.e[0], first.e[1]},
                    {first.f[0], first.f[1]},
                    first.best,
                    bench.directions,
                    (int)a->length,
                    (int)b->length,
                    bench.scores.open,
                    bench.scores.extend};
    return size;
}

static void close_problem(void)
{
    CHECK(cudaFree((void *)bench.sample.step.a));
    CHECK(cudaFree((void *)bench.sample.step.b));
    CHECK(cudaFree((void *)bench.sample.step.scores));
    CHECK(cudaFree(bench.lines));
    CHECK(cudaFree(bench.best));
    CHECK(cudaFree(bench.directions));
    free(bench.start_lines);
    free(bench.expected_lines);
    free(bench.start_best);
    free(bench.expected_best);
    free(bench.expected_directions);
    free_sequences(&bench.list);
    bench = {};
}

/* Copies from the sequential matrix the expected directions of the sample's anti-diagonals; all other
 * expected directions stay zero. */
static void reference(void)
{
    row_best *best = (row_best *)allocate(bench.rows * sizeof *best);
    unsigned char *whole = (unsigned char *)allocate(bench.direction_bytes);
    fill_sequential(&bench.list.items[0], &bench.list.items[1], &bench.scores, best, whole);
    for (int s = 0; s < bench.steps; s++) {
        size_t pitch = direction_pitch(bench.rows), place = (size_t)(bench.sample.diagonal(s) - 2) * pitch;
        memcpy(bench.expected_directions + place, whole + place, pitch);
    }
    free(best);
    free(whole);
}

/* Returns the time of a run that fills the sample twice. An untimed run comes first, because a GPU loads a
 * kernel's code when the kernel first runs. */
static double time_twice(void)
{
    const int runs = device_is_machine() ? 1 : 16;
    if (runs > 1)
        steps_run(bench.twice.plan);
    timer_start();
    for (int i = 0; i < runs; i++)
        steps_run(bench.twice.plan);
    return timer_stop() / runs;
}

static void prepare(const struct point *point)
{
    CHECK(cudaMemcpy(bench.lines, bench.start_lines, LINES * line_length() * sizeof *bench.lines,
                     cudaMemcpyHostToDevice));
    CHECK(
        cudaMemcpy(bench.best, bench.start_best, line_length() * sizeof *bench.best, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bench.directions, 0, bench.direction_bytes));
    bench.loop.prepare(point, bench.sample, bench.steps);
    bench.twice.prepare(point, bench.sample, 2 * bench.steps);
    bench.twice_time = time_twice();
}

static void run(const struct point *)
{
    steps_run(bench.loop.plan);
}

static void release(void)
{
    bench.loop.release();
    bench.twice.release();
}

static unsigned long long wrong_best(void)
{
    unsigned long long wrong = 0;
    row_best *best = (row_best *)allocate(line_length() * sizeof *best);
    CHECK(cudaMemcpy(best, bench.best, line_length() * sizeof *best, cudaMemcpyDeviceToHost));
    for (size_t place = 0; place < line_length(); place++)
        wrong += best[place].score != bench.expected_best[place].score ||
                 best[place].column != bench.expected_best[place].column;
    free(best);
    return wrong;
}

/* Returns whether memory of the device differs from what is expected. Compares it in pieces that stay in a
 * CPU's cache, because the directions of a long matrix take hundreds of megabytes. */
static bool differ(const void *on_device, const void *expected, size_t bytes)
{
    const size_t most = 1 << 20;
    char *found = (char *)allocate(most);
    bool is_other = false;
    for (size_t at = 0, count; at < bytes && !is_other; at += count) {
        count = bytes - at < most ? bytes - at : most;
        CHECK(cudaMemcpy(found, (const char *)on_device + at, count, cudaMemcpyDeviceToHost));
        is_other = memcmp(found, (const char *)expected + at, count) != 0;
    }
    free(found);
    return is_other;
}

/* Compares the best cells of every step, all lines and all directions with the host's. `wrong` is the number
 * of wrong best cells, plus one if any line differs, plus one if any direction differs. */
static struct verdict check(const struct point *)
{
    struct verdict verdict = {true, wrong_best(), line_length() + 2};
    verdict.wrong += differ(bench.lines, bench.expected_lines, LINES * line_length() * sizeof *bench.lines);
    verdict.wrong += differ(bench.directions, bench.expected_directions, bench.direction_bytes);
    verdict.correct = verdict.wrong == 0;
    return verdict;
}

static int resident_blocks(const struct variant *variant, unsigned threads, long long size, int sm_count)
{
    return step_resident_blocks<SwatSample>(variant, threads, size, sm_count);
}

static double operations(const struct point *)
{
    return bench.steps_of_whole;
}

static double whole(double time)
{
    return time + (bench.twice_time - time) * (bench.steps_of_whole - bench.steps) / bench.steps;
}

int main(int argc, char **argv)
{
    static const struct extra_option options[] = {
        OPTION_OF_NUMBER("diagonals", 1, 1 << 16, "128", &diagonals, "anti-diagonals that a run fills"), {}};
    struct experiment e = {
        .name = "swat-sample",
        .sample_of = "swat",
        .question = "Smith-Waterman of long sequences under every barrier, by a sample of its anti-diagonals",
        .options = options,
        .size_means = "letters in each of the two generated sequences",
        .gpu_sizes = "4096",
        .machine_sizes = "4096",
        /* the number of threads of Xiao and Feng 2010 */
        .launches = {.threads = "256", .resident_blocks = resident_blocks},
        .problem = {.open = open_problem,
                    .close = close_problem,
                    .reference = reference,
                    .is_generated = true},
        .whole = whole,
    };
    make_step_experiment(&e, NULL, 0);
    return run_experiment(argc, argv, e);
}
