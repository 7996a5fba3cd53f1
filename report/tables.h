/* The tables that a device's results make beside the papers' numbers. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/table.h"

#include <stdbool.h>

/*
 * A group of tables: its name on the command line, the question of the page that it helps to answer ("": none), its title,
 * and the results that it needs: separated by blanks, alternatives by "|", a name (report/results.h) or NAME:VARIANT of a
 * result with that variant; `has` decides instead where a list cannot. First come rows of formulas (report/rows.h), if it
 * has any, then what `print` prints.
 */
struct tables {
    const char *name, *question, *title, *needs;
    bool (*has)(const char *folder);
    void (*print)(const char *folder, enum form form, FILE *file);
    size_t rows_first, rows_end; /* their lines */
};
const struct tables *all_tables(size_t *count);

/* NULL: there is none of this name. */
const struct tables *table_of_name(const char *name);

void print_tables_of(const struct tables *table, const char *folder, enum form form, FILE *file);

/* Has the folder what the table needs? */
bool table_is_possible(const struct tables *table, const char *folder);

void print_claims(const char *folder, enum form form, FILE *file);     /* claims.c */
void print_causes(const char *folder, enum form form, FILE *file);     /* causes.c */
void print_best(const char *folder, enum form form, FILE *file);       /* best.c */
void print_micro(const char *folder, enum form form, FILE *file);      /* micro.c, below its rows */
void print_residency(const char *folder, enum form form, FILE *file);  /* residency.c */
void print_shuffle(const char *folder, enum form form, FILE *file);    /* shuffle.c */
void print_litmus(const char *folder, enum form form, FILE *file);     /* litmus.c */
void print_weak_seeds(const char *folder, enum form form, FILE *file); /* weak_memory.c, these two */
void print_weak_cost(const char *folder, enum form form, FILE *file);
void print_bounds(const char *folder, enum form form, FILE *file);   /* study.c */
void print_fidelity(const char *folder, enum form form, FILE *file); /* fidelity.c */
void print_worst_predictions(const char *folder, enum form form, FILE *file);
void print_instructions(const char *folder, enum form form, FILE *file); /* instructions.c */

/* Of a machine: a file of machine/presets. */
void print_constants(const char *path, enum form form, FILE *file); /* constants.c */

#endif
