/* The tables that can be made of a device's results. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/table.h"

#include <stdbool.h>

/* A name of the command line and its tables. First the rows of formulas are printed that the rooms'
 * tables.txt have under this name (report/rows.h), then `print` prints more. Each may be absent. */
struct tables {
    const char *name;
    const char *question; /* the question of the page that the tables help to answer, or "" */
    const char *title;
    const char *needs; /* the results that the tables need (report/needs.h) */
    /* whether the folder has what the tables need; replaces `needs` if it is not NULL */
    bool (*has)(const char *folder);
    void (*print)(const char *folder, enum form form, FILE *file);
    const struct row_group *rows; /* the rows of formulas, or NULL if there are none */
};

/* The tables of single papers and programs, which report/papers/tables.c defines. */
extern const struct tables paper_tables[];
extern const size_t paper_tables_count;

/* Returns all tables: those of report/papers/, those of report/, and those of rows alone. */
const struct tables *all_tables(size_t *count);

/* Returns the tables of this name, or NULL if there are none. */
const struct tables *table_of_name(const char *name);

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file);

/* Whether the folder has the results that the tables need. */
bool table_is_possible(const struct tables *table, const char *folder);

#endif
