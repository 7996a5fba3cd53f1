/* Where an algorithm's time goes, by what it takes without barriers. */
#ifndef REPORT_PAPERS_SHARES_H
#define REPORT_PAPERS_SHARES_H

#include "report/results.h"

/*
 * Percent of a variant's time, at its best number of blocks, in: the computation as `none` does it, whose L1 caches stay
 * warm; refilling them, as `none-cold` must, less what its fences take in the micro-benchmark; and the rest, which is
 * waiting for blocks, or the gap between two launches. Without `none-cold` the refill is part of the rest.
 */
struct shares {
    double computation, refill, rest;
};
struct shares shares_of(const struct result *result, const struct result *micro, const char *variant);

#endif
