/* The numbers to be summed, from files or generated. */
#ifndef SUM_NUMBERS_H
#define SUM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum number_type { INT32, INT64, FLOAT, DOUBLE };

/* `whole` is for the integers, which wrap like unsigned integers of their width; `real` is
 * for the other types. */
struct number {
    uint64_t whole;
    double real;
};

struct numbers {
    struct number *items;
    unsigned count;
    enum number_type type;
};

#define MOST_NUMBERS (1 << 28)

bool is_real(enum number_type type);

/* Reads one number a line. Exits with EXIT_BAD_INPUT, naming file and line, for anything else. */
void read_numbers(const char *path, enum number_type type, struct numbers *out);

/* Any integers; for the other types numbers in [-0.5, 1) whose sums are rounded. */
void generate_numbers(unsigned count, enum number_type type, unsigned long long seed, struct numbers *out);

/*
 * Is `value` a sum of `count` numbers whose exact sum is `expected` and whose magnitudes add up to
 * `magnitude`? Integers must be equal. For the other types the error must be at most 4 sqrt(count) u times
 * the sum of the magnitudes, where u is half the distance of 1 to the next number; rounding errors exceed
 * this bound with hardly any probability (Higham and Mary 2019, A New Approach to Probabilistic Rounding
 * Error Analysis, Theorem 2.4). Infinities and NaN must be as expected.
 */
bool is_right(enum number_type type, const struct number *value, const struct number *expected,
              double magnitude, size_t count);

#ifdef __cplusplus
}
#endif

#endif
