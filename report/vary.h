/* Makes machine descriptions whose constants are drawn at random, to find out how much a verdict depends on
 * inexact constants. */
#ifndef REPORT_VARY_H
#define REPORT_VARY_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Returns by how many percent a constant may be wrong: its `within_percent` if it has one; otherwise 0 if it
 * is counted and not measured (multiprocessors, widths of memory, limits), else 20. */
double uncertainty_of(const cJSON *constant);

/*
 * Prints the machine description in the file `path` with each constant multiplied by a random factor, whose
 * logarithm is uniform within the constant's uncertainty. The same `number` always gives the same factors.
 * Constants that were taken from one another ("as ...") keep their ratio. Exits with EXIT_BAD_INPUT if the
 * file is no description.
 */
void print_varied(const char *path, unsigned long long number, FILE *file);

#endif
