#include "pairhmm/tasks.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HAPLOTYPES 12 /* largest number of haplotypes of a generated region */
#define MOST_LETTERS 100000

/* ---- building ---- */

static struct pairhmm_batch *begin_batch(struct pairhmm_tasks *t)
{
    t->batches = with_room(t->batches, sizeof *t->batches, t->batch_count, 1);
    struct pairhmm_batch *b = &t->batches[t->batch_count++];
    *b = (struct pairhmm_batch){
        .read_at = t->read_letters, .haplotype_at = t->haplotype_letters, .first = t->pair_count};
    return b;
}

static void end_batch(struct pairhmm_tasks *t)
{
    struct pairhmm_batch *b = &t->batches[t->batch_count - 1];
    b->read_letters = t->read_letters - b->read_at;
    b->haplotype_letters = t->haplotype_letters - b->haplotype_at;
    b->pairs = t->pair_count - b->first;
}

static struct read_letter *add_read(struct pairhmm_tasks *t, size_t length)
{
    t->reads = with_room(t->reads, sizeof *t->reads, t->read_letters, length);
    t->read_letters += length;
    return t->reads + t->read_letters - length;
}

static unsigned char *add_haplotype(struct pairhmm_tasks *t, size_t length)
{
    t->haplotypes = with_room(t->haplotypes, 1, t->haplotype_letters, length);
    t->haplotype_letters += length;
    return t->haplotypes + t->haplotype_letters - length;
}

static void add_pair(struct pairhmm_tasks *t, size_t read_at, size_t read_length, size_t haplotype_at,
                     size_t haplotype_length)
{
    t->pairs = with_room(t->pairs, sizeof *t->pairs, t->pair_count, 1);
    t->pairs[t->pair_count++] = (struct pairhmm_pair){(unsigned)read_at, (unsigned)haplotype_at,
                                                      (int)read_length, (int)haplotype_length};
}

/* ---- files ---- */

#define MOST_WORDS 8

/* Reads the next line that is not empty and cuts it into words; returns their number, or 0 at the end of the
 * file. */
static int next_words(struct lines *s, char *words[MOST_WORDS])
{
    while (lines_next(s)) {
        int count = 0;
        /* at a line's beginning, # begins a comment; elsewhere it is a quality (phred 2) */
        if (s->text[0] == '#')
            continue;
        for (char *word = strtok(s->text, " \t"); word; word = strtok(NULL, " \t")) {
            if (count == MOST_WORDS)
                fail(EXIT_BAD_INPUT, "%s:%zu: more than %d words", s->path, s->number, MOST_WORDS);
            words[count++] = word;
        }
        if (count)
            return count;
    }
    return 0;
}

static void check_bases(const struct lines *s, const char *word)
{
    size_t wrong = strspn(word, "ACGTNacgtn");
    if (word[wrong])
        fail(EXIT_BAD_INPUT, "%s:%zu: '%c' is no base", s->path, s->number, word[wrong]);
    if (strlen(word) > MOST_LETTERS)
        fail(EXIT_BAD_INPUT, "%s:%zu: more than %d bases", s->path, s->number, MOST_LETTERS);
}

static unsigned char phred(const struct lines *s, char c)
{
    if (c < '!' || c > '~')
        fail(EXIT_BAD_INPUT, "%s:%zu: '%c' is no quality", s->path, s->number, c);
    return (unsigned char)(c - '!');
}

/* Adds a read from words[0] to words[4], its letters and its four strings of qualities, which must have the
 * same length. */
static size_t take_read(const struct lines *s, struct pairhmm_tasks *t, char *const words[5])
{
    static const char *const names[] = {"read", "base quality", "insertion quality", "deletion quality",
                                        "gap continuation"};
    size_t length = strlen(words[0]);
    check_bases(s, words[0]);
    for (int w = 1; w < 5; w++)
        if (strlen(words[w]) != length)
            fail(EXIT_BAD_INPUT, "%s:%zu: the %s has %zu letters, the read %zu", s->path, s->number, names[w],
                 strlen(words[w]), length);
    struct read_letter *to = add_read(t, length);
    for (size_t i = 0; i < length; i++)
        to[i] =
            (struct read_letter){(unsigned char)toupper((unsigned char)words[0][i]), phred(s, words[1][i]),
                                 phred(s, words[2][i]), phred(s, words[3][i]), phred(s, words[4][i])};
    return length;
}

static size_t take_haplotype(const struct lines *s, struct pairhmm_tasks *t, const char *word)
{
    size_t length = strlen(word);
    check_bases(s, word);
    unsigned char *to = add_haplotype(t, length);
    for (size_t i = 0; i < length; i++)
        to[i] = (unsigned char)toupper((unsigned char)word[i]);
    return length;
}

static void take_pair(const struct lines *s, struct pairhmm_tasks *t, char *const *words, int count)
{
    if (count != 6 && count != 7)
        fail(EXIT_BAD_INPUT, "%s:%zu: %d words, not haplotype, read, four qualities and perhaps a result",
             s->path, s->number, count);
    size_t haplotype_at = t->haplotype_letters, read_at = t->read_letters;
    size_t haplotype = take_haplotype(s, t, words[0]), read = take_read(s, t, words + 1);
    add_pair(t, read_at, read, haplotype_at, haplotype);
}

static int whole_number(const struct lines *s, const char *word)
{
    long long value;
    if (!parse_whole(word, 1, MOST_LETTERS, &value))
        fail(EXIT_BAD_INPUT, "%s:%zu: \"%s\" is no number of reads or haplotypes", s->path, s->number, word);
    return (int)value;
}

