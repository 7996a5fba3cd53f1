/* Measures the points of a sweep. */
#ifndef HARNESS_PASSES_H
#define HARNESS_PASSES_H

#include "harness/sweep.h"

/*
 * Measures all points until each has `goal` samples; samples of an interrupted run, which `earlier` has as
 * points of its journal, count. Opens and closes the problems of all sizes but the first, which is open.
 * Prints a table, keeps the journal, and fills in the sweep's points, references, and variants that turned
 * out to be impossible.
 */
void measure_points(struct sweep *sweep, const cJSON *earlier, size_t goal);

#endif
