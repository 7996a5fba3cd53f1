/* Compares the results of two devices. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Compares two folders of results and prints: one line for each question; the points and the best variants of
 * each experiment; and the conditions that differ. A point is compared if both folders have its variant,
 * size, threads and blocks. "Best" means the fastest point with the largest size. For micro-benchmarks, whose
 * work grows with the blocks, it means the point with as many blocks as A has multiprocessors.
 *
 * A ratio is B's compared_time (report/timing.h) over A's; its interval spans all values that the two 95 %
 * intervals allow. B is "faster" or "slower" if the interval lies beyond 2 %, "same" if it lies within 2 %,
 * and otherwise "unclear". If two cards of A's or B's model differ by as much in this experiment
 * (report/cards.h), the verdict is "as cards differ". With `all_points` every point is printed instead of
 * counts. Files that are no results and experiments that cannot be compared are named and left out.
 *
 * Exits with EXIT_BAD_INPUT if there is nothing to compare.
 */
void compare_folders(const char *a, const char *b, bool all_points, FILE *file);

/* Prints one table of all experiments: the ratios of device B's times to device A's, for the best points of
 * each variant. */
void print_best_ratios(const char *a, const char *b, enum form form, FILE *file);

#endif
