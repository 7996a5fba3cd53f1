/* Statistics of samples. No other file of the suite computes them. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct summary {
    double min, median, max, mean;
    /* the ends of the 95 % confidence interval of the median, from order statistics; with fewer than 6
     * samples, the smallest and the largest sample */
    double ci95_low, ci95_high;
};

/*
 * Returns the q-quantile of the samples, 0 <= q <= 1, by linear interpolation between order statistics (type
 * 7 of Hyndman and Fan 1996), or NaN if there are no samples. Does not change the samples.
 */
double quantile(const double *samples, size_t count, double q);

/* Returns a summary of the samples; all its members are NaN if there are no samples. */
struct summary summarize(const double *samples, size_t count);

struct line {
    double slope, intercept;
    /* coefficient of determination of the fit; NaN if all y are equal, or if fewer than two x are distinct */
    double r2;
};

/* Returns the line that fits the points by least squares. Its slope and intercept are NaN if fewer than two x
 * are distinct. */
struct line fit_line(const double *x, const double *y, size_t count);

#ifdef __cplusplus
}
#endif

#endif
