#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *samples, size_t count)
{
    double *copy = malloc(count * sizeof *copy);
    if (!copy)
        abort();
    memcpy(copy, samples, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, ascending);
    return copy;
}

static double quantile_of_sorted(const double *sorted, size_t count, double q)
{
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile(const double *samples, size_t count, double q)
{
    if (!count)
        return NAN;
    double *sorted = sorted_copy(samples, count);
    double value = quantile_of_sorted(sorted, count, q);
    free(sorted);
    return value;
}

/* Returns the largest r such that the interval from the r-th smallest to the r-th largest sample contains the
 * median with 95 % probability. (The number of samples below the median is binomial(count, 1/2).) With fewer
 * than 6 samples even r = 1, the whole range, does not suffice; the function then returns 1. */
static size_t median_rank(size_t count)
{
    double term = pow(0.5, (double)count), tail = 0;
    size_t r = 0;
    while (r < count / 2 && tail + term <= 0.025) {
        tail += term;
        term *= (double)(count - r) / (double)(r + 1);
        r++;
    }
    return r ? r : 1;
}

struct summary summarize(const double *samples, size_t count)
{
    if (!count)
        return (struct summary){NAN, NAN, NAN, NAN, NAN, NAN};
    double *sorted = sorted_copy(samples, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    size_t rank = median_rank(count);
    struct summary s = {.min = sorted[0],
                        .median = quantile_of_sorted(sorted, count, 0.5),
                        .max = sorted[count - 1],
                        .mean = sum / (double)count,
                        .ci95_low = sorted[rank - 1],
                        .ci95_high = sorted[count - rank]};
    free(sorted);
    return s;
}

struct line fit_line(const double *x, const double *y, size_t count)
{
    double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, syy = 0;
    for (size_t i = 0; i < count; i++) {
        mean_x += x[i] / (double)count;
        mean_y += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        sxx += (x[i] - mean_x) * (x[i] - mean_x);
        sxy += (x[i] - mean_x) * (y[i] - mean_y);
        syy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    if (count < 2 || sxx <= 0)
        return (struct line){NAN, NAN, NAN};
    double slope = sxy / sxx;
    return (struct line){
        .slope = slope, .intercept = mean_y - slope * mean_x, .r2 = syy > 0 ? sxy * sxy / (sxx * syy) : NAN};
}
