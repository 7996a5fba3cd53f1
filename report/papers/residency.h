/* The table of grid barriers that wait while other kernels hold multiprocessors (micro-residency). */
#ifndef REPORT_PAPERS_RESIDENCY_H
#define REPORT_PAPERS_RESIDENCY_H

#include "report/table.h"

/* Prints the table `residency`: for each barrier how many blocks were resident, and whether it opened. */
void print_residency(const char *folder, enum form form, FILE *file);

#endif
