/* Computes the performance model of Wang 2017 (Equations 7 and 8, Tables I, II and III). */
#ifndef REPORT_PAPERS_SHUFFLE_H
#define REPORT_PAPERS_SHUFFLE_H

#include "report/results.h"
#include "report/table.h"

#include <stdbool.h>

/* Returns whether the folder has the results that the model needs: the shuffle variants of swat-batch and
 * pairhmm, the latencies of instructions and the throughputs. */
bool has_shuffle_model(const char *folder);

/*
 * Returns a number of a kernel ("SW1", "SW2", "PH1" or "PH2") by name: "occupancy" in percent; the cycles of
 * an iteration as "estimated" by the model, as "latency" (by Equations 7 and 8) or as "latency_of_resident"
 * (by Equation 7, from the number of resident threads in place of Equation 8's); or "loads", "stores",
 * "shuffles" and "syncs" in an iteration. NaN means that there is no such number.
 */
double shuffle_number(const char *folder, const char *kernel, const char *name);

/* Prints the table `shuffle`: Tables I, II and III of Wang 2017, and the latencies of instructions. */
void print_shuffle(const char *folder, enum form form, FILE *file);

/* Divides an algorithm's time into computation, refilling caches and waiting. */

/*
 * Percentages of a variant's time, with its best number of blocks:
 *   computation  the time of `none`, whose L1 caches stay warm
 *   refill       the extra time of `none-cold`, which refills the L1 caches after each step, less the time of
 *                its fences in the micro-benchmark; 0 if `none-cold` was not measured
 *   rest         waiting for other blocks, or the gaps between launches
 */
struct shares {
    double computation, refill, rest;
};
struct shares shares_of(const struct result *result, const struct result *micro, const char *variant);

#endif
