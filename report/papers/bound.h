/* Computes the bounds of Nakano 2013. They are lists of terms, such as ["n/w", "3 l log n"], in
 * results/papers/nakano-2013.json. */
#ifndef REPORT_PAPERS_BOUND_H
#define REPORT_PAPERS_BOUND_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

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

/* Writes a bound into `text` as a sum of its terms, "n/w + l log n", or "0" if it has none, and returns
 * `text`. */
const char *bound_text(const cJSON *terms, char *text, size_t bytes);

#endif
