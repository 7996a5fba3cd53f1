/* Tasks for GATK's Smith-Waterman: read from files or generated. */
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "swat/batch/gatk.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR 100000000LL /* GATK raises scores below -FLOOR to this number */

static bool parse_scores(const char *text, struct sw_scores *out)
{
    int *const to[] = {&out->match, &out->mismatch, &out->open, &out->extend};
    char copy[128], *rest = copy;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    for (int i = 0; i < 4; i++) {
        const char *word = strsep(&rest, ",");
        long long value;
        if (!word || !parse_whole(word, INT_MIN, INT_MAX, &value))
            return false;
        *to[i] = (int)value;
    }
    return !rest;
}

struct sw_scores sw_read_scores(const char *text)
{
    static const struct {
        const char *name;
        struct sw_scores scores;
    } known[] = {{"NEW_SW", {200, -150, -260, -11}},
                 {"ALIGNMENT_TO_BEST_HAPLOTYPE", {10, -15, -30, -5}},
                 {"STANDARD_NGS", {25, -50, -110, -6}},
                 {"ORIGINAL_DEFAULT", {3, -1, -4, -3}}};
    struct sw_scores scores;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0)
            return known[i].scores;
    if (!parse_scores(text, &scores))
        fail(EXIT_BAD_INPUT,
             "--scores must be NEW_SW, ALIGNMENT_TO_BEST_HAPLOTYPE, STANDARD_NGS, ORIGINAL_DEFAULT or "
             "MATCH,MISMATCH,OPEN,EXTEND, not \"%s\"",
             text);
    return scores;
}

static const char *const strategies[] = {"SOFTCLIP", "INDEL", "LEADING_INDEL", "IGNORE"};

static bool parse_strategy(const char *text, enum overhang *out)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(text, strategies[i]) == 0) {
            *out = (enum overhang)i;
            return true;
        }
    return false;
}

enum overhang sw_read_strategy(const char *text)
{
    enum overhang strategy;
    if (!parse_strategy(text, &strategy))
        fail(EXIT_BAD_INPUT, "--strategy must be SOFTCLIP, INDEL, LEADING_INDEL or IGNORE, not \"%s\"", text);
    return strategy;
}

/* ---- building ---- */

/* Adds a batch of the tasks first..end - 1, with the letters letter_at..letter_end - 1. */
static void add_batch(struct sw_tasks *t, size_t letter_at, size_t letter_end, size_t first, size_t end)
{
    t->batches = with_room(t->batches, sizeof *t->batches, t->batch_count, 1);
    t->batches[t->batch_count++] = (struct sw_batch){letter_at, letter_end - letter_at, first, end - first};
}

static void begin_batch(struct sw_tasks *t)
{
    add_batch(t, t->letter_count, t->letter_count, t->task_count, t->task_count);
}

static void end_batch(struct sw_tasks *t)
{
    struct sw_batch *b = &t->batches[t->batch_count - 1];
    b->letters = t->letter_count - b->letter_at;
    b->tasks = t->task_count - b->first;
}

static unsigned char *add_letters(struct sw_tasks *t, size_t length)
{
    t->letters = with_room(t->letters, 1, t->letter_count, length);
    t->letter_count += length;
    return t->letters + t->letter_count - length;
}

static void add_task(struct sw_tasks *t, size_t reference_at, size_t reference, size_t alternate_at,
                     size_t alternate, struct sw_scores scores, enum overhang strategy)
{
    t->tasks = with_room(t->tasks, sizeof *t->tasks, t->task_count, 1);
    t->tasks[t->task_count++] = (struct sw_task){
        (unsigned)reference_at, (unsigned)alternate_at, (int)reference, (int)alternate, scores, strategy};
}

/* ---- files ---- */

static int magnitude(struct sw_scores s)
{
    int most = 0, all[] = {s.match, s.mismatch, s.open, s.extend};
    for (int i = 0; i < 4; i++) {
        if (all[i] > FLOOR || all[i] < -FLOOR)
            return INT_MAX;
        most = abs(all[i]) > most ? abs(all[i]) : most;
    }
    return most;
}

static void check_floor(const char *path, size_t line, size_t letters, struct sw_scores scores)
{
    if ((long long)letters * magnitude(scores) >= FLOOR)
        fail(EXIT_BAD_INPUT, "%s:%zu: %zu letters with these scores could reach -1e8, where GATK cuts off",
             path, line, letters);
}

/* The letters of nucleotides, and the letters that stand for one of several nucleotides (IUPAC-IUB 1984). */
#define NUCLEOTIDES "ACGTUNRYSWKMBDHV"

