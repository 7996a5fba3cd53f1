/* Computes the performance model of Wang 2017 (Equations 7 and 8). */
#ifndef REPORT_PAPERS_SHUFFLE_H
#define REPORT_PAPERS_SHUFFLE_H

#include "report/results.h"

/* The results that the model needs (folder_has): the shuffle variants of swat-batch and pairhmm, the
 * latencies of instructions and the throughputs. */
#define SHUFFLE_MODEL "swat-batch:shuffle pairhmm:shuffle micro-latency micro-throughput"

/*
 * Returns a number of a kernel ("SW1", "SW2", "PH1" or "PH2") by name, or NaN if there is no such number:
 *
 *     gcups                 rate, in billions of cells per second
 *     occupancy             in percent
 *     registers             number of registers of a thread
 *     shared_bytes          bytes of shared memory of a block
 *     parallelism           number of threads by Equation 8
 *     without_registers     the same if registers did not limit it
 *     resident              number of threads that are resident
 *     latency, latency_without_registers, latency_of_resident
 *                           cycles of an iteration, by Equation 7 from these three numbers of threads
 *     estimated             cycles of an iteration by the model
 *     loads, stores, shuffles, syncs
 *                           numbers of these in an iteration
 *     instructions          number of a warp's instructions for a cell of each thread
 *     issue                 cycles in which the schedulers issue them for all resident warps
 *     estimated_with_issue  the larger of `issue` and `estimated`
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
