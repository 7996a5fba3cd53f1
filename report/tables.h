/* The list of tables that can be made of a device's results. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/arguments.h"

#include <stdbool.h>

/* Returns whether a folder has all results in `needs`. They are separated by blanks, alternatives by "|".
 * Each is a NAME as for result_open (report/results.h), or NAME:VARIANT, which stands for a result that has
 * points of this variant. */
bool folder_has(const char *folder, const char *needs);

/* The tables that `report NAME` prints: first those made of the rows of formulas that the rooms' tables.txt
 * have under this name (report/rows.h), then what `print` prints. Either may be missing. */
struct tables {
    const char *name;
    /* name of the question, on a device's page, that the tables help to answer, or "" */
    const char *question;
    const char *title;
    const char *needs; /* the results that the folder must have (folder_has) */
    /* Returns whether the folder has what the tables need. If it is not NULL, it decides instead of
     * `needs`. */
    bool (*has)(const char *folder);
    void (*print)(const char *folder, enum form form, FILE *file);
    /* the rows of formulas in the rooms' tables.txt, or NULL if there are none */
    const struct row_group *rows;
};

/* The list of tables that serve a single paper or program (report/papers/tables.c). */
extern const struct tables paper_tables[];
extern const size_t paper_tables_count;

/* Returns the list of all tables: first the tables defined in report/papers/, then in report/, then the
 * tables that are only rows in tables.txt. */
const struct tables *all_tables(size_t *count);

/* Returns the tables of this name, or NULL if there are none. */
const struct tables *table_of_name(const char *name);

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file);

/* Returns whether the folder has the results that the tables need. */
bool table_is_possible(const struct tables *table, const char *folder);

/* Returns whether kernels have changed since the folder's results were measured, as scripts/changed-kernels
 * found. Returns false if this is not known, because the folder is not committed or git was missing. */
bool has_changed_kernels(const char *folder);

/* The command `points`, for other programs: prints a row for each point of the device's results or of those
 * that are named, each with all of its sweeps: its variables; the median time of a run and its 95 % interval,
 * and the median time of an operation, in the options' unit (of a machine without a clock in time units, if
 * no unit is asked for); and whether its order is guaranteed and its answers were right. Exits with
 * EXIT_BAD_INPUT if a named result is absent. */
int print_points(struct arguments *arguments, FILE *file);

#endif
