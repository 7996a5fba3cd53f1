/* Measures a point of a sweep in visits; each visit adds samples. */
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "harness/measurement.h"
#include "harness/sweep.h"

struct visit {
    const struct sweep *sweep;
    const struct point *point;
    struct measurement *measurement; /* the point's measurement so far, or NULL before the first visit */
    /* on a GPU, number of samples that the visit adds; on the machine, number of samples that the point shall
     * have */
    size_t samples;
};

/* Makes a visit to a point; `context` points to a struct visit. The first visit verifies the point. Each
 * visit adds samples, whose runs are repeated until the time is long enough for the clock. The result is in
 * visit->measurement. This function can be the `work` of attempt() (harness/check.h). */
void measure_point(void *context);

#endif
