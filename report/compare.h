/* Compares the results of two devices. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/arguments.h"
#include "report/compare_pair.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints a line for each condition that differs: the device, the revision of the programs, and the parameters
 * other than the numbers of blocks and the variants. The line names the results that differ in it, or says
 * how many do. Prints nothing if no condition differs. */
void print_compare_notes(const struct pair *pairs, size_t count, FILE *file);

/*
 * Compares two folders of results and prints: one line for each question; with `all`, `points` or `only`,
 * the verdicts and the best variants of each experiment; and the conditions that differ. A point is compared
 * if both folders have a point with its variant, size, threads and blocks. "Best" means the fastest point
 * with the largest size. For micro-benchmarks, whose work grows with the blocks, it means the point with as
 * many blocks as A has multiprocessors.
 *
 * The ratio of a point is B's compared_time (report/timing.h) divided by A's. The interval of the ratio
 * spans all values that the 95 % intervals of both times allow. B is "faster" or "slower" if the whole
 * interval differs from 1 by more than 2 %, "same" if all of it lies within 2 % of 1, and otherwise
 * "unclear". If two cards of A's or B's model differ by as much in this experiment (report/cards.h), the
 * verdict is "as cards differ" instead. Files that are no results and experiments that cannot be compared
 * are named and left out; points that have no time, because they only count something, are left out.
 *
 * The options: `points` prints every point; `only` leaves out the results and variants that it does not
 * name; `unit`, if given, adds the times to the ratios. In a form other than text, there is one table: of
 * the questions or, with `points`, of all points with their times. Returns the number of points that are
 * slower than `fail_slower` allows: whose whole interval lies above 1 + fail_slower. Names them on stderr.
 *
 * Exits with EXIT_BAD_INPUT if there is nothing to compare.
 */
size_t compare_folders(const char *a, const char *b, const struct arguments *options, FILE *file);

/* Prints one table of all experiments: the ratios of device B's times to device A's, for the best points of
 * each variant. */
void print_best_ratios(const char *a, const char *b, enum form form, FILE *file);

#endif
