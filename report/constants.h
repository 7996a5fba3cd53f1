/* The table of a memory machine's constants. */
#ifndef REPORT_CONSTANTS_H
#define REPORT_CONSTANTS_H

#include "report/table.h"

/* Prints each constant in the machine's description `path`, such as machine/presets/h100.json, and its
 * source. */
void print_constants(const char *path, enum form form, FILE *file);

#endif
