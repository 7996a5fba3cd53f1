/*
 * Finds under which models of progress a checked program ends, and how many of its blocks must be resident
 * for that. machine/machine.h has the models. Under each model the program runs with many schedules, with
 * coherent memory, and with few resident blocks.
 */
#ifndef CHECK_HANG_H
#define CHECK_HANG_H

#include "tools/check/explore/runs.h"

#include <cjson/cJSON.h>

/* number of models of progress: the values of enum machine_progress, and a model with lanes in lockstep */
#define HANG_MODELS 6

/* What the runs under one model of progress have shown. */
struct model_runs {
    /* number of runs under the model, of runs that hung, and of runs that took too long */
    unsigned runs, hung, late;
    /* report of the first run that hung, with marks in place of lines (machine_mark_lines()) */
    char text[6144];
};

struct hang_study {
    bool is_there; /* whether --hang was given */
    struct model_runs of[HANG_MODELS];
    const char *weakest;        /* the weakest models under which the program ends, or "none" */
    struct machine_grids grids; /* the largest grids that any run launched */
    /* fewest resident blocks with which the program ends, or 0 if that is not known */
    unsigned resident;
};

/* Makes the runs under all models and returns what they show. No run begins later than `seconds` from now.
 * The check has made `before` runs before, all of them under the model fair, of which `hung` hung, the first
 * with this report. */
struct hang_study hang_study(struct limits limits, double seconds, unsigned before, unsigned hung,
                             const char *report);

void hang_print(const struct hang_study *study);
cJSON *hang_json(const struct hang_study *study);

#endif
