/*
 * Needleman-Wunsch with linear gaps, sequentially (Li 2015, Equation 1; Needleman and Wunsch 1970;
 * Rodinia's nw): S(i,j) = max(S(i-1,j-1) + p(i,j), S(i,j-1) - k, S(i-1,j) - k), S(i,0) = -i k,
 * S(0,j) = -j k.
 */
#ifndef NW_REFERENCE_H
#define NW_REFERENCE_H

#include "align/sequences.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nw_problem {
    struct sequences pair; /* two */
    struct scoring scoring;
    size_t m, n; /* their lengths */
    int penalty; /* k, of each letter in a gap */
    int *field;  /* p: m x n, row by row */
};

/*
 * Rodinia's own problem of n letters: srand(7) and rand() % 10 + 1 of the C library as codes, for
 * the rows, then for the columns. The expected scores are those of glibc's rand.
 */
void nw_rodinia_sequences(size_t n, struct sequences *out);

/* Makes the field of the pair. Free both with nw_free. */
void nw_make_field(struct nw_problem *problem);
void nw_free(struct nw_problem *problem);

/* S is (m + 1) x (n + 1), row by row. Fills its first row and column; the other function fills all of it. */
void nw_fill_boundary(const struct nw_problem *problem, int *s);
void nw_fill_sequential(const struct nw_problem *problem, int *s);

/*
 * Prints one line: both names, the score, a 64-bit FNV-1a hash of rows 1..m and columns 1..n of S
 * (32-bit little-endian; offset basis 1469598103934665603), their sum, and an optimal alignment as
 * a CIGAR (M both, I only the first sequence, D only the second; a diagonal before a gap),
 * separated by tabs.
 */
void nw_print_alignment(FILE *file, const struct nw_problem *problem, const int *s);

#ifdef __cplusplus
}
#endif

#endif
