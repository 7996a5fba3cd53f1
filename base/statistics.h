/* Statistics of samples. No other file of the suite computes them. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct summary {
    double min, median, max, mean;
    /* The 95 % confidence interval of the median, from order statistics; the range of the samples if they are
     * too few. */
    double ci95_low, ci95_high;
};

/*
 * Returns the q-quantile of the samples, 0 <= q <= 1, by linear interpolation between order statistics (type
 * 7 of Hyndman and Fan 1996), or NaN if there are no samples. Does not change the samples.
 */
double quantile(const double *samples, size_t count, double q);

/* Summarizes the samples; all members are NaN if there are no samples. */
struct summary summarize(const double *samples, size_t count);

struct line {
    double slope, intercept;
    double r2; /* coefficient of determination; NaN if all y are equal, or fewer than two x are distinct */
};

/* Fits a line by least squares. Slope and intercept are NaN if fewer than two x are distinct. */
struct line fit_line(const double *x, const double *y, size_t count);

#ifdef __cplusplus
}
#endif

#endif
