/*
 * Chooses the runs of a check. The first run, with the plain schedule and coherent memory, tells how large
 * the program is. After it come drawn schedules, and then sweeps: all schedules with one delay, all with two
 * delays and so on. Each sweep runs each of its schedules once under each of SWEPT_MEMORIES memory modes.
 * With --exhaustive there is a single sweep, with one delay after every step and before every warp.
 * Otherwise, sweeps have delays only at places at which a delay can change an order of accesses
 * (machine_note_orders()).
 */
#ifndef CHECK_SCHEDULES_H
#define CHECK_SCHEDULES_H

#include "tools/check/explore/findings.h"

#define SWEPT_MEMORIES 2

/* The options that say which runs are made. */
struct plan {
    /* number of drawn runs from --runs, including the first run; 0 means that it depends on the program's
     * size */
    unsigned runs;
    unsigned only;  /* the number of the only run to be made, from 1; 0 means all runs */
    double seconds; /* no run begins when runs_seconds() is more than this */
    bool exhaustive;
};

/* Makes the runs of the plan and adds them to the findings. `limits` apply to each run. */
void schedules_run(const struct plan *plan, struct limits limits, struct findings *findings);

#endif
