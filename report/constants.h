/* The table of a memory machine's constants. */
#ifndef REPORT_CONSTANTS_H
#define REPORT_CONSTANTS_H

#include "report/table.h"

/* Prints each constant and its source of the machine's description `preset`: a file, or one of the suite's
 * machines by its name, such as h100. Exits with EXIT_BAD_INPUT if the machine could not be run with it. */
void print_constants(const char *preset, enum form form, FILE *file);

#endif
