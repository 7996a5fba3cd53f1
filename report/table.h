/* Tables whose cells are texts, and functions that print them as text, CSV, Markdown, JSON or
 * HTML. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_JSON, FORM_HTML, FORM_CSV };

/* form_of returns the output form with this name ("table" and "text" are the same form), and exits with
 * EXIT_BAD_INPUT for an unknown name. is_form returns whether the name is known. */
enum form form_of(const char *name);

bool is_form(const char *name);

/* Returns whether the form is meant for programs (JSON, CSV): then only tables are printed, without
 * sentences. */
bool is_for_programs(enum form form);

/* A table; its first row is the head. A table without rows is {0}. */
struct table {
    struct row {
        char **cells;
        size_t count;
    } * rows;
    size_t count;
};

/* table_row begins an empty row at the end of the table; table_drop_row removes the last row. */
void table_row(struct table *table);
void table_drop_row(struct table *table);

/*
 * table_cells adds cells to the last row, and table_add adds a row with these cells. `format` has the cells,
 * separated by " | ", with printf's conversions; of its flags only one "*" in a conversion. Here "%.2F" is a
 * number with at most two digits after the decimal point, or "-" if it is not finite.
 */
void table_cells(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the table, but in JSON only notes it: table_finish prints the noted tables as one document, which is
 * an array of rows or, if there are several tables, an array of such arrays. A row is an object whose members
 * have the names of the columns. An interval becomes an array of its ends, a number with a unit or an
 * interval an object with "value" and "unit" or "interval", and "-" null. CSV has the same columns. */
void table_print(const struct table *table, enum form form, FILE *file);
void table_finish(FILE *file);

/* Prints each row but the head as a record, for tables with long cells: the first cell, then a line "HEAD:
 * CELL" for each other cell that is not "-". Lines have at most `width` columns, unless a word is longer. */
void table_print_records(const struct table *table, int width, FILE *file);
void table_free(struct table *table);
/* Prints the table and frees it. */
void table_end(struct table *table, enum form form, FILE *file);

/* Returns what printf would print, with the conversions of table_cells. The text stays until made_forget() or
 * the end of the program, so that nobody needs to know how long another function uses it; a run makes some
 * megabytes of such texts. */
const char *made(const char *format, ...) __attribute__((format(printf, 1, 2)));
void made_forget(void);

/* A list of texts, which stay as made ones do; who gets the list frees `items`. */
struct texts {
    const char **items;
    size_t count;
};
void texts_add(struct texts *texts, const char *text);

/* Returns the text with the plain name of a method in place of each paper's name for it, as a made text. */
const char *named_plainly(const char *text);

/* Compares two numbers, or two structs that begin with a number, as qsort needs it. */
int compare_numbers(const void *a, const void *b);

/* Returns the place of the word, which has `length` characters, in a list of words that `separator`
 * separates, or -1 if it is not there. `list` may be NULL, which has no words. */
int place_in(const char *list, char separator, const char *word, size_t length);

/* Prints a text as HTML: replaces the characters that HTML reserves, and leaves out control characters. */
void print_html(FILE *file, const char *text);
/* Prints HTML as fprintf does. It escapes each text of a conversion %s as print_html does, and has the other
 * conversions of table_cells. */
void html(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads text files with rows of cells that are separated by tabs, such as those in tools/bugs/measured/,
 * tools/blind/ and results/papers/. */

#define TSV_CELLS 8

struct tsv {
    char *path;
    char *heading; /* the file's heading: the text of the last line that begins with "# ", or "" */
    struct tsv_row {
        char *cells[TSV_CELLS]; /* the row's cells; a cell that the row lacks is "" */
    } * rows;                   /* the rows, sorted by their first cell */
    size_t count;
};

/* Returns the contents of the file STEM.tsv. They stay in memory. Exits with
 * EXIT_BAD_INPUT if the file cannot be read or has a row with more than TSV_CELLS cells. */
const struct tsv *tsv_need(const char *stem);

/* Returns the first row whose first cell is `name`, searching from row number `from` on, or NULL if there is
 * none. */
const struct tsv_row *tsv_find(const struct tsv *tsv, const char *name, size_t from);

/* Returns the cell number `cell` of the row as a number. Exits with EXIT_BAD_INPUT if the cell is not a
 * number. */
double tsv_number(const struct tsv_row *row, size_t cell);

#endif
