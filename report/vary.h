/* A machine's description whose constants are drawn anew: how much does a verdict hang on what is not known exactly? */
#ifndef REPORT_VARY_H
#define REPORT_VARY_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* By how many percent the constant of a description may be wrong: `within_percent` where its source says, 20 where it
 * does not, 0 for what is counted and not measured (multiprocessors, widths of memory, limits). */
double uncertainty_of(const cJSON *constant);

/*
 * Prints the description in the file `path` with each constant times a factor, uniform in its logarithm, from within the
 * constant's uncertainty. The same number draws the same factors; constants with one source ("as ...") keep their ratio.
 * Exits with EXIT_BAD_INPUT if the file is no description.
 */
void print_varied(const char *path, unsigned long long number, FILE *file);

#endif
