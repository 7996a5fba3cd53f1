/* Computes the performance model of Wang 2017 (Equations 7 and 8). */
#ifndef REPORT_PAPERS_SHUFFLE_H
#define REPORT_PAPERS_SHUFFLE_H

#include "report/results.h"

/* The results that the model needs (folder_has): the shuffle variants of swat-batch and pairhmm, the
 * latencies of instructions and the throughputs. */
#define SHUFFLE_MODEL "swat-batch:shuffle pairhmm:shuffle micro-latency micro-throughput"

/*
 * Returns a number of a kernel ("SW1", "SW2", "PH1" or "PH2") by name: "gcups"; "occupancy" in percent;
 * "registers" of a thread and "shared_bytes" of a block; the threads of "parallelism" (Equation 8), of it
 * "without_registers", and those that are "resident"; the cycles of an iteration as "estimated" by the model,
 * as "latency" (by Equations 7 and 8), "latency_without_registers" or "latency_of_resident" (by Equation 7
 * from these numbers of threads); "loads", "stores", "shuffles" or "syncs" in an iteration; a warp's
 * "instructions" for a cell of each thread, the cycles in which a scheduler can "issue" them, and
 * "estimated_with_issue", the larger of this and the estimate. NaN means that there is no such number.
 */
double shuffle_number(const char *folder, const char *kernel, const char *name);

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
