/* Bounds of Nakano 2013, as in results/papers/nakano-2013.json: lists of terms, such as ["n/w", "3 l log
 * n"]. */
#ifndef REPORT_PAPERS_BOUND_H
#define REPORT_PAPERS_BOUND_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/* n numbers, machine width w, latency l, and p threads */
struct bound_setting {
    double n, w, l, p;
};

/* Returns the value of a term with its factor; logarithms are to the base 2. Exits with EXIT_BAD_INPUT for
 * an unknown term. */
double bound_term(const char *term, struct bound_setting setting);
bool bound_of_n(const char *term); /* whether the term grows with n, and not only with log n */

/* Returns the sum of the terms, or 0 if there are none. */
double bound_value(const cJSON *terms, struct bound_setting setting);

/* Writes the terms as "n/w + l log n", or "0" if there are none, into `text` and returns `text`. */
const char *bound_text(const cJSON *terms, char *text, size_t bytes);

#endif
