/* The suite's one implementation of each statistic. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct summary {
    double min, median, max, mean;
    double ci95_low,
        ci95_high; /* of the median, from order statistics; the range where the samples are too few */
};

/*
 * The q-quantile of `count` samples, 0 <= q <= 1, by linear interpolation between order statistics
 * (type 7 of Hyndman and Fan 1996). NaN without samples. Does not change the samples.
 */
double quantile(const double *samples, size_t count, double q);

/* All NaN without samples. */
struct summary summarize(const double *samples, size_t count);

struct line {
    double slope, intercept;
    double r2; /* coefficient of determination; NaN when all y are equal or there are fewer than two distinct
                  x */
};

/* Least squares. Slope and intercept are NaN when there are fewer than two distinct x. */
struct line fit_line(const double *x, const double *y, size_t count);

#ifdef __cplusplus
}
#endif

#endif
