/* Compares a filled matrix with the reference, using all processors, because it may have a gigabyte. */
#ifndef NW_COMPARE_H
#define NW_COMPARE_H

#include "nw/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many cells of `s` differ from `expected`. In row i + 1 it compares columns 1..columns[i]. Both
 * matrices are (m + 1) x (n + 1), row by row, as nw_fill_sequential leaves them. */
unsigned long long nw_count_wrong(const struct nw_problem *problem, const int *s, const int *expected,
                                  const size_t *columns);

#ifdef __cplusplus
}
#endif

#endif
