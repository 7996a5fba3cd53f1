/*
 * Computes Smith-Waterman alignments with affine gaps (Xiao and Feng 2010, section VI-B; Gotoh 1982) in one
 * thread, and traces an alignment back from its end. The matrix has a row for each letter of sequence a and a
 * column for each letter of sequence b:
 *
 *     E(i,j) = max(H(i,j-1) - open, E(i,j-1) - extend)     a gap in a
 *     F(i,j) = max(H(i-1,j) - open, F(i-1,j) - extend)     a gap in b
 *     H(i,j) = max(0, H(i-1,j-1) + score(a_i, b_j), E(i,j), F(i,j))
 */
#ifndef ALIGN_ALIGNMENT_H
#define ALIGN_ALIGNMENT_H

#include "align/sequences.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a cell's direction: the SOURCE bits say from which operand H comes, E_EXTENDS and F_EXTENDS say
 * whether E and F lengthen an existing gap. */
enum {
    FROM_NOTHING = 0,
    FROM_DIAGONAL = 1,
    FROM_E = 2,
    FROM_F = 3,
    SOURCE = 3,
    F_EXTENDS = 64,
    E_EXTENDS = 128
};

/* The best cell of a row: its score and its column, counted from 1. If several cells have the best score,
 * this is the first of them. */
struct row_best {
    int score, column;
};

#ifdef __CUDACC__
#define SWAT_EVERYWHERE __host__ __device__
#else
#define SWAT_EVERYWHERE
#endif

/* The array of directions has one direction for each cell. It is stored by anti-diagonals, because the
 * kernels write the cells in this order, and each anti-diagonal begins at the address of a word.
 * direction_place() returns the index of cell (i, j), where i and j count from 1, and direction_bytes()
 * returns the size of the array. */
SWAT_EVERYWHERE static inline size_t direction_pitch(size_t rows)
{
    return (rows + 7) / 8 * 8;
}
SWAT_EVERYWHERE static inline size_t direction_place(size_t i, size_t j, size_t rows)
{
    return (i + j - 2) * direction_pitch(rows) + (i - 1);
}
static inline size_t direction_bytes(size_t rows, size_t columns)
{
    return (rows + columns - 1) * direction_pitch(rows);
}

/* Fills in the best cell of each row of the matrix and the directions of all cells. It uses one thread.
 * `directions` has direction_bytes() bytes, all zero before the call. */
void fill_sequential(const struct sequence *a, const struct sequence *b, const struct scoring *scoring,
                     struct row_best *rows, unsigned char *directions);

/*
 * Prints one line of fields separated by tabs: both names; the score; the first and last position in each
 * sequence, counted from 1 (0 0 if nothing aligns); and the alignment as a CIGAR (M for both, I for a only, D
 * for b only; * for none). If several cells have the best score, the alignment ends in the first row of them.
 */
void print_alignment(FILE *file, const struct sequence *a, const struct sequence *b,
                     const struct row_best *rows, const unsigned char *directions);

/* Builds CIGAR strings from the alignment's end to its start, which is the order in which a trace-back finds
 * the operations. */

struct cigar_run {
    char letter; /* the run's operation: M, I, D or S */
    size_t length;
};

/* A CIGAR as a list of runs of equal operations, from the end of the alignment to its start. An empty CIGAR
 * is {NULL, 0}. */
struct cigar {
    struct cigar_run *runs;
    size_t count;
};

/* Puts `length` operations `letter` before the first run of the CIGAR; if the first run has this letter, it
 * becomes longer. */
void cigar_prepend(struct cigar *cigar, char letter, size_t length);

/* Returns the CIGAR as text, from the alignment's start to its end ("*" if it has no operations), and frees
 * the runs. The caller frees the text. */
char *cigar_finish(struct cigar *cigar);

#ifdef __cplusplus
}
#endif

#endif
