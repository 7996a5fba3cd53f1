#include "align/sequences.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sequence *add_sequence(struct sequences *list, const char *name, size_t length)
{
    list->items = reallocate(list->items, (list->count + 1) * sizeof *list->items);
    struct sequence *s = &list->items[list->count++];
    *s = (struct sequence){.name = allocate(length + 1)};
    memcpy(s->name, name, length);
    s->name[length] = '\0';
    return s;
}

static void add_letter(struct sequence *s, unsigned char code)
{
    /* the capacity is 0 or a power of two, so the array is full when its length is such a number */
    if ((s->length & (s->length - 1)) == 0)
        s->codes = reallocate(s->codes, s->length ? 2 * s->length : 1);
    s->codes[s->length++] = code;
}

static void check_not_empty(const struct sequences *list, const char *path, size_t line)
{
    if (list->count && !list->items[list->count - 1].length)
        fail(EXIT_BAD_INPUT, "%s:%zu: the sequence %s has no letters", path, line,
             list->items[list->count - 1].name);
}

static void read_line(const char *line, const struct scoring *scoring, struct sequences *list,
                      const char *path, size_t number)
{
    if (line[0] == '>') {
        check_not_empty(list, path, number);
        add_sequence(list, line + 1, strcspn(line + 1, " \t\r\n"));
        return;
    }
    for (const char *c = line; *c; c++) {
        if (isspace((unsigned char)*c))
            continue;
        int code = letter_code(scoring, *c);
        /* selenocysteine has the code of cysteine, as in BLAST */
        if (code < 0 && toupper((unsigned char)*c) == 'U')
            code = letter_code(scoring, 'C');
        if (!list->count)
            fail(EXIT_BAD_INPUT, "%s:%zu: not FASTA: a name line (>) must come first", path, number);
        if (code < 0)
            fail(EXIT_BAD_INPUT, "%s:%zu: the matrix has no letter '%c'", path, number, *c);
        add_letter(&list->items[list->count - 1], (unsigned char)code);
    }
}

void read_fasta(const char *path, const struct scoring *scoring, struct sequences *out)
{
    struct lines lines = lines_open(path);
    *out = (struct sequences){NULL, 0};
    while (lines_next(&lines))
        read_line(lines.text, scoring, out, path, lines.number);
    lines_close(&lines);
    check_not_empty(out, path, lines.number);
    if (out->count < 2)
        fail(EXIT_BAD_INPUT, "%s: two or more sequences are needed, and there %s %zu", path,
             out->count == 1 ? "is" : "are", out->count);
}

unsigned char *padded_codes(const struct sequence *s)
{
    unsigned char *codes = allocate(s->length + (size_t)2 * PADDING);
    memset(codes, NO_LETTER, s->length + (size_t)2 * PADDING);
    memcpy(codes + PADDING, s->codes, s->length);
    return codes;
}

void free_sequences(struct sequences *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].codes);
    }
    free(list->items);
    *list = (struct sequences){NULL, 0};
}

static unsigned char random_letter(struct random *random, const struct scoring *scoring)
{
    return (unsigned char)(random_next(random) % (unsigned)scoring->common);
}

void generate_sequences(size_t length, unsigned long long seed, const struct scoring *scoring,
                        struct sequences *out)
{
    struct random random = {seed};
    *out = (struct sequences){NULL, 0};
    struct sequence *first = add_sequence(out, "first", 5);
    for (size_t i = 0; i < length; i++)
        add_letter(first, random_letter(&random, scoring));
    struct sequence *second = add_sequence(out, "second", 6);
    first = &out->items[0];
    for (size_t from = 0; second->length < length; from++) {
        unsigned chance = (unsigned)(random_next(&random) % 100);
        if (chance == 0)
            from += random_next(&random) % 8; /* a deletion */
        if (chance == 1 || chance > 79 || from >= length)
            add_letter(second, random_letter(&random, scoring)); /* an insertion or a substitution */
        else
            add_letter(second, first->codes[from]);
        if (chance == 1)
            from--;
    }
}

/* Returns a number with the standard normal distribution (Box and Muller 1958). */
static double random_normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * M_PI * random_unit(random));
}

void generate_database(size_t letters, size_t median, unsigned long long seed, const struct scoring *scoring,
                       struct sequences *out)
{
    struct random random = {seed};
    char name[32];
    *out = (struct sequences){NULL, 0};
    for (size_t left = letters; left > 0;) {
        double wanted = (double)median * exp(0.6 * random_normal(&random));
        /* the first sequence gets at most half of the letters, so that there are at least two sequences */
        size_t most = out->count ? left : (left + 1) / 2;
        size_t length = wanted < 1 ? 1 : wanted < (double)most ? (size_t)wanted : most;
        snprintf(name, sizeof name, "s%zu", out->count + 1);
        struct sequence *s = add_sequence(out, name, strlen(name));
        for (size_t i = 0; i < length; i++)
            add_letter(s, random_letter(&random, scoring));
        left -= length;
    }
}
