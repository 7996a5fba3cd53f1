/* Reads the study of the abstract machines of Nakano 2013, results/reference/memory-machine/study.json. */
#ifndef REPORT_PAPERS_STUDY_H
#define REPORT_PAPERS_STUDY_H

#include "report/formula.h"
#include "report/figures.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Computes the bounds of Nakano 2013. They are lists of terms, such as ["n/w", "3 l log n"], in
 * results/papers/nakano-2013.json. */

/* Values for the letters of a bound: n numbers, machine width w, memory latency l, and p threads. */
struct bound_setting {
    double n, w, l, p;
};

/* Returns the value of a term, its factor included; logarithms are to the base 2. Exits with EXIT_BAD_INPUT
 * for an unknown term. */
double bound_term(const char *term, struct bound_setting setting);
/* Returns whether the term grows with n itself, and not only with log n. */
bool bound_of_n(const char *term);

/* Returns the value of a bound, which is the sum of its terms, or 0 if it has none. */
double bound_value(const cJSON *terms, struct bound_setting setting);

/* Returns a bound as a sum of its terms, "n/w + l log n", or "0" if it has none, as a made text. */
const char *bound_text(const cJSON *terms);

/* number of columns in study.json; study_columns has their names */
#define STUDY_COLUMNS 9
extern const char *const study_columns[STUDY_COLUMNS];

/* Functions that write the data of the study's figures (report/papers/series.c). */
bool write_study_curves(const struct plot *plot, FILE *file);
bool write_study_trace(const struct plot *plot, FILE *file);

/* Prints the table `bounds`: Nakano 2013, Table 1, with the runs of the study. */
void print_bounds(const char *folder, enum form form, FILE *file);

#endif
