/* Results of GPUs whose kernels have changed since they were measured, as scripts/changed-kernels found. */
#ifndef REPORT_CHANGED_H
#define REPORT_CHANGED_H

#include "report/table.h"

#include <stdbool.h>

/* Returns whether kernels have changed since the folder's results were measured. Returns false if this is not
 * known, because the folder is not committed or git was missing. */
bool has_changed_kernels(const char *folder);

/* Prints the table `changed`: result, revision that measured it, and files of its kernel that differ now. */
void print_changed_kernels(const char *folder, enum form form, FILE *file);

#endif
