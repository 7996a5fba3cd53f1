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
    struct sequences pair; /* the two sequences: the first has m letters, the second has n */
    struct scoring scoring;
    size_t m, n;
    int penalty; /* k, the cost of each letter in a gap */
    int *field;  /* the scores p(i,j), m x n, row by row */
};

/* Makes the two sequences of Rodinia's problem. Their codes are values of rand() % 10 + 1 of the C library
 * after srand(7): first n for the rows, then n for the columns. The expected scores hold only for the rand of
 * glibc. */
void nw_rodinia_sequences(size_t n, struct sequences *out);

/* nw_make_field() makes the problem's field: the scores p(i,j) of the letters of its two sequences. nw_free()
 * frees the sequences and the field. */
void nw_make_field(struct nw_problem *problem);
void nw_free(struct nw_problem *problem);

/* nw_fill_boundary() fills the first row and column of S; nw_fill_sequential() fills all of S with one
 * thread. S is (m + 1) x (n + 1), row by row. */
void nw_fill_boundary(const struct nw_problem *problem, int *s);
void nw_fill_sequential(const struct nw_problem *problem, int *s);

/*
 * Prints one line of fields separated by tabs: both names; the score; a 64-bit FNV-1a hash of rows 1..m and
 * columns 1..n of S (32-bit little-endian; offset basis 1469598103934665603); their sum; and an optimal
 * alignment as a CIGAR (M for both sequences, I for the first only, D for the second only; a diagonal is
 * preferred to a gap).
 */
void nw_print_alignment(FILE *file, const struct nw_problem *problem, const int *s);

/* Compares a filled matrix with the reference, using all processors, because it may have a gigabyte. */

/* Returns how many cells of `s` differ from `expected`. In row i + 1 it compares columns 1..columns[i]. Both
 * matrices are (m + 1) x (n + 1), row by row, as nw_fill_sequential leaves them. */
unsigned long long nw_count_wrong(const struct nw_problem *problem, const int *s, const int *expected,
                                  const size_t *columns);

#ifdef __cplusplus
}
#endif

#endif
