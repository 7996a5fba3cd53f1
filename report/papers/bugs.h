/* Makes the tables of bugs/README.md and docs/findings.md: the programs of bugs/, and the reports of
 * compute-sanitizer on the programs with which gpusync-check is tested (bugs/under-sanitizer). */
#ifndef REPORT_PAPERS_BUGS_H
#define REPORT_PAPERS_BUGS_H

#include "report/table.h"

#include <stdio.h>

/* Prints a table with a row for each kind of mistake: how many programs have it, in how many of them
 * compute-sanitizer finds something, and by which tool; and of how many right programs it reports an
 * error. */
void print_sanitizer(const char *folder, enum form form, FILE *file);

/* Prints a row for each program of `folder`, which is bugs/. */
void print_bugs(const char *folder, enum form form, FILE *file);

/* Prints the rows of those programs of bugs/ whose broken and mended form are litmus tests in
 * micro/litmus/patterns/, with links to the headings of docs/findings.md and to the public threads. */
void print_findings(const char *folder, enum form form, FILE *file);

#endif
