/* Prints what follows from the results of micro-barrier, in words. */
#ifndef REPORT_PAPERS_MICRO_BARRIER_H
#define REPORT_PAPERS_MICRO_BARRIER_H

#include "report/table.h"

/* Prints conclusions in words, which stand below the rows of the table `micro` (micro/barrier/tables.txt). */
void print_micro(const char *folder, enum form form, FILE *file);

#endif
