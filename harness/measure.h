/* One visit to a point of a sweep. */
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "harness/measurement.h"
#include "harness/sweep.h"

struct visit {
    const struct sweep *sweep;
    const struct point *point;
    struct measurement *measurement; /* the point's measurement so far, or NULL before the first visit */
    /* number of samples to add on a GPU; on the machine, number of samples that the point shall have in
     * all */
    size_t samples;
};

/* Makes a visit to a point; `context` points to a struct visit. The first visit verifies the point. Each
 * visit adds samples, whose runs are repeated until the time is long enough for the clock. The result is in
 * visit->measurement. This function can be the `work` of attempt() (harness/cannot.h). */
void measure_point(void *context);

#endif
