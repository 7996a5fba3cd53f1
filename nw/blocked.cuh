/*
 * Needleman-Wunsch without any grid barrier, with several rows for each lane (in no paper). As in
 * nw/strips.cuh, a warp fills a strip from west to east and waits only for the strip to its north, through
 * packed words. The differences, and their reasons:
 *
 * - A lane keeps several rows in registers, so that a step's shuffles and loads serve all of them, and a
 *   matrix has fewer strips, each of which begins 32 steps and a hop after the preceding one.
 * - Scores come from a profile of the strip in shared memory, [letter][row], and not from the array of all
 *   scores p(i,j) in global memory, which is as large as the matrix.
 * - Lanes keep T(i,j) = S(i,j) + (i + j) k instead of S. Its recurrence is T(i,j) = max(T(i-1,j-1) + p(i,j) +
 *   2k, T(i,j-1), T(i-1,j)), in which only one maximum needs the row above. T's first row and column are 0,
 *   and so are all cells outside if their letter matches nothing. So no step has to test whether its cells
 *   are inside the matrix.
 * - The last lane publishes its last row's value in each step, and the columns of the strip to the north are
 *   loaded a chunk before they are needed.
 * - Results are transposed in shared memory, each at its address modulo the ring's width, and a second warp
 *   stores them as whole aligned lines, so that the first warp's steps are short.
 *
 * All blocks must be resident at once, or start in the order of their numbers: the strips of a block wait for
 * the strips of the preceding block.
 */
#ifndef NW_BLOCKED_CUH
#define NW_BLOCKED_CUH

#include "nw/tiles.cuh"
#include "align/scoring.h"

#include <limits.h>

struct NwBlocked {
    enum { lane_rows = 4, rows = 32 * lane_rows, threads = 64, ring = 128 };
    enum {
        /* number of words of a line of 128 bytes, and number of steps between two stores of results */
        line = 32,
        /* number of steps of a chunk, and number of columns of the strip to the north that are awaited at
         * once */
        chunk = 16
    };

    /* The scores of a lane's rows against one letter of b. */
    struct alignas(16) scores_of_rows {
        int of[lane_rows];
    };
    struct alignas(16) quad {
        int of[4];
    };
    enum { profile_bytes = (SCORING_LETTERS + 1) * 32 * sizeof(scores_of_rows) };
    enum { shared_bytes = rows * ring * sizeof(int) + profile_bytes };

    NwMatrix q;             /* the matrix; its member `field` is not used */
    const unsigned char *a; /* codes of sequence a's letters, which are the rows */
    /* codes of sequence b's letters, the columns, with PADDING times NO_LETTER before and after */
    const unsigned char *b;
    const int *scores;
    /* the values T(i,j) (see above) of the last row of each strip but the last one, as published words: n
     * words for each such strip */
    packed_word *borders;
    /* the tag of the words that this launch publishes; earlier launches had other tags */
    unsigned epoch;
    scores_of_rows *profile; /* scores of the strip's rows in shared memory, [letter][lane] */
    /* results in shared memory, [rows][ring]; the result for address x in the matrix is at x mod ring */
    int *turn;

    /* The registers of a lane. */
    struct registers {
        int t[lane_rows]; /* T of the cells that the lane filled last */
        /* T of the cell north-west of the lane's next cell: the north value of the preceding step */
        int diagonal;
        /* for each row, the index of its column 0 within a line of `line` words */
        int place[lane_rows];
        unsigned char letter[chunk]; /* letters of b that the lane needs in the steps of a chunk */
    };

    static __device__ int lane() { return (int)threadIdx.x % 32; }

    /* Returns the index of column 0 of row i in the matrix, in words. */
    __device__ size_t start_of(int i) const { return (size_t)i * (size_t)(q.n + 1); }

    __device__ void make_profile(int row)
    {
        const int *of_row[lane_rows];
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            of_row[r] = scores + a[(row + r <= q.m ? row + r : q.m) - 1] * SCORING_LETTERS;
        UNROLL(8)
        for (int letter = 0; letter < SCORING_LETTERS; letter++) {
            UNROLL(lane_rows)
            for (int r = 0; r < lane_rows; r++)
                profile[letter * 32 + lane()].of[r] = of_row[r][letter] + 2 * q.penalty;
        }
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            profile[NO_LETTER * 32 + lane()].of[r] = INT_MIN / 2;
    }

    /* Reads once the published word for column j of the row above the strip; it may not be published yet. */
    __device__ packed_word north_border(int strip, int j) const
    {
        if (strip == 0 || lane() >= chunk || j > q.n)
            return packed(0, epoch);
        return packed_word_load(&borders[(size_t)(strip - 1) * (size_t)q.n + (size_t)(j - 1)]);
    }
    /* Waits until all lanes have the words that they need from the row above the strip. The whole warp votes,
     * because a lane that left the loop alone would not converge with the others again. */
    __device__ int await_border(int strip, int j, packed_word word) const
    {
        while (__any_sync(0xffffffffu, !packed_word_is(word, epoch)))
            word = north_border(strip, j);
        return (int)packed_word_value(word);
    }

    __device__ void load_letters(registers *at, int from) const
    {
        UNROLL(chunk)
        for (int u = 0; u < chunk; u++)
            at->letter[u] = b[from + u - lane()];
    }

