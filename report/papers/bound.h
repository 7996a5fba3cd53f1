/* Bounds as results/papers/nakano-2013.json has them: lists of terms, such as ["n/w", "3 l log n"]. */
#ifndef REPORT_PAPERS_BOUND_H
#define REPORT_PAPERS_BOUND_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* n numbers, a machine of width w and latency l, p threads. */
struct bound_setting {
    double n, w, l, p;
};

/* The term, with the constant before it, which is 1 if it has none; logarithms to the base 2. Exits with EXIT_BAD_INPUT
 * for a term that is not known. */
double bound_term(const char *term, struct bound_setting setting);
bool bound_of_n(const char *term); /* does it grow with n, and not with log n alone? */

/* The terms' sum; 0 without any. */
double bound_value(const cJSON *terms, struct bound_setting setting);

/* "n/w + l log n", into text; returns text. "0" without any terms. */
const char *bound_text(const cJSON *terms, char *text, size_t bytes);

#endif
