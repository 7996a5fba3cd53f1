/*
 * The part of a Smith-Waterman matrix that is kept between two of its anti-diagonals
 * (swat/matrix/diagonals.cuh), on the host.
 */
#ifndef SWAT_LINES_H
#define SWAT_LINES_H

#include "swat/matrix/alignment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each row, from 1: H of three anti-diagonals d by d % 3, E and F of two by d % 2, and the row's best
 * cell, at place i - 1. */
struct swat_lines {
    int *h[3], *e[2], *f[2];
    struct row_best *best;
};

/* Fills the anti-diagonals i + j = first to last, from 2 on, from the lines that the
 * preceding ones have left. */
void fill_lines(const struct swat_lines *lines, const struct sequence *a, const struct sequence *b,
                const struct scoring *scoring, int first, int last);

#ifdef __cplusplus
}
#endif

#endif
