/*
 * Under which models of progress does a checked program end, and how many of its blocks must be resident? The
 * models are those of machine/machine.h. Each is tried with many schedules of coherent memory, and with few
 * resident blocks.
 */
#ifndef CHECK_HANG_H
#define CHECK_HANG_H

#include "check/explore/runs.h"

#include <cjson/cJSON.h>

#define HANG_MODELS 6 /* number of models: those of enum machine_progress, and fair with lockstep */

/* The runs under one model of progress. */
struct model_runs {
    unsigned runs, hung; /* number of runs under the model, and of those that hung */
    char text[512];      /* how the first run that hung did so, in words */
};

struct hang_study {
    bool is_there; /* whether --hang was given */
    struct model_runs of[HANG_MODELS];
    const char *weakest;        /* the weakest models under which the program ends, or "none" */
    struct machine_grids grids; /* the largest grids that a run launched */
    unsigned resident;          /* fewest resident blocks with which the program ends; 0 means unknown */
};

/* Makes the runs under all models and returns what they show. No run begins later than `seconds` from now. */
struct hang_study hang_study(struct limits limits, double seconds, int argc, char **argv);

void hang_print(const struct hang_study *study);
cJSON *hang_json(const struct hang_study *study);

#endif
