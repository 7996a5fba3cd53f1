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
    unsigned runs, hung; /* number of runs, and of those that hung */
    char text[512];      /* how the first run hung */
};

struct hang_study {
    bool is_there; /* false means that --hang was not given */
    struct model_runs of[HANG_MODELS];
    const char *weakest;        /* the weakest models under which the program ends, or "none" */
    struct machine_grids grids; /* the largest grids of any run */
    unsigned resident; /* how many blocks must be resident at a time; 0 means that this is not known */
};

/* Makes all runs and returns what they say. No run begins after `seconds`. */
struct hang_study hang_study(struct limits limits, double seconds, int argc, char **argv);

void hang_print(const struct hang_study *study);
cJSON *hang_json(const struct hang_study *study);

#endif
