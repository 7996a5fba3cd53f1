#include "align/scoring.h"
#include "base/failure.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BLOSUM62 (Henikoff and Henikoff 1992), the lower triangle: the scores of each letter against the letters
 * before it and itself. */
static const char blosum62_letters[] = "ARNDCQEGHILKMFPSTWYVBZX*";
/* clang-format off */
static const signed char blosum62[] = {
    4, /* A */
    -1, 5, /* R */
    -2, 0, 6, /* N */
    -2, -2, 1, 6, /* D */
    0, -3, -3, -3, 9, /* C */
    -1, 1, 0, 0, -3, 5, /* Q */
    -1, 0, 0, 2, -4, 2, 5, /* E */
    0, -2, 0, -1, -3, -2, -2, 6, /* G */
    -2, 0, 1, -1, -3, 0, 0, -2, 8, /* H */
    -1, -3, -3, -3, -1, -3, -3, -4, -3, 4, /* I */
    -1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, /* L */
    -1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, /* K */
    -1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, /* M */
    -2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, /* F */
    -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, /* P */
    1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, /* S */
    0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, /* T */
    -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, /* W */
    -2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, /* Y */
    0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4, /* V */
    -2, -1, 3, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4, /* B */
    -1, 0, 0, 1, -3, 3, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -3, -2, -2, 1, 4, /* Z */
    0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0, 0, -2, -1, -1, -1, -1, -1, /* X */
    -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1, /* * */
};
/* clang-format on */

static void fill_blosum62(struct scoring *out)
{
    const signed char *value = blosum62;
    snprintf(out->letters, sizeof out->letters, "%s", blosum62_letters);
    out->count = (int)strlen(blosum62_letters);
    out->common = 20;
    for (int a = 0; a < out->count; a++)
        for (int b = 0; b <= a; b++)
            out->score[a * SCORING_LETTERS + b] = out->score[b * SCORING_LETTERS + a] = *value++;
}

static void fill_nucleotide(struct scoring *out)
{
    snprintf(out->letters, sizeof out->letters, "ACGTN");
    out->count = 5;
    out->common = 4;
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            out->score[a * SCORING_LETTERS + b] = a == 4 && b == 4   ? -1
                                                  : a == 4 || b == 4 ? -2
                                                  : a == b           ? 5
                                                                     : -4;
}

int letter_code(const struct scoring *scoring, char letter)
{
    const char *place = letter ? strchr(scoring->letters, toupper((unsigned char)letter)) : NULL;
    return place ? (int)(place - scoring->letters) : -1;
}

/* Reads the line of a matrix file that has the letters of the columns. */
static void read_letters(char *line, struct scoring *out, const char *path, size_t number)
{
    for (char *word = strtok(line, " \t\r\n"); word; word = strtok(NULL, " \t\r\n")) {
        if (strlen(word) != 1 || out->count == SCORING_LETTERS || letter_code(out, *word) >= 0)
            fail(EXIT_BAD_INPUT, "%s:%zu: the first line must name up to %d different letters", path, number,
                 SCORING_LETTERS);
        out->letters[out->count++] = (char)toupper((unsigned char)*word);
    }
}

/* Reads a row of a matrix file: a letter and its scores against the letters of the columns. */
static void read_row(char *line, struct scoring *out, const char *path, size_t number)
{
    char *word = strtok(line, " \t\r\n");
    int row = strlen(word) == 1 ? letter_code(out, *word) : -1, column = 0;
    if (row < 0)
        fail(EXIT_BAD_INPUT, "%s:%zu: \"%s\" is no letter of the first line", path, number, word);
    if (out->has_row[row])
        fail(EXIT_BAD_INPUT, "%s:%zu: a second row of %c", path, number, out->letters[row]);
    out->has_row[row] = true;
    while ((word = strtok(NULL, " \t\r\n"))) {
        long long value;
        if (!parse_whole(word, -10000, 10000, &value) || column == out->count)
            fail(EXIT_BAD_INPUT, "%s:%zu: %s", path, number,
                 column == out->count ? "more scores than letters"
                                      : "a score is no whole number within 10000");
        out->score[row * SCORING_LETTERS + column++] = (int)value;
    }
    if (column != out->count)
        fail(EXIT_BAD_INPUT, "%s:%zu: %d scores for %d letters", path, number, column, out->count);
}

static void read_file(const char *path, struct scoring *out)
{
    if (access(path, R_OK) != 0)
        fail(EXIT_BAD_INPUT, "--matrix: neither blosum62 nor nucleotide nor a readable file: %s", path);
    struct lines lines = lines_open(path);
    int rows = 0;
    while (lines_next(&lines)) {
        if (lines.text[0] == '#' || lines.text[strspn(lines.text, " \t\r")] == '\0')
            continue;
        if (!out->count)
            read_letters(lines.text, out, path, lines.number);
        else
            read_row(lines.text, out, path, lines.number), rows++;
    }
    lines_close(&lines);
    if (!rows || rows != out->count)
        fail(EXIT_BAD_INPUT, "%s: %d rows for %d letters", path, rows, out->count);
    out->common = out->count;
}

void read_matrix(const char *name, struct scoring *out)
{
    *out = (struct scoring){.count = 0};
    if (strcmp(name, "blosum62") == 0)
        fill_blosum62(out);
    else if (strcmp(name, "nucleotide") == 0)
        fill_nucleotide(out);
    else
        read_file(name, out);
}
