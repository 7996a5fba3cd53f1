/* Tests each statistic of base/statistics.h on samples for which its value is known. */
#include "base/statistics.h"
#include "tests/check.h"

#include <math.h>

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

static void check_quantiles(void)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    check(quantile(odd, 3, 0.5) == 3, "the median of an odd number of samples is the middle one");
    check(quantile(even, 4, 0.5) == 2.5, "the median of an even number is the mean of the two in the middle");
    check(quantile(one, 1, 0.9) == 7, "every quantile of one sample is that sample");
    check(close_to(quantile(even, 4, 0.25), 1.75), "quantiles interpolate (type 7: 1.75)");
    check(quantile(even, 4, 0) == 1 && quantile(even, 4, 1) == 4,
          "the extreme quantiles are minimum and maximum");
    check(isnan(quantile(odd, 0, 0.5)), "no samples have no median");
    check(odd[0] == 5 && odd[1] == 1, "samples are left as they are");
}

static void check_summary(void)
{
    double samples[20];
    for (int i = 0; i < 20; i++)
        samples[i] = (i * 7) % 20 + 1; /* 1 to 20, shuffled */
    struct summary s = summarize(samples, 20);
    check(s.min == 1 && s.max == 20 && s.median == 10.5 && s.mean == 10.5, "a summary has the known values");
    check(s.ci95_low == 6 && s.ci95_high == 15,
          "the 95 %% interval of the median of 20 samples is from the 6th to the 15th");
    s = summarize(samples, 8);
    check(s.ci95_low == s.min && s.ci95_high == s.max, "the interval of 8 samples is their range");
    s = summarize(samples, 5);
    check(s.ci95_low == s.min && s.ci95_high == s.max, "the interval of 5 samples is their range");
    check(isnan(summarize(samples, 0).median), "no samples have no summary");
    /* The expected ranks come from tables of the sign test: 18 and 33 for 50 samples, 40 and 61 for 100
     * samples. */
    double many[100];
    for (int i = 0; i < 100; i++)
        many[i] = i + 1;
    s = summarize(many, 50);
    check(s.ci95_low == 18 && s.ci95_high == 33, "the interval of 50 samples is from the 18th to the 33rd");
    s = summarize(many, 100);
    check(s.ci95_low == 40 && s.ci95_high == 61, "the interval of 100 samples is from the 40th to the 61st");
}

static void check_line(void)
{
    const double x[] = {1, 2, 3, 4}, exact[] = {5, 7, 9, 11}, noisy[] = {6, 5, 7, 10}, flat[] = {2, 2, 2, 2},
                 same[] = {3, 3, 3, 3};
    struct line line = fit_line(x, exact, 4);
    check(close_to(line.slope, 2) && close_to(line.intercept, 3) && close_to(line.r2, 1),
          "a line is found exactly");
    line = fit_line(x, noisy, 4);
    check(close_to(line.slope, 1.4) && close_to(line.intercept, 3.5) && close_to(line.r2, 0.7),
          "the least-squares line of a textbook example has slope 1.4, intercept 3.5 and R^2 0.7");
    line = fit_line(x, flat, 4);
    check(close_to(line.slope, 0) && isnan(line.r2), "equal y have a slope of zero and no R^2");
    check(isnan(fit_line(same, exact, 4).slope), "equal x have no slope");
}

int main(void)
{
    check_quantiles();
    check_summary();
    check_line();
    return checks_done();
}
