/* Ours beside the libraries. */
#ifndef REPORT_PAPERS_BEST_H
#define REPORT_PAPERS_BEST_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/* Three curves of a program (fft, bitonic) for gnuplot: size, microseconds and their interval, of the best of the papers'
 * algorithm, the best with few barriers, and the library. False: it was not measured. */
bool write_best_curves(const char *folder, const char *program, FILE *file);

/* Prints the table `best`. */
void print_best(const char *folder, enum form form, FILE *file);

#endif
