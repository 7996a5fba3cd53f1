/* Numbers of warp instructions in small runs, counted by a GPU's profiler and by the memory machine. */
#ifndef REPORT_PAPERS_INSTRUCTIONS_H
#define REPORT_PAPERS_INSTRUCTIONS_H

#include "report/table.h"

/* Prints the table `instructions` of a folder. */
void print_instructions(const char *folder, enum form form, FILE *file);

#endif