    /* Fills column j of this lane's rows, the first of which is row i; `north` is T of the cell above
     * them. */
    __device__ void fill_column(registers *at, int north, scores_of_rows p, int i, int j)
    {
        int diagonal = at->diagonal, gaps = (i + j) * q.penalty, base = lane() * lane_rows * ring;
        at->diagonal = north;
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++) {
            int west = at->t[r], best = diagonal + p.of[r] > west ? diagonal + p.of[r] : west;
            diagonal = west;
            north = at->t[r] = best > north ? best : north;
            turn[(((at->place[r] + j) & (ring - 1)) | base) + r * ring] = north - gaps - r * q.penalty;
        }
    }

    /* Does steps from..from + 31 of a strip; in step k lane l fills column k - l + 1. */
    __device__ void steps(registers *at, int strip, int from, packed_word *next)
    {
        int first_row = strip * rows + 1, row = first_row + lane() * lane_rows;
        /* number of columns in which this lane publishes its last row's value: all n, or 0 for a lane that
         * publishes none */
        unsigned columns = lane() == 31 && first_row + rows <= q.m ? (unsigned)q.n : 0;
        for (int k = from; k < from + line; k += chunk) {
            int above = await_border(strip, k + lane() + 1, *next);
            *next = north_border(strip, k + chunk + lane() + 1);
            packed_word *to = borders + ((ptrdiff_t)strip * q.n + k - lane());
            unsigned char letter[chunk];
            UNROLL(chunk)
            for (int u = 0; u < chunk; u++)
                letter[u] = at->letter[u];
            load_letters(at, k + chunk);
            /* The next step's scores are loaded before this step's stores, which may go to the same addresses
             * as far as the compiler knows. */
            scores_of_rows p = profile[letter[0] * 32 + lane()], next_p = p;
            UNROLL(chunk)
            for (int u = 0; u < chunk; u++, p = next_p) {
                int j = k + u - lane() + 1;
                int north = (int)__shfl_up_sync(0xffffffffu, (unsigned)at->t[lane_rows - 1], 1);
                int first = (int)__shfl_sync(0xffffffffu, (unsigned)above, u);
                if (u + 1 < chunk)
                    next_p = profile[letter[u + 1] * 32 + lane()];
                fill_column(at, lane() ? north : first, p, row, j);
                if ((unsigned)(j - 1) < columns)
                    packed_word_publish(to + u, (unsigned)at->t[lane_rows - 1], epoch);
            }
        }
    }

    /* Stores words x..x + 31 of each of the rows y..y + 3 of the strip; this lane stores four words
     * of row y + lane / 8. INSIDE says that all words are in the matrix. */
    template <bool INSIDE>
    __device__ void store_lines(int first_row, int y, int x) const
    {
        y += lane() / 8;
        x += lane() % 8 * 4;
        int i = first_row + y;
        size_t start = start_of(i);
        const quad values = *(const quad *)&turn[y * ring + (x & (ring - 1))];
        int *line_start = q.s + start / line * line + x;
        if (INSIDE) {
            *(quad *)line_start = values;
            return;
        }
        int j = x - (int)(start % line);
        for (int e = 0; e < 4; e++)
            if (i <= q.m && j + e >= 1 && j + e <= q.n)
                line_start[e] = values.of[e];
    }

    /* Stores words from..from + line - 1 of each row of the strip. A row's words are counted from the
     * beginning of the line that holds its column 0. */
    __device__ void store(int first_row, int from) const
    {
        bool inside = from >= line && from + line <= q.n && first_row + rows - 1 <= q.m;
        UNROLL(8)
        for (int y = 0; y < rows; y += 4)
            if (inside)
                store_lines<true>(first_row, y, from);
            else
                store_lines<false>(first_row, y, from);
    }

    /* Fills a strip: the block's first warp computes it, and the second warp stores the results that the
     * first one computed two lines earlier. */
    __device__ void fill(int strip)
    {
        int first_row = strip * rows + 1, row = first_row + lane() * lane_rows;
        int end = (q.n + 31 + line - 1) / line * line;
        bool fills = threadIdx.x < 32;
        registers at = {};
        packed_word next = 0;
        if (fills) {
            make_profile(row);
            UNROLL(lane_rows)
            for (int r = 0; r < lane_rows; r++)
                at.place[r] = (int)(start_of(row + r) % line);
            load_letters(&at, 0);
            next = north_border(strip, lane() + 1);
        }
        for (int from = 0; from < end; from += line) {
            if (fills)
                steps(&at, strip, from, &next);
            else
                store(first_row, from - 2 * line);
            __syncthreads();
        }
        for (int from = end - 2 * line; !fills && from < q.n + line; from += line)
            store(first_row, from);
        __syncthreads();
    }
};

static __global__ void __launch_bounds__(NwBlocked::threads) nw_blocked(NwBlocked strips)
{
    strips.profile = dynamic_shared<NwBlocked::scores_of_rows>();
    strips.turn = (int *)(dynamic_shared<char>() + NwBlocked::profile_bytes);
    for (int strip = (int)blockIdx.x; strip * NwBlocked::rows < strips.q.m; strip += (int)gridDim.x)
        strips.fill(strip);
}

#endif
