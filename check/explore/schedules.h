/*
 * Chooses the runs of a check. The first run, with the plain schedule and coherent memory, tells how large
 * the program is. Then come drawn schedules, and then sweeps: all schedules with one delay, all with two
 * delays and so on. Each sweep makes each of its schedules once under each of SWEPT_MEMORIES memory modes.
 * With --exhaustive, the only sweep has one delay after every step and before every warp; the other sweeps
 * have delays only at the places at which one can change an order (machine_note_orders()).
 */
#ifndef CHECK_SCHEDULES_H
#define CHECK_SCHEDULES_H

#include "check/explore/findings.h"

#define SWEPT_MEMORIES 2

/* The options that say which runs are made. */
struct plan {
    unsigned
        runs; /* number of drawn runs, the first one included, from --runs; 0: the program's size says it */
    unsigned only;  /* the number of the only run to be made, from 1; 0 means all runs */
    double seconds; /* the time from the start, in seconds, after which no run begins */
    bool exhaustive;
};

/* Makes the runs of the plan and adds them to the findings. `limits` apply to each run. */
void schedules_run(const struct plan *plan, struct limits limits, struct findings *findings, int argc,
                   char **argv);

#endif
