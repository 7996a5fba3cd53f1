/* A straight line through the points of a variant. */
#ifndef MICRO_POINT_LINE_H
#define MICRO_POINT_LINE_H

#include "base/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Fits a line to the medians against the number that each point has under the name x ("size", "threads"); NaN
 * if there are fewer than two different numbers. */
struct line line_through_points(const struct cJSON *points, const char *variant, const char *x);

#ifdef __cplusplus
}
#endif

#endif
