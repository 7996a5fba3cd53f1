/* Checks whether a folder of results has what a table needs. */
#ifndef REPORT_NEEDS_H
#define REPORT_NEEDS_H

#include <stdbool.h>

/* Returns whether a folder has all results in `needs`. They are separated by blanks, alternatives by "|".
 * Each is a NAME as for result_open (report/results.h), or NAME:VARIANT, which stands for a result that has
 * points of this variant. */
bool folder_has(const char *folder, const char *needs);

#endif
