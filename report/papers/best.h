/* Our best algorithms beside libraries. */
#ifndef REPORT_PAPERS_BEST_H
#define REPORT_PAPERS_BEST_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes three curves of a program (fft, bitonic) for gnuplot: the best of the papers' algorithm, the best
 * with few barriers, and the library. A row is the size, microseconds, and the interval of the microseconds.
 * Returns false if the folder lacks results for a curve. */
bool write_best_curves(const char *folder, const char *program, FILE *file);

/* Prints the table `best`. */
void print_best(const char *folder, enum form form, FILE *file);

#endif
