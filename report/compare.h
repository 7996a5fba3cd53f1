/* How do two devices differ? */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Compares two folders of results, point by point on what both have, and best against best (of the
 * micro-benchmarks, whose work grows with the blocks: all of A's multiprocessors against as many
 * blocks on B; of several sizes: the largest).
 *
 * A ratio is B's median over A's, with an interval that the 95 % intervals of the two medians
 * bound: [B's low / A's high, B's high / A's low]. Verdict on B: faster or slower if the interval
 * lies beyond 2 %, same if it lies within, else unclear. `all_points`: every matched point (same
 * variant, size, threads, blocks) instead of a count.
 *
 * Returns whether B is slower anywhere; exits with EXIT_BAD_INPUT if there is nothing to compare.
 */
bool compare_folders(const char *a, const char *b, bool all_points, FILE *file);

/* The same, best against best alone, as one table. */
void print_best_ratios(const char *a, const char *b, enum form form, FILE *file);

#endif