static void next_line_of_region(struct lines *s, char *words[MOST_WORDS], int expected, const char *what)
{
    int count = next_words(s, words);
    if (!count)
        fail(EXIT_BAD_INPUT, "%s:%zu: the file ends where %s should be", s->path, s->number, what);
    if (count != expected)
        fail(EXIT_BAD_INPUT, "%s:%zu: %d words where %s should be", s->path, s->number, count, what);
}

struct span {
    size_t at, length;
};

static void take_region(struct lines *s, struct pairhmm_tasks *t, int reads, int haplotypes)
{
    char *words[MOST_WORDS];
    struct span *r = allocate((size_t)reads * sizeof *r), *h = allocate((size_t)haplotypes * sizeof *h);
    begin_batch(t);
    for (int i = 0; i < reads; i++) {
        next_line_of_region(s, words, 5, "a read with its four qualities");
        r[i].at = t->read_letters;
        r[i].length = take_read(s, t, words);
    }
    for (int i = 0; i < haplotypes; i++) {
        next_line_of_region(s, words, 1, "a haplotype");
        h[i].at = t->haplotype_letters;
        h[i].length = take_haplotype(s, t, words[0]);
    }
    for (int i = 0; i < reads; i++)
        for (int j = 0; j < haplotypes; j++)
            add_pair(t, r[i].at, r[i].length, h[j].at, h[j].length);
    end_batch(t);
    free(r);
    free(h);
}

void pairhmm_read_tasks(const char *path, struct pairhmm_tasks *out)
{
    struct lines s = lines_open(path);
    *out = (struct pairhmm_tasks){0};
    char *words[MOST_WORDS];
    int count = next_words(&s, words);
    if (!count)
        fail(EXIT_BAD_INPUT, "%s: there is no pair in it", path);
    bool regions = count == 2;
    if (!regions)
        begin_batch(out);
    for (; count; count = next_words(&s, words)) {
        if (regions && count != 2)
            fail(EXIT_BAD_INPUT, "%s:%zu: %d words where numbers of reads and haplotypes should be", path,
                 s.number, count);
        if (regions)
            take_region(&s, out, whole_number(&s, words[0]), whole_number(&s, words[1]));
        else
            take_pair(&s, out, words, count);
    }
    if (!regions)
        end_batch(out);
    lines_close(&s);
}

/* ---- generated ---- */

static int draw(struct random *random, struct length_range range)
{
    return range.low + (int)(random_unit(random) * (range.high - range.low + 1));
}

static unsigned char any_base(struct random *random)
{
    return (unsigned char)"ACGT"[random_next(random) % 4];
}

/* Generates a haplotype: the first one of the region with one base in fifty drawn anew. */
static void generate_haplotype(struct pairhmm_tasks *t, struct random *random, size_t first, size_t length)
{
    unsigned char *to = add_haplotype(t, length);
    for (size_t i = 0; i < length; i++) {
        bool like_first = to != t->haplotypes + first && random_unit(random) > 0.02;
        to[i] = like_first ? t->haplotypes[first + i] : any_base(random);
    }
}

/* Generates a read from a haplotype. Base qualities are as a sequencer gives them: high, falling towards the
 * end; gap qualities are GATK's defaults. */
static void generate_read(struct pairhmm_tasks *t, struct random *random, size_t haplotype,
                          size_t haplotype_length, size_t length)
{
    struct read_letter *to = add_read(t, length);
    size_t room = haplotype_length > length ? haplotype_length - length : 0;
    size_t from = haplotype + random_next(random) % (room + 1);
    for (size_t i = 0; i < length; i++) {
        int quality = 38 - (int)(random_next(random) % 6) - (int)(16 * i * i / (length * length));
        bool error = (double)(random_next(random) % 1000) < 1000 * 0.1 * (quality < 20);
        unsigned char base = i < haplotype_length ? t->haplotypes[from + i] : any_base(random);
        to[i] = (struct read_letter){error ? any_base(random) : base, (unsigned char)quality, 45, 45, 10};
    }
}

static void generate_batch(struct pairhmm_tasks *t, struct random *random, size_t pairs,
                           struct length_range reads, struct length_range haplotypes)
{
    size_t at[MOST_HAPLOTYPES], count = pairs < MOST_HAPLOTYPES ? pairs : MOST_HAPLOTYPES;
    begin_batch(t);
    for (size_t done = 0; done < pairs;) {
        size_t length = (size_t)draw(random, haplotypes), read_at = t->read_letters,
               first = t->haplotype_letters;
        for (size_t h = 0; h < count; h++) {
            at[h] = t->haplotype_letters;
            generate_haplotype(t, random, first, length);
        }
        for (int r = 0; r < 16 && done < pairs; r++, read_at = t->read_letters) {
            size_t read = (size_t)draw(random, reads);
            generate_read(t, random, at[random_next(random) % count], length, read);
            for (size_t h = 0; h < count && done < pairs; h++, done++)
                add_pair(t, read_at, read, at[h], length);
        }
    }
    end_batch(t);
}

void pairhmm_generate_tasks(size_t size, size_t batches, struct length_range reads,
                            struct length_range haplotypes, unsigned long long seed,
                            struct pairhmm_tasks *out)
{
    struct random random = {seed};
    *out = (struct pairhmm_tasks){0};
    for (size_t b = 0; b < batches; b++) {
        size_t pairs = batches == 1 ? size : 1 + random_next(&random) % (2 * size - 1);
        generate_batch(out, &random, pairs, reads, haplotypes);
    }
}

void pairhmm_free_tasks(struct pairhmm_tasks *tasks)
{
    free(tasks->reads);
    free(tasks->haplotypes);
    free(tasks->pairs);
    free(tasks->batches);
    *tasks = (struct pairhmm_tasks){0};
}
