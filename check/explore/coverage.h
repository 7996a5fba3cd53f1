/* What the runs of a check have covered. */
#ifndef CHECK_COVERAGE_H
#define CHECK_COVERAGE_H

#include "machine/machine.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* A sweep: all schedules with a certain number of delays. */
struct sweep {
    unsigned delays;
    /* number of schedules, and step from one run's schedule to the next run's */
    unsigned long long schedules, jump;
    unsigned long long runs; /* number of runs made so far */
    bool is_whole;           /* whether each schedule was run in all memory modes */
};

/* number of combinations of memory mode and kind of schedule among the drawn runs; a check with fewer runs
 * gives no verdict */
#define COMBINATIONS 12

struct coverage {
    struct sweep sweeps[MOST_HOLDS];
    unsigned sweep_count;
    size_t places;      /* number of places at which the sweeps hold warps back */
    bool few;           /* whether the time ran out before there were enough runs for a verdict */
    double run_seconds; /* average time of a run */
};

/* Prints a line: the steps of the first run, the pairs of accesses seen in both orders, and the sweeps. */
void coverage_print(const struct coverage *coverage, unsigned long long steps, FILE *file);
cJSON *coverage_json(const struct coverage *coverage);

#endif
