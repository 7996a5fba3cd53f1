/* The table of causes: why numbers of the papers do not come out on the machines that model the papers'
 * GPUs. */
#ifndef REPORT_CAUSES_H
#define REPORT_CAUSES_H

#include "report/table.h"

#include <stdbool.h>

/* Returns whether the folder has results of a machine that models a paper's GPU. */
bool has_causes(const char *folder);

/* Prints the table `causes`. */
void print_causes(const char *folder, enum form form, FILE *file);

#endif
