/* Prints the table of docs/progress.md: which programs of micro-progress ended on which device. */
#ifndef REPORT_PAPERS_ENDINGS_H
#define REPORT_PAPERS_ENDINGS_H

#include "report/table.h"

#include <stdio.h>

/* Prints the table with a row for each device and each condition under which micro-progress ran on it. */
void print_endings(const char *folder, enum form form, FILE *file);

#endif
