/* Compares the suite's best algorithms with libraries. */
#ifndef REPORT_PAPERS_BEST_H
#define REPORT_PAPERS_BEST_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes three curves of a program (fft or bitonic) for gnuplot: the papers' algorithm with its best barrier,
 * the best variant with few barriers, and the library. A row has the size, the time in microseconds and the
 * ends of its interval. Returns false if the folder lacks the results for a curve. */
bool write_best_curves(const char *folder, const char *program, FILE *file);

/* Prints the table `best`: the suite's best algorithms beside libraries and beside the papers' algorithms. */
void print_best(const char *folder, enum form form, FILE *file);

#endif
