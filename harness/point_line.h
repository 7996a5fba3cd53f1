/* A straight line through the points of a variant */
#ifndef HARNESS_POINT_LINE_H
#define HARNESS_POINT_LINE_H

#include "base/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Fits a line to the medians of the variant's points, as a function of their field x ("size", "threads").
 * Returns NaN if there are fewer than two different values of x. */
struct line line_through_points(const struct cJSON *points, const char *variant, const char *x);

#ifdef __cplusplus
}
#endif

#endif
