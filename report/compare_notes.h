/* Prints under which conditions two devices were measured, where these conditions differ. */
#ifndef REPORT_COMPARE_NOTES_H
#define REPORT_COMPARE_NOTES_H

#include "report/compare_pair.h"

#include <stdio.h>

/* Prints a line for each condition that differs: the device, the revision of the programs, and the parameters
 * other than the numbers of blocks and the variants. The line names the results that differ in it, or says
 * how many do. Prints nothing if no condition differs. */
void print_compare_notes(const struct pair *pairs, size_t count, FILE *file);

#endif
