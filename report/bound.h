/* Bounds as results/papers/nakano-2013.json has them: lists of terms, such as ["n/w", "l log n"]. */
#ifndef REPORT_BOUND_H
#define REPORT_BOUND_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* n numbers, a machine of width w and latency l, p threads. */
struct bound_setting {
    double n, w, l, p;
};

/* The terms' sum, all constants 1, logarithms to the base 2; 0 without any. Exits with EXIT_BAD_INPUT for a term that
 * is not known. */
double bound_value(const cJSON *terms, struct bound_setting setting);

/* "n/w + l log n", into text; returns text. "0" without any terms. */
const char *bound_text(const cJSON *terms, char *text, size_t bytes);

#endif
