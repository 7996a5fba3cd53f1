/* Compares a filled matrix with the reference's, by all processors: it may have a gigabyte. */
#ifndef NW_COMPARE_H
#define NW_COMPARE_H

#include "nw/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many of the first columns[i] cells of row i + 1, for each row that has letters, are not the expected ones.
 * Both matrices: (m + 1) x (n + 1), row by row, as nw_fill_sequential leaves them. */
unsigned long long nw_count_wrong(const struct nw_problem *problem, const int *s, const int *expected,
                                  const size_t *columns);

#ifdef __cplusplus
}
#endif

#endif
