/* The table of causes: why the machines that model the papers' GPUs do not reproduce some of the papers'
 * numbers. */
#ifndef REPORT_CAUSES_H
#define REPORT_CAUSES_H

#include "report/table.h"

#include <stdbool.h>

/* Returns whether the folder has results of a machine that models a paper's GPU. */
bool has_causes(const char *folder);

/* Prints the table `causes`. */
void print_causes(const char *folder, enum form form, FILE *file);

#endif
