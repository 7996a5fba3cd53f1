/* One visit to a point of a sweep. */
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "harness/measurement.h"
#include "harness/sweep.h"

struct visit {
    const struct sweep *sweep;
    const struct point *point;
    struct measurement *measurement; /* what has been measured of the point, or NULL before its first visit */
    /* number of samples to add on a GPU; on the machine, number of samples that the point shall have in
     * all */
    size_t samples;
};

/*
 * Makes a visit (`context` is a struct visit): verifies the point if the visit is its first, adds the
 * samples, each repeated to a time that the clock resolves, and leaves the measurement in visit->measurement.
 * Can be the work of attempt() in harness/cannot.h.
 */
void measure_point(void *context);

#endif
