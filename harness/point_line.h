/* Fits a straight line to the points of a variant. */
#ifndef HARNESS_POINT_LINE_H
#define HARNESS_POINT_LINE_H

#include "base/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Returns the line that fits the medians of the variant's points best, as a function of their member x
 * ("size" or "threads"). Slope and intercept are NaN if fewer than two values of x differ. */
struct line line_through_points(const struct cJSON *points, const char *variant, const char *x);

#ifdef __cplusplus
}
#endif

#endif
