/* The numbers to be summed, from files or generated. */
#ifndef SUM_NUMBERS_H
#define SUM_NUMBERS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernels of a GPU make and check numbers, too (sum/on_device.cuh). */
#ifdef __CUDACC__
#define NUMBERS_INLINE static inline __host__ __device__
#else
#define NUMBERS_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum number_type { INT32, INT64, FLOAT, DOUBLE };

/* A number of any type. The integer types use `whole`, which wraps like an unsigned integer of their width;
 * FLOAT and DOUBLE use `real`. */
struct number {
    uint64_t whole;
    double real;
};

struct numbers {
    struct number *items;
    unsigned count;
    enum number_type type;
};

#define MOST_NUMBERS (1 << 30)

NUMBERS_INLINE bool is_real(enum number_type type)
{
    return type == FLOAT || type == DOUBLE;
}

/* Reads one number of the type per line. Exits with EXIT_BAD_INPUT, naming file and line, if a line is
 * anything else, if there is no line, or if there are more than MOST_NUMBERS. */
void read_numbers(const char *path, enum number_type type, struct numbers *out);

/* Generates `count` numbers from the seed: uniform integers of all 64 bits, or real numbers in [-0.5, 1],
 * whose sums need rounding. */
void generate_numbers(unsigned count, enum number_type type, unsigned long long seed, struct numbers *out);

/* Makes a real number in [-0.5, 1] of random bits; 1 occurs only as a FLOAT, by rounding. */
NUMBERS_INLINE double real_number(uint64_t bits, enum number_type type)
{
    double value = 1.5 * (double)(bits >> 11) * 0x1p-53 - 0.5;
    return type == FLOAT ? (double)(float)value : value;
}

/*
 * Returns whether `value` is the sum of `count` numbers whose exact sum is `expected` and whose magnitudes
 * add up to `magnitude`. Integers must be equal. FLOAT and DOUBLE may have an error of at most 4 sqrt(count)
 * u magnitude, where u is half the distance from 1 to the next number: rounding errors exceed this bound with
 * hardly any probability (Higham and Mary 2019, A New Approach to Probabilistic Rounding Error Analysis,
 * Theorem 2.4). Infinities and NaN must be as expected.
 */
NUMBERS_INLINE bool is_right(enum number_type type, const struct number *value, const struct number *expected,
                             double magnitude, size_t count)
{
    if (type == INT32)
        return (uint32_t)value->whole == (uint32_t)expected->whole;
    if (type == INT64)
        return value->whole == expected->whole;
    if (isnan(expected->real) || isinf(expected->real))
        return isnan(expected->real) ? isnan(value->real) : value->real == expected->real;
    double u = type == FLOAT ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    return fabs(value->real - expected->real) <= 4 * sqrt((double)count) * u * magnitude;
}

#ifdef __cplusplus
}
#endif

#endif
