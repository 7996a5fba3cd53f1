/* Prints the tables of blind/README.md and docs/predict.md, which compare predictions with measurements. */
#ifndef REPORT_PAPERS_BLIND_H
#define REPORT_PAPERS_BLIND_H

#include "report/table.h"

#include <stdio.h>

/* Prints a row for each program of `folder`, which is blind/ or blind/second/. */
void print_blind(const char *folder, enum form form, FILE *file);

/* Prints how far the predictions of all programs in the folder are off. */
void print_blind_errors(const char *folder, enum form form, FILE *file);

/* Prints for how many pairs of points (FOLDER/pairs.tsv) the prediction says correctly which point takes
 * longer. */
void print_blind_pairs(const char *folder, enum form form, FILE *file);

/* Prints a row for each kind of program and one for all points. The points come from all batches of the
 * folder. */
void print_blind_kinds(const char *folder, enum form form, FILE *file);

/* Prints a row for each card with the interval of a prediction and that of a ratio of two predictions, and
 * how many points are in an interval that was made without their program. */
void print_blind_intervals(const char *folder, enum form form, FILE *file);

#endif
