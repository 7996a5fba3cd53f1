/* Makes the tables of bugs/README.md and docs/findings.md. */
#ifndef REPORT_PAPERS_BUGS_H
#define REPORT_PAPERS_BUGS_H

#include "report/table.h"

#include <stdio.h>

/* Prints a row for each program of `folder`, which is bugs/. */
void print_bugs(const char *folder, enum form form, FILE *file);

/* Prints the rows of those programs of bugs/ whose broken and mended form are litmus tests in
 * micro/litmus/patterns/, with links to the headings of docs/findings.md and to the public threads. */
void print_findings(const char *folder, enum form form, FILE *file);

#endif
