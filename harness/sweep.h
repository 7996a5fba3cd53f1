/* What the parts of a program's course share: what is swept, and what has come of it so far. */
#ifndef HARNESS_SWEEP_H
#define HARNESS_SWEEP_H

#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/measurement.h"
#include "harness/options.h"

#include <cjson/cJSON.h>

struct sweep {
    const struct experiment *experiment;
    struct options options;
    struct device device;
    const struct variant **variants;
    size_t variant_count;
    cJSON *header, *points, *references, *conditions;
    cJSON *cannot; /* variants that could not be measured here, each with a library's reason */
    bool wrong;    /* an ordered variant's result was */
    int process;   /* which of the processes that share the samples this is */
    bool is_last_process;
};

/* choose.c: what is measured. Fills in what the command line left open; exits if the device cannot
 * do it. */
void choose_sizes(struct sweep *sweep); /* first: the first problem may have another, of its input */
void choose_points(struct sweep *sweep);
unsigned threads_by_size(const struct sweep *sweep, long long size); /* 0: --threads decides */
bool variant_is_possible(const struct sweep *sweep, const struct variant *variant);

/*
 * measure.c: a visit to a point, of which `earlier` is known (NULL: nothing; then it is verified): adds `more`
 * samples, each repeated to a time that the clock resolves. On the machine a point gets that many in all. Returns
 * `earlier` with them, or a new one.
 */
struct measurement *measure_point(const struct sweep *sweep, const struct point *point,
                                  struct measurement *earlier, size_t more);

/* passes.c: all points of a problem, until each has `goal` samples; what the journal of an earlier run had of them
 * counts. Appends them to the sweep's points. */
void measure_points(struct sweep *sweep, long long size, const cJSON *earlier, size_t goal,
                    bool last_problem);

/* processes.c: takes the first samples in processes of their own; `take` measures up to so many of each point. */
void measure_in_processes(struct sweep *sweep, void (*take)(struct sweep *sweep, size_t goal));

/* reference.c: another problem is open; what its answers must be is computed, unless it was; times of that. */
void reference_forget(void);
void reference_need(const struct experiment *experiment);
cJSON *measure_reference(const struct experiment *experiment, long long size);

/* describe.c: the head of the result file, and all of it. */
cJSON *describe_sweep(const struct sweep *sweep);
cJSON *describe_result(struct sweep *sweep, int argc, char **argv);

#endif
