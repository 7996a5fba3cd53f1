/* What the runs of a check have covered. */
#ifndef CHECK_COVERAGE_H
#define CHECK_COVERAGE_H

#include "machine/machine.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* All schedules with a number of delays. */
struct sweep {
    unsigned delays;
    unsigned long long schedules, jump; /* number of schedules; the distance of two in the order of runs */
    unsigned long long runs;            /* number of runs that were made */
    bool is_whole;                      /* whether each schedule had its runs */
};

/* number of combinations of memory mode and kind of schedule that drawn runs have; a check with fewer
 * runs has no verdict */
#define COMBINATIONS 12

struct coverage {
    struct sweep sweeps[MOST_HOLDS];
    unsigned sweep_count;
    size_t places;      /* number of places at which the sweeps hold warps back */
    bool few;           /* whether time was up before there were enough runs */
    double run_seconds; /* time of a run, on average */
};

/* Prints a line: the steps of the first run, the pairs of accesses seen in both orders, and the sweeps. */
void coverage_print(const struct coverage *coverage, unsigned long long steps, FILE *file);
cJSON *coverage_json(const struct coverage *coverage);

#endif
