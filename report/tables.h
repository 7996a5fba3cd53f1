/* The tables that can be made of a device's results. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/table.h"

#include <stdbool.h>

/*
 * A name of the command line, and what is printed for it: first the rows of formulas that the rooms' tables.txt have under
 * this name (report/rows.h), then what `print` prints. Each may be absent.
 */
struct tables {
    const char *name;
    const char *question; /* the question of the page that the tables help to answer, or "" */
    const char *title;
    const char *needs;               /* the results that they need (report/needs.h) */
    bool (*has)(const char *folder); /* decides instead of `needs` if it is not NULL */
    void (*print)(const char *folder, enum form form, FILE *file);
    const struct row_group *rows; /* or NULL if there are no rows of formulas */
};

/* The tables of single papers and programs, which report/papers/tables.c defines. */
extern const struct tables paper_tables[];
extern const size_t paper_tables_count;

/* All tables: those of papers, those of report/, and those that are rows of formulas alone. */
const struct tables *all_tables(size_t *count);

/* The tables of this name, or NULL if there are none. */
const struct tables *table_of_name(const char *name);

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file);

/* Whether the folder has the results that the tables need. */
bool table_is_possible(const struct tables *table, const char *folder);

#endif
