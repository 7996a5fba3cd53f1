/* What has been measured of a point, from its first run to the result file. */
#ifndef HARNESS_MEASUREMENT_H
#define HARNESS_MEASUREMENT_H

#include "harness/experiment.h"

#include <cjson/cJSON.h>

struct measurement {
    struct point point;
    const char *unit;  /* of the samples */
    double *samples;   /* times of a run; those that one process took follow each other */
    double *process;   /* the number of the process that took each */
    size_t count;      /* of samples */
    double operations; /* of a run */
    int repeats;       /* runs of which a sample is the mean */
    int throttled;     /* samples that a slow clock spoilt: taken again, or kept after the last try */
    double clock_hz;   /* of the multiprocessors at the last sample */
    struct verdict verdict;
    size_t races;
    cJSON *facts; /* what the machine's counters and the experiment tell of the run that was verified */
    const char *stopped_by; /* "interval" or "limit"; NULL: not said, on the machine */
};

/* The unit of an experiment's samples: its own, or time_unit(). */
const char *sample_unit(const struct experiment *experiment);

void measurement_add_sample(struct measurement *measurement, double time, int process);

/* How many samples were not disturbed; and half the interval of their median, as a share of it. */
size_t measurement_undisturbed(const struct measurement *measurement);
double measurement_width(const struct measurement *measurement);

/* The median of the undisturbed samples. */
double measurement_median(const struct measurement *measurement);

/* A point of the result file; and a point as the journal has it, of which harness/result.h has seen that it is one. */
cJSON *measurement_json(const struct measurement *measurement);
struct measurement *measurement_read(const cJSON *json, const struct point *point,
                                     const struct experiment *experiment);

struct measurement *measurement_new(const struct point *point, const struct experiment *experiment);
void measurement_free(struct measurement *measurement); /* NULL: nothing */

#endif
