/*
 * Compares what others published with what the memory machine predicts: the rows of
 * results/papers/published.tsv, whose head describes their cells.
 *
 * A prediction is fitted if its formula reads nothing but one constant, whose source names the publication of
 * the row. Such a row shows nothing about the machine, so it is counted apart.
 */
#ifndef REPORT_PAPERS_PUBLISHED_H
#define REPORT_PAPERS_PUBLISHED_H

#include "report/table.h"

#include <stdio.h>

/*
 * Prints the comparison: for programs (is_for_programs) one table of all rows, otherwise a sentence and a
 * table each for the predictions that are not fitted, those that are, and what is not predicted. Exits with
 * EXIT_BAD_INPUT, and names the row, if a row lacks a number or a link, its device has no results, its
 * formula has no value, or a prediction that is not fitted is off by more than a fifth and has no sentence.
 */
void print_published(enum form form, FILE *file);

#endif
