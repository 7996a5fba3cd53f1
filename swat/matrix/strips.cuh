/*
 * Matrix filling of Smith-Waterman without any grid barrier (in no paper): a warp fills a strip of 32 rows
 * from the first column to the last, one row for each lane, and waits only for the strip above, 32 columns at
 * a time, through packed words in global memory. All other values move from lane to lane by shuffles.
 *
 * All blocks must be resident at once: the strips of a warp wait for strips of other warps.
 * align/alignment.h has the recurrence.
 */
#ifndef SWAT_STRIPS_CUH
#define SWAT_STRIPS_CUH

#include "align/alignment.h"
#include "sync/packed_word.cuh"

#include <limits.h>

#define MINUS_INFINITY_SCORE (-(INT_MAX / 2))

struct SwatStrips {
    enum { rows_per_strip = 32 };
    static const unsigned lanes = 0xffffffffu;

    const unsigned char *a, *b;
    const int *scores;
    row_best *best;
    unsigned char *directions;
    int rows, columns, open, extend;
    /* published words: for each strip, H of its last row in all columns, then F of this row */
    packed_word *borders;
    /* the tag of the words that this launch publishes; earlier launches had other tags */
    unsigned epoch;

    /* The values of the cell that a lane filled last. */
    struct cell {
        int h, e, f;
    };

    __device__ int lane() const { return (int)threadIdx.x % rows_per_strip; }

    __device__ packed_word *border(int strip, int column, bool of_f) const
    {
        return borders + ((size_t)strip * 2 + of_f) * (size_t)columns + (size_t)(column - 1);
    }

    /* Waits until H and F of `column` in the row above the strip are published, and sets *h and *f to
     * them. */
    __device__ void await_border(int strip, int column, int *h, int *f) const
    {
        *h = 0;
        *f = MINUS_INFINITY_SCORE;
        if (strip == 0 || column > columns)
            return;
        *h = (int)packed_word_await(border(strip - 1, column, false), epoch);
        *f = (int)packed_word_await(border(strip - 1, column, true), epoch);
    }

    __device__ void publish(int strip, int column, int h, int f) const
    {
        if (column < 1 || column > columns || (strip + 1) * rows_per_strip >= rows)
            return;
        packed_word_publish(border(strip, column, false), (unsigned)h, epoch);
        packed_word_publish(border(strip, column, true), (unsigned)f, epoch);
    }

    /* Fills the cell to the east of the one in `last`, with H and F of its north neighbour and H of its
     * diagonal neighbour. Leaves the new cell in `last` and returns its direction. */
    __device__ unsigned char fill_cell(cell *last, int north_h, int north_f, int diagonal, int score) const
    {
        int e_open = last->h - open, e_extend = last->e - extend;
        int f_open = north_h - open, f_extend = north_f - extend;
        int e = e_open > e_extend ? e_open : e_extend, f = f_open > f_extend ? f_open : f_extend;
        int match = diagonal + score, h = match > 0 ? match : 0;
        h = e > h ? e : h;
        h = f > h ? f : h;
        int source = h == 0 ? FROM_NOTHING : h == match ? FROM_DIAGONAL : h == e ? FROM_E : FROM_F;
        *last = {h, e, f};
        return (unsigned char)(source | (e_extend > e_open ? E_EXTENDS : 0) |
                               (f_extend > f_open ? F_EXTENDS : 0));
    }

    __device__ static int from_above(int value) { return (int)__shfl_up_sync(lanes, (unsigned)value, 1); }
    __device__ static int of_lane(int value, int source)
    {
        return (int)__shfl_sync(lanes, (unsigned)value, source);
    }

    /* Fills a strip. At step k lane l is at column k - l + 1, one step later than the lane above. */
    __device__ void fill(int strip)
    {
        int i = strip * rows_per_strip + lane() + 1, diagonal = 0, letter = 0;
        const int *row_scores = scores + (i <= rows ? a[i - 1] : 0) * SCORING_LETTERS;
        cell last = {0, MINUS_INFINITY_SCORE, MINUS_INFINITY_SCORE};
        row_best mine = {-1, 0};
        int steps = (columns + 2 * rows_per_strip - 2) / rows_per_strip * rows_per_strip;
        for (int from = 0; from < steps; from += rows_per_strip) {
            int above_h, above_f, out_h = 0, out_f = 0, column = from + lane() + 1;
            await_border(strip, column, &above_h, &above_f);
            int letters = column <= columns ? b[column - 1] : 0;
            for (int k = 0; k < rows_per_strip; k++) {
                int h = from_above(last.h), f = from_above(last.f), next_letter = from_above(letter);
                int first_h = of_lane(above_h, k), first_f = of_lane(above_f, k),
                    first_letter = of_lane(letters, k);
                h = lane() ? h : first_h;
                f = lane() ? f : first_f;
                letter = lane() ? next_letter : first_letter;
                int j = from + k - lane() + 1;
                if (j >= 1 && j <= columns && i <= rows) {
                    directions[direction_place((size_t)i, (size_t)j, (size_t)rows)] =
                        fill_cell(&last, h, f, diagonal, row_scores[letter]);
                    diagonal = h;
                    if (last.h > mine.score)
                        mine = {last.h, j};
                }
                int bottom_h = of_lane(last.h, rows_per_strip - 1),
                    bottom_f = of_lane(last.f, rows_per_strip - 1);
                out_h = lane() == k ? bottom_h : out_h;
                out_f = lane() == k ? bottom_f : out_f;
            }
            publish(strip, column - (rows_per_strip - 1), out_h, out_f);
        }
        if (i <= rows)
            best[i - 1] = mine;
    }
};

/* Fills all strips. Blocks are whole warps, and strip s goes to warp s mod W of the launch's W warps. */
static __global__ void swat_strips(SwatStrips strips)
{
    int warps = (int)(blockDim.x / 32), worker = (int)(threadIdx.x / 32 * gridDim.x + blockIdx.x);
    for (int strip = worker; strip * SwatStrips::rows_per_strip < strips.rows;
         strip += warps * (int)gridDim.x)
        strips.fill(strip);
}

#endif
