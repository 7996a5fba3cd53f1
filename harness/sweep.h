/* What the parts of a program's course share: what is swept, and what has come of it so far. */
#ifndef HARNESS_SWEEP_H
#define HARNESS_SWEEP_H

#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/options.h"

#include <cjson/cJSON.h>

struct sweep {
    const struct experiment *experiment;
    struct options options;
    struct device device;
    const struct variant **variants;
    size_t variant_count;
    cJSON *header, *points, *references;
    bool wrong; /* an ordered variant's result was */
};

/* choose.c: what is measured. Fills in what the command line left open; exits if the device cannot
 * do it. */
void choose_points(struct sweep *sweep);
bool variant_is_possible(const struct sweep *sweep, const struct variant *variant);

/* measure.c: verifies and times one point; the timed runs are repeated to a time that the clock
 * resolves. */
cJSON *measure_point(const struct sweep *sweep, const struct point *point);

/* The same of the sequential reference. */
cJSON *measure_reference(const struct sweep *sweep, long long size);

/* describe.c: the head of the result file, and all of it. */
cJSON *describe_sweep(const struct sweep *sweep);
cJSON *describe_result(struct sweep *sweep, int argc, char **argv);

#endif
