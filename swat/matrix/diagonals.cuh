/*
 * A step of Smith-Waterman by anti-diagonals (Xiao and Feng 2010, section VI-B and Figure 9): it fills the
 * cells of one anti-diagonal, each of which needs only cells of the two preceding anti-diagonals. Three
 * anti-diagonals of H and two of E and F are kept, indexed by row; all directions are kept. align/alignment.h
 * has the recurrence.
 */
#ifndef SWAT_DIAGONALS_CUH
#define SWAT_DIAGONALS_CUH

#include "harness/kernel.cuh"
#include "align/alignment.h"

#include <limits.h>

struct SwatStep {
    const unsigned char *a, *b;
    const int *scores;
    /* the lines of H, E and F of struct swat_lines (swat/matrix/lines.h), on the device */
    int *h[3], *e[2], *f[2];
    row_best *best;
    unsigned char *directions;
    int rows, columns, open, extend;

    __device__ __forceinline__ void cell(int i, int j, int shift)
    {
        const int infinity = INT_MAX / 2;
        int d = i + j;
        const int *h1 = h[(d - 1) % 3] + shift, *h2 = h[(d - 2) % 3] + shift;
        const int *e1 = e[(d - 1) & 1] + shift, *f1 = f[(d - 1) & 1] + shift;
        int e_open = (j > 1 ? h1[i] : 0) - open, e_extend = (j > 1 ? e1[i] : -infinity) - extend;
        int f_open = (i > 1 ? h1[i - 1] : 0) - open, f_extend = (i > 1 ? f1[i - 1] : -infinity) - extend;
        int diagonal = (i > 1 && j > 1 ? h2[i - 1] : 0) + scores[a[i - 1] * SCORING_LETTERS + b[j - 1]];
        int ee = e_open > e_extend ? e_open : e_extend, ff = f_open > f_extend ? f_open : f_extend;
        int hh = diagonal > 0 ? diagonal : 0;
        hh = ee > hh ? ee : hh;
        hh = ff > hh ? ff : hh;
        int source = hh == 0 ? FROM_NOTHING : hh == diagonal ? FROM_DIAGONAL : hh == ee ? FROM_E : FROM_F;
        h[d % 3][shift + i] = hh;
        e[d & 1][shift + i] = ee;
        f[d & 1][shift + i] = ff;
        directions[direction_place((size_t)i, (size_t)j, (size_t)rows)] =
            (unsigned char)(source | (e_extend > e_open ? E_EXTENDS : 0) |
                            (f_extend > f_open ? F_EXTENDS : 0));
        row_best *row = best + shift + i - 1;
        if (j == 1 || hh > row->score)
            *row = {hh, j};
    }

    /* Fills the cells (i, j) with i + j = d. Its lines begin `shift` numbers after h, e, f and best. */
    __device__ __forceinline__ void diagonal(int d, int shift)
    {
        int first = d - columns > 1 ? d - columns : 1, last = d - 1 < rows ? d - 1 : rows;
        for (int i = first + (int)(blockIdx.x * blockDim.x + threadIdx.x); i <= last;
             i += (int)(gridDim.x * blockDim.x))
            cell(i, d - i, shift);
    }

    __device__ void operator()(int s) { diagonal(s + 2, 0); }
};

#endif
