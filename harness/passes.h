/* Measures the points of a sweep. */
#ifndef HARNESS_PASSES_H
#define HARNESS_PASSES_H

#include "harness/sweep.h"

/*
 * Measures all points of a sweep, in all sizes, until each has `goal` samples. `earlier` has the points of an
 * interrupted run's journal, whose samples count. The problem of the first size must be open; the others are
 * opened here, and all are closed. Prints a table, writes the journal, and fills in the sweep's points, the
 * times of the sequential reference, and the variants that turned out to be impossible.
 */
void measure_points(struct sweep *sweep, const cJSON *earlier, size_t goal);

#endif
