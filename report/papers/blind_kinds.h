/* Prints the tables of docs/predict.md: how far predictions were off by kind of program, and what their
 * intervals are worth. */
#ifndef REPORT_BLIND_KINDS_H
#define REPORT_BLIND_KINDS_H

#include "report/table.h"

/* Prints a row for each kind of program and one for all points. The points come from all batches of the
 * folder. */
void print_blind_kinds(const char *folder, enum form form, FILE *file);

/* Prints a row for each card with the interval of a prediction and that of a ratio of two predictions, and
 * how many points are in an interval that was made without their program. */
void print_blind_intervals(const char *folder, enum form form, FILE *file);

#endif
