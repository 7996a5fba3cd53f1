/* Computes the text of a table's cell (report/rows.h describes the language). */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "report/formula.h"

/* largest number of $names in a struct scope. The struct holds what a cell may use: $names, and the results
 * that formulas read. It is initialized as {.sources = {.folder = ...}}. */
#define MOST_NAMES 24
struct scope {
    struct sources sources;
    struct name {
        char name[24], text[512];
    } names[MOST_NAMES];
    size_t name_count;
};

/* Sets the text that replaces the word $NAME in cells, where NAME is `name`. */
void name_is(struct scope *scope, const char *name, const char *text);

#define CELL_BYTES 2048
struct cell {
    char text[CELL_BYTES];
    bool has_all_numbers; /* the cell has at least one number, and each of its numbers has a finite value */
    size_t numbers;
};
struct cell cell_of(struct scope *scope, const char *text);

/* Appends `text` to `out` and replaces each $name by its text, also the $names within such a text. */
void substitute(const struct scope *scope, const char *text, char *out, size_t bytes);

/* Exits with EXIT_BAD_INPUT and a message that quotes `text`, a line or a cell of a table that cannot be
 * read. */
void refuse_row(const char *text) __attribute__((noreturn));

#endif
