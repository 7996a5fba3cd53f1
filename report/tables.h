/* The tables that a device's results make beside the papers' numbers. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/table.h"

#include <stdbool.h>

/*
 * A group of tables: its name on the command line, its title, the results that it needs, and what prints it. `needs`:
 * separated by blanks, alternatives by "|": a name (report/results.h), or NAME:VARIANT of a result with that variant.
 * `has` decides instead where a list cannot.
 */
struct tables {
    const char *name, *title, *needs;
    bool (*has)(const char *folder);
    void (*print)(const char *folder, enum form form, FILE *file);
};
extern const struct tables all_tables[];
extern const size_t all_tables_count;

/* Has the folder what the table needs? */
bool table_is_possible(const struct tables *table, const char *folder);

void print_claims(const char *folder, enum form form, FILE *file);       /* claims.c */
void print_causes(const char *folder, enum form form, FILE *file);       /* causes.c */
void print_best(const char *folder, enum form form, FILE *file);         /* best.c */
void print_micro(const char *folder, enum form form, FILE *file);        /* micro.c */
void print_steps(const char *folder, enum form form, FILE *file);        /* steps.c */
void print_fine_grained(const char *folder, enum form form, FILE *file); /* fine_grained.c */
void print_hops(const char *folder, enum form form, FILE *file);         /* dependency.c, these four */
void print_hop_partners(const char *folder, enum form form, FILE *file);
void print_hop_bytes(const char *folder, enum form form, FILE *file);
void print_layers(const char *folder, enum form form, FILE *file);
void print_residency(const char *folder, enum form form, FILE *file);  /* residency.c */
void print_shuffle(const char *folder, enum form form, FILE *file);    /* shuffle.c */
void print_sum(const char *folder, enum form form, FILE *file);        /* sum.c */
void print_components(const char *folder, enum form form, FILE *file); /* components.c */
void print_litmus(const char *folder, enum form form, FILE *file);     /* litmus.c */
void print_weak_seeds(const char *folder, enum form form, FILE *file); /* weak_memory.c, these two */
void print_weak_cost(const char *folder, enum form form, FILE *file);
void print_bounds(const char *folder, enum form form, FILE *file);       /* study.c */
void print_fidelity(const char *folder, enum form form, FILE *file);     /* fidelity.c */
void print_instructions(const char *folder, enum form form, FILE *file); /* instructions.c */

/* Of a machine: a file of machine/presets. */
void print_constants(const char *path, enum form form, FILE *file); /* constants.c */

#endif