static size_t take_sequence(struct sw_tasks *t, const char *path, size_t line, const char *text)
{
    size_t length = strlen(text);
    if (!length)
        fail(EXIT_BAD_INPUT, "%s:%zu: a sequence without letters", path, line);
    unsigned char *to = add_letters(t, length);
    for (size_t i = 0; i < length; i++) {
        to[i] = (unsigned char)toupper((unsigned char)text[i]);
        if (!strchr(NUCLEOTIDES, to[i]))
            fail(EXIT_BAD_INPUT, "%s:%zu: '%c' is no nucleotide; # begins a line that is none of sequences",
                 path, line, text[i]);
    }
    return length;
}

#define MOST_COLUMNS 32

static void take_line(struct sw_tasks *t, const char *path, size_t number, char *line,
                      struct sw_scores scores, enum overhang strategy)
{
    char *columns[MOST_COLUMNS] = {NULL};
    int count = 0;
    for (char *at = line; at && count < MOST_COLUMNS;)
        columns[count++] = strsep(&at, "\t");
    if (count != 2 && count < 7)
        fail(EXIT_BAD_INPUT,
             "%s:%zu: %d columns, not reference and alternate, with four scores and a strategy or nothing",
             path, number, count);
    if (count >= 7) {
        int *const to[] = {&scores.match, &scores.mismatch, &scores.open, &scores.extend};
        for (int i = 0; i < 4; i++) {
            char *end;
            long value = strtol(columns[2 + i], &end, 10);
            if (*end || end == columns[2 + i] || value > FLOOR || value < -FLOOR)
                fail(EXIT_BAD_INPUT, "%s:%zu: \"%s\" is no score", path, number, columns[2 + i]);
            *to[i] = (int)value;
        }
        if (!parse_strategy(columns[6], &strategy))
            fail(EXIT_BAD_INPUT, "%s:%zu: \"%s\" is no strategy", path, number, columns[6]);
    }
    size_t reference_at = t->letter_count, reference = take_sequence(t, path, number, columns[0]);
    size_t alternate_at = t->letter_count, alternate = take_sequence(t, path, number, columns[1]);
    check_floor(path, number, reference + alternate, scores);
    add_task(t, reference_at, reference, alternate_at, alternate, scores, strategy);
}

void sw_read_tasks(const char *path, struct sw_scores scores, enum overhang strategy, struct sw_tasks *out)
{
    struct lines lines = lines_open(path);
    *out = (struct sw_tasks){0};
    begin_batch(out);
    while (lines_next(&lines))
        if (lines.text[0] && lines.text[0] != '#')
            take_line(out, path, lines.number, lines.text, scores, strategy);
    lines_close(&lines);
    end_batch(out);
    if (!out->task_count)
        fail(EXIT_BAD_INPUT, "%s: there is no pair of sequences in it", path);
}

/* ---- generated ---- */

static unsigned char any_base(struct random *random)
{
    return (unsigned char)"ACGT"[random_next(random) % 4];
}

static size_t draw(struct random *random, struct length_range range)
{
    return (size_t)range.low + random_next(random) % (size_t)(range.high - range.low + 1);
}

static void generate_task(struct sw_tasks *t, struct random *random, size_t reference, size_t alternate,
                          struct sw_scores scores, enum overhang strategy)
{
    size_t at = t->letter_count;
    unsigned char *letters = add_letters(t, reference + alternate);
    for (size_t i = 0; i < reference; i++)
        letters[i] = any_base(random);
    size_t from = reference > alternate ? random_next(random) % (reference - alternate + 1) : 0;
    for (size_t j = 0; j < alternate; j++, from++) {
        if (random_next(random) % 250 == 0)
            from += random_next(random) % 8; /* a deletion */
        bool like_reference = from < reference && random_next(random) % 200 != 0;
        letters[reference + j] = like_reference ? letters[from] : any_base(random);
        if (random_next(random) % 250 == 0 && from >= 4)
            from -= random_next(random) % 4; /* an insertion */
    }
    add_task(t, at, reference, at + reference, alternate, scores, strategy);
}

void sw_generate_tasks(size_t size, size_t batches, struct length_range references,
                       struct length_range alternates, struct sw_scores scores, enum overhang strategy,
                       unsigned long long seed, struct sw_tasks *out)
{
    struct random random = {seed};
    *out = (struct sw_tasks){0};
    check_floor("--lengths", 1, (size_t)(references.high + alternates.high), scores);
    for (size_t b = 0; b < batches; b++) {
        size_t tasks = batches == 1 ? size : 1 + random_next(&random) % (2 * size - 1);
        begin_batch(out);
        for (size_t i = 0; i < tasks; i++)
            generate_task(out, &random, draw(&random, references), draw(&random, alternates), scores,
                          strategy);
        end_batch(out);
    }
}

void sw_free_tasks(struct sw_tasks *tasks)
{
    free(tasks->letters);
    free(tasks->tasks);
    free(tasks->batches);
    *tasks = (struct sw_tasks){0};
}
