/* Tables of texts, and their forms. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON, FORM_HTML };

/* "text", "markdown", "json" or "html"; exits with EXIT_BAD_INPUT for another. */
enum form form_of(const char *name);

/* Rows of cells; the first row is the head. {0} is an empty one. */
struct table {
    struct row {
        char **cells;
        size_t count;
    } * rows;
    size_t count;
};

void table_row(struct table *table);      /* begins a row */
void table_drop_row(struct table *table); /* takes the last one back */

/* Adds a cell to the last row: a text as printf makes it; a number with at most so many digits
 * behind the point, "-" for NaN. */
void table_text(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(struct table *table, double value, int digits);

void table_print(const struct table *table, enum form form, FILE *file);
void table_free(struct table *table);

/* The number as table_number shows it, into text; returns text. */
char *fixed(char text[32], double value, int digits);

/* A text with what HTML reserves replaced; with control characters left out. */
void print_html(FILE *file, const char *text);

#endif
