/* The numbers to be summed: from files or generated. */
#ifndef SUM_NUMBERS_H
#define SUM_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum number_type { INT32, INT64, FLOAT, DOUBLE };

/* `whole` for the integers, which wrap as unsigned ones of their width do; `real` for the others. */
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

/* One a line. Exits with EXIT_BAD_INPUT, naming file and line, for anything else. */
void read_numbers(const char *path, enum number_type type, struct numbers *out);

/* Any integers; for the other types 0 to 7, which float adds without rounding up to 2^24 / 8 of
 * them. */
void generate_numbers(unsigned count, enum number_type type, unsigned long long seed, struct numbers *out);

/* Integers must be equal, float within 1e-5 of what is expected, double within 1e-12 of it. */
bool is_right(enum number_type type, const struct number *value, const struct number *expected);

#ifdef __cplusplus
}
#endif

#endif
