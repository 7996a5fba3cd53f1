/* The part of a Smith-Waterman matrix that is kept from one of its anti-diagonals to the next
 * (swat/matrix/diagonals.cuh), on the host. */
#ifndef SWAT_LINES_H
#define SWAT_LINES_H

#include "align/alignment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The lines, which are arrays indexed by row, from 1: H of the last three anti-diagonals (h[d % 3] for
 * anti-diagonal d), E and F of the last two (e[d % 2] and f[d % 2]), and the best cell of each row, indexed
 * from 0. */
struct swat_lines {
    int *h[3], *e[2], *f[2];
    struct row_best *best;
};

/* Fills the anti-diagonals i + j = first..last. `lines` must contain the values of the anti-diagonals before
 * `first`. The matrix's first anti-diagonal has i + j = 2. */
void fill_lines(const struct swat_lines *lines, const struct sequence *a, const struct sequence *b,
                const struct scoring *scoring, int first, int last);

#ifdef __cplusplus
}
#endif

#endif
