/*
 * Tables that are rows of formulas. A tables.txt, in the room of what it shows, has lines of words and of cells, which
 * " | " separates:
 *
 *     table NAME | QUESTION | TITLE | NEEDS    a group of tables begins (report/tables.h)
 *     style NAME COLOUR POINT                  how figures draw the variant NAME (report/styles.h); may stand anywhere
 *     next                                     a further table of the group
 *     let NAME TEXT                            $NAME is TEXT from here on, also within formulas
 *     columns A B ... : FILE                   cells with a star are repeated for each of A, B, ... whose FILE, a name with
 *                                              $column in it, is there; its first point is the cell's
 *     columns FILE MEMBER                      or each value that MEMBER has in the points of FILE
 *     head CELL | ...                          the table's head; it may speak of the next loop's first point
 *     each FILE [MEMBER=VALUE]...              the rows behind it are repeated for each such point, which is theirs:
 *                                              $variant, $size, $blocks, $threads; $kind and $stem: the variant's name
 *                                              before its first "-" and "+". VALUE may be *END: what ends in END
 *     each FILE by variant                     the points of one variant after those of another
 *     each variant FILE                        repeated for each variant, with its first point
 *     each variant but A of FILE...            repeated for each $variant that any of the files has, sorted; A, libraries
 *                                              and loops without barriers are left out. It has no point
 *     when measured FILE                       row lines behind it are left out if FILE is predicted; "when any" ends it
 *     row CELL | ...
 *     row? CELL | ...                          left out unless a cell behind the first has all of its numbers
 *
 * A cell is a text; "* TEXT" is repeated for each column, $column. In braces in it:
 *
 *     {FORMULA % DIGITS}                       its value (report/formula.h), "-" if there is none
 *     {FORMULA % DIGITS UNIT}                  with the unit behind it, if there is one
 *     {FORMULA % DIGITS UNIT : TEXT}           TEXT if it is infinite; "always" if minus infinite
 *     {FORMULA ? TEXT}                         TEXT if it is more than 0
 *     {line SLOPE ; CONSTANT}                  "SLOPE n + CONSTANT" of two formulas
 *     {how FILE}                               "measured" or "predicted"
 *     {text FILE MEMBER}                       a member of the result that is a text
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "report/table.h"

/* The lines of one table name. */
struct row_group {
    const char *name, *question, *title, *needs; /* of the line `table` (report/tables.h) */
    size_t first, end;                           /* places of the lines: from `first`, up to before `end` */
};

/* The groups of all rooms, in the order of the rooms' names. */
const struct row_group *row_groups(size_t *count);

void rows_print(const struct row_group *group, const char *folder, enum form form, FILE *file);

#endif
