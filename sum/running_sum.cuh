/* Sums with which answers are compared, on the host (sum/answers.cuh) and on the device
 * (sum/on_device.cuh). */
#ifndef SUM_RUNNING_SUM_CUH
#define SUM_RUNNING_SUM_CUH

#include "harness/kernel.cuh"
#include "sum/numbers.h"

/* The sum of the numbers before some place, and the sum of their magnitudes, which bounds the rounding
 * errors. */
struct running_sum {
    number sum;
    double magnitude;
};

static __host__ __device__ __forceinline__ void add(running_sum *to, const number &item)
{
    to->sum.whole += item.whole;
    to->sum.real += item.real;
    to->magnitude += fabs(item.real);
}

/* Adds the sum of the numbers that precede. */
static void add_sum(running_sum *to, const running_sum &before)
{
    to->sum.whole += before.sum.whole;
    to->sum.real += before.sum.real;
    to->magnitude += before.magnitude;
}

#endif
