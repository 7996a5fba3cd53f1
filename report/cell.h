/*
 * The text of a table's cell, with what stands in braces computed (report/rows.h has the language).
 */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "report/formula.h"

/* What cells may speak of: $names, and what formulas do. {.sources = {.folder = ...}} to begin with. */
#define MOST_NAMES 24
struct scope {
    struct sources sources;
    struct name {
        char name[24], text[512];
    } names[MOST_NAMES];
    size_t name_count;
};

/* From here on $name is the text. */
void name_is(struct scope *scope, const char *name, const char *text);

#define CELL_BYTES 2048
struct cell {
    char text[CELL_BYTES];
    bool has_all_numbers; /* and at least one */
    size_t numbers;
};
struct cell cell_of(struct scope *scope, const char *text);

/* Appends the text with its $names replaced, and names in what they are. */
void substitute(const struct scope *scope, const char *text, char *out, size_t bytes);

/* Exits with EXIT_BAD_INPUT: this line or cell of a table cannot be read. */
void refuse_row(const char *text) __attribute__((noreturn));

#endif
