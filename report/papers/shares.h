/* Divides an algorithm's time into computation, refilling caches and waiting. */
#ifndef REPORT_PAPERS_SHARES_H
#define REPORT_PAPERS_SHARES_H

#include "report/results.h"

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
