/*
 * Tables that are rows of formulas. Each line of a room's tables.txt is a word and its arguments. Cells of
 * a row are separated by " | ".
 *
 * table NAME | QUESTION | TITLE | NEEDS   begins a group of tables (report/tables.h)
 * table NAME                     begins rows that are added to a table of report/tables.c
 * style NAME COLOUR POINT        says how figures draw the variant (report/gnuplot.h); may stand anywhere
 * next                           begins a further table of the group
 * let NAME TEXT                  replaces $NAME by TEXT in the lines that follow, also within formulas
 * columns A B ... : FILE         makes a column for each of A, B, ... whose FILE, with $column, exists.
 *                                A cell of this column uses the first point of its FILE
 * columns FILE MEMBER            makes a column for each value that MEMBER has in the points of FILE. A cell
 *                                of this column uses the point of the row's variant that has the value
 * head CELL | ...                the table's head; may use the first point of the next loop
 * needs FILE[:VARIANT]           exits unless the folder has FILE, and FILE the VARIANT
 * each FILE [MEMBER=VALUE]...    repeats the rows that follow for each point of FILE that fits. They may use
 *                                $variant, $size, $blocks and $threads of the point, and $kind and $stem,
 *                                which are the variant's name before its first "-" and "+". *END fits a value
 *                                that ends in END
 * each FILE by variant           repeats these rows for each point, ordered by variant
 * each variant FILE              repeats these rows for each variant, with its first point
 * each variant but A of FILE...  repeats these rows for each $variant that any of the files has, sorted,
 *                                without a point; A, libraries and loops without barriers are left out
 * when measured FILE             skips the rows that follow if FILE was predicted; "when any" ends this
 * row CELL | ...                 a row
 * row? CELL | ...                a row that is left out unless a cell after the first has all of its numbers
 *
 * A cell is a text. "* TEXT" is repeated for each $column. Braces in a cell are computed:
 *
 * {FORMULA % DIGITS}             the value of a formula (report/formula.h), or "-" if it has none
 * {FORMULA % DIGITS UNIT}        the value followed by its unit
 * {FORMULA % DIGITS UNIT : TEXT} TEXT if the value is infinite, "always" if it is minus infinite
 * {FORMULA ? TEXT}               TEXT if the value is greater than 0
 * {line SLOPE ; CONSTANT}        "SLOPE n + CONSTANT", from two formulas
 * {how FILE}                     "measured" or "predicted"
 * {text FILE MEMBER}             a member of the result that is a text
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/formula.h"
#include "report/table.h"

/* A group of tables: the lines of tables.txt that belong to one table name. */
struct row_group {
    /* the arguments of the line `table NAME | QUESTION | TITLE | NEEDS` (report/tables.h) */
    const char *name, *question, *title, *needs;
    /* the group's lines in tables.txt, by their numbers: from `first` to `end` - 1 */
    size_t first, end;
};

/* Returns the groups of tables of all rooms, in the order of the rooms' names; *count becomes their
 * number. */
const struct row_group *row_groups(size_t *count);

void rows_print(const struct row_group *group, const char *folder, enum form form, FILE *file);

/* ---- report/cell.c: computes the text of a table's cell ---- */

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

/* Returns the text with each $name replaced by its text, also the $names within such a text, as a made text
 * (report/table.h). Unknown names stay as they are. */
const char *substituted(const struct scope *scope, const char *text);

/* Exits with EXIT_BAD_INPUT and a message that quotes `text`, a line or a cell of a table that cannot be
 * read. */
void refuse_row(const char *text) __attribute__((noreturn));

#endif
