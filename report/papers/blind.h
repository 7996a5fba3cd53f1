/* Prints the tables of blind/README.md, which compare predictions with measurements. */
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

#endif
