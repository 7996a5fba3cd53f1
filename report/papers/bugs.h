/* Makes the table of bugs/README.md. */
#ifndef REPORT_PAPERS_BUGS_H
#define REPORT_PAPERS_BUGS_H

#include "report/table.h"

#include <stdio.h>

/* Prints a row for each program of `folder`, which is bugs/. */
void print_bugs(const char *folder, enum form form, FILE *file);

#endif
