/* The reports of compute-sanitizer on the programs with which gpusync-check is tested: the results of
 * bugs/under-sanitizer. */
#ifndef REPORT_PAPERS_SANITIZER_H
#define REPORT_PAPERS_SANITIZER_H

#include "report/table.h"

#include <stdio.h>

/* Reads FOLDER/sanitizer/GPU.tsv of the first GPU by name. The heading is "" if there is no such file. */
struct tsv sanitizer_read(const char *folder);

/* Writes into `text` which tools report more errors of the program's broken form than of its mended form:
 * their names, or "nothing", or "no end in 60 s" if some tool found no end and none reports more. The text is
 * "" if the program was not tried. */
void sanitizer_says(const struct tsv *tried, const char *program, char *text, size_t bytes);

/* Prints a table with a row for each kind of mistake: how many programs have it, in how many of them
 * compute-sanitizer finds something, and by which tool; and of how many right programs it reports an
 * error. */
void print_sanitizer(const char *folder, enum form form, FILE *file);

#endif
