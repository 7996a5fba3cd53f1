/* How do two devices differ? */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/table.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Compares two folders of results: a summary of a line for each question; then, for each experiment, point by point
 * on what both have, and best against best (of the micro-benchmarks, whose work grows with the blocks: all of A's
 * multiprocessors against as many blocks on B; of several sizes: the largest); then in which conditions they differ.
 *
 * A ratio is B's compared_time (report/timing.h) over A's, with the least and the most that the two 95 % intervals
 * allow. Verdict on B: faster or slower if that lies beyond 2 %, same if it lies within, else unclear; "as cards
 * differ", if two cards of A's or B's model were seen to differ by as much in that experiment (report/cards.h).
 * `all_points`: every matched point (same variant, size, threads, blocks) instead of a count. Files that are no
 * results, and experiments that cannot be compared, are named and left out.
 *
 * Exits with EXIT_BAD_INPUT if there is nothing to compare.
 */
void compare_folders(const char *a, const char *b, bool all_points, FILE *file);

/* The same, best against best alone, as one table. */
void print_best_ratios(const char *a, const char *b, enum form form, FILE *file);

#endif
