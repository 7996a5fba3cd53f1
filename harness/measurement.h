/* The measurement of a point, from its first run to the result file. */
#ifndef HARNESS_MEASUREMENT_H
#define HARNESS_MEASUREMENT_H

#include "base/statistics.h"
#include "harness/experiment.h"

#include <cjson/cJSON.h>

struct measurement {
    struct point point;
    const char *unit;  /* unit of the samples */
    double *samples;   /* the samples, each the time of a run; the samples of one process are adjacent */
    double *process;   /* for each sample, the number of the process that took it */
    size_t count;      /* number of samples */
    double operations; /* number of operations of a run */
    int repeats;       /* a sample is the mean of this number of runs */
    /* number of samples that were taken under a throttled clock, whether repeated or kept */
    int throttled;
    double clock_hz; /* clock rate of the multiprocessors at the last sample */
    struct verdict verdict;
    size_t races;
    /* what the machine's counters and the experiment's `describe` tell about the verified run */
    cJSON *facts;
    /* "interval" if the median's interval became narrow enough, "limit" if the number of samples reached its
     * limit; NULL on the memory machine */
    const char *stopped_by;

    /* The summary of the samples that count, which measurement_summarize computes. */
    /* number of samples that count: the undisturbed ones, or all if half or more of them were disturbed */
    size_t undisturbed;
    double min, median, max;
    double interval[2]; /* ends of the 95 % confidence interval of the median */
};

/* Returns the unit of an experiment's samples: its measured_unit, or time_unit() if it has none. */
const char *sample_unit(const struct experiment *experiment);

/* Returns a new measurement of the point, without samples. */
struct measurement *measurement_new(const struct point *point, const struct experiment *experiment);

void measurement_add_sample(struct measurement *measurement, double time, int process);

/* Brings the summary up to date after samples were added. */
void measurement_summarize(struct measurement *measurement);

/* Returns half the width of the median's interval, divided by the median. */
double measurement_width(const struct measurement *measurement);

/* Returns the point as JSON, in the form of the result file and the journal. */
cJSON *measurement_json(const struct measurement *measurement);

/* Returns the measurement of the point that measurement_json wrote as `json`, which must be a point of a
 * journal that journal_open returned. */
struct measurement *measurement_read(const cJSON *json, const struct point *point,
                                     const struct experiment *experiment);

/* Frees the measurement. `measurement` may be NULL; then nothing is done. */
void measurement_free(struct measurement *measurement);

#ifdef __cplusplus
extern "C" {
#endif

/* Fits a straight line to the points of a variant. */

struct cJSON;

/* Returns the line that fits the medians of the variant's points best, as a function of their member x
 * ("size" or "threads"). Slope and intercept are NaN if fewer than two values of x differ. */
struct line line_through_points(const struct cJSON *points, const char *variant, const char *x);

#ifdef __cplusplus
}
#endif

#endif
