/*
 * Matrix filling of Smith-Waterman without any grid barrier, with several rows a lane, of many pairs
 * in one launch (no paper has it). As in swat/strips.cuh, a warp fills a strip from the first column
 * to the last and waits only for the strip above. What differs, and why:
 *
 * - A lane keeps several rows in registers, so that a step's shuffles and loads serve them all. Its
 *   rows are a column apart, as lanes are, so a step fills an anti-diagonal of the strip: its cells
 *   do not wait for each other, and its directions lie side by side in memory.
 * - What lanes keep is H' = H - open, which both gaps start from: E = max(H', E - extend) of the
 *   west, F of the north, and a match is H' of the diagonal plus score + open, of which a profile
 *   of the strip is made in shared memory, [row][letter][lane].
 * - Letters before and behind the second sequence match nothing, and make cells there what they
 *   must be for those inside: only directions ask whether they are inside the matrix.
 * - The last lane publishes its last row's values in each step, and the columns of the strip above
 *   are loaded a chunk before they are needed.
 * - Warps draw strips from a list, pair after pair, the longest first. A strip waits only for one
 *   drawn before, so the blocks need not be resident at once.
 */
#ifndef SWAT_BLOCKED_CUH
#define SWAT_BLOCKED_CUH

#include "swat/alignment.h"
#include "harness/kernel.cuh"
#include "sync/packed_word.cuh"

#include <limits.h>

/* A pair of sequences on the device. */
struct swat_task {
    const unsigned char *a;
    const unsigned char *b; /* with PADDING times NO_LETTER before and behind */
    row_best *best;
    unsigned char *directions;
    packed_word_pair *borders; /* H' and F of each strip's last row, in all columns */
    int rows, columns;
};

struct swat_strip {
    int task, strip;
};

struct SwatBlocked {
    const swat_task *tasks;
    const swat_strip *strips; /* in the order in which they are drawn */
    int strip_count;
    const int *scores;
    int open, extend;
    unsigned epoch;   /* another one for each launch on the same borders */
    unsigned *ticket; /* counts the strips drawn, and each warp's last try */
    unsigned drawn;   /* its value before the launch */
};

/* What a lane knows of the last cell of a row. */
struct SwatRow {
    int h, e, f;  /* H', E, F */
    int diagonal; /* H' of the cell to the north */
    int best, best_step;
};

struct SwatBlockedStrip {
    enum {
        lane_rows = 2,
        rows = 32 * lane_rows,
        chunk = 16 /* steps, and columns that are awaited together */
    };
    enum { letters = SCORING_LETTERS + 1, profile_bytes = lane_rows * letters * 32 * sizeof(int) };
    enum { minus_infinity = -(INT_MAX / 2) };
    static const unsigned lanes = 0xffffffffu;

    const SwatBlocked &q;
    const swat_task task;
    int *profile; /* [row of the lane][letter][lane] */
    int strip;
    SwatRow row[lane_rows];
    int score_at[chunk + lane_rows - 1]; /* where the scores against a letter are, of these steps */

    static __device__ int lane() { return (int)threadIdx.x % 32; }
    __device__ int first_row() const { return strip * rows + lane() * lane_rows + 1; }

    __device__ void make_profile()
    {
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++) {
            int i = first_row() + r < task.rows ? first_row() + r : task.rows;
            const int *of_row = q.scores + task.a[i - 1] * SCORING_LETTERS;
            int *p = profile + r * letters * 32 + lane();
            UNROLL(8)
            for (int letter = 0; letter < SCORING_LETTERS; letter++)
                p[letter * 32] = of_row[letter] + q.open;
            p[NO_LETTER * 32] = minus_infinity;
        }
    }

    /* This lane's column of a chunk of the row above the strip: one try, and waiting. */
    __device__ packed_word_pair border_above(int column) const
    {
        if (strip == 0 || lane() >= chunk || column > task.columns)
            return {packed((unsigned)-q.open, q.epoch), packed((unsigned)minus_infinity, q.epoch)};
        return packed_word_load(task.borders + (size_t)(strip - 1) * (size_t)task.columns + (column - 1));
    }
    /* The whole warp votes, since lanes that left the loop alone would go on alone. */
    __device__ void await_border(int column, packed_word_pair *pair) const
    {
        while (__any_sync(lanes,
                          !packed_word_is(pair->first, q.epoch) || !packed_word_is(pair->second, q.epoch)))
            *pair = border_above(column);
    }

    /* Columns whose border this lane publishes: all of them or none. */
    __device__ unsigned columns_to_publish() const
    {
        return lane() == 31 && (strip + 1) * rows < task.rows ? (unsigned)task.columns : 0;
    }
    __device__ void publish(packed_word_pair *to) const
    {
        const SwatRow &last = row[lane_rows - 1];
        packed_word_publish(to, {packed((unsigned)last.h, q.epoch), packed((unsigned)last.f, q.epoch)});
    }

    /* The letters of the chunk from this step on, which meet the lane's first row. */
    __device__ void load_letters(int step, unsigned char *letter) const
    {
        UNROLL(chunk)
        for (int u = 0; u < chunk; u++)
            letter[u] = task.b[step + u - lane() * lane_rows];
    }
    __device__ void use_letters(const unsigned char *letter)
    {
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows - 1; r++)
            score_at[r] = score_at[chunk + r];
        UNROLL(chunk)
        for (int u = 0; u < chunk; u++)
            score_at[lane_rows - 1 + u] = letter[u] * 32 + lane();
    }

    /* Fills the next cell of a row from the one to its west and what the north has; returns its
     * direction. The order of the comparisons is that of fill_sequential. */
    __device__ unsigned fill_cell(SwatRow *at, int north_h, int north_f, int score, int step)
    {
        int e_extend = at->e - q.extend, f_extend = north_f - q.extend;
        bool longer_e = e_extend > at->h, longer_f = f_extend > north_h;
        int e = longer_e ? e_extend : at->h, f = longer_f ? f_extend : north_h;
        int match = at->diagonal + score, gap = e >= f ? e : f, h = match >= gap ? match : gap;
        unsigned source = match >= gap ? (unsigned)FROM_DIAGONAL
                          : e >= f     ? (unsigned)FROM_E
                                       : (unsigned)FROM_F;
        source = h > 0 ? source : (unsigned)FROM_NOTHING;
        h = h > 0 ? h : 0;
        if (h > at->best) {
            at->best = h;
            at->best_step = step;
        }
        at->h = h - q.open;
        at->e = e;
        at->f = f;
        at->diagonal = north_h;
        return source | (longer_e ? E_EXTENDS : 0) | (longer_f ? F_EXTENDS : 0);
    }

    /* The scores of the chunk's step u. */
    __device__ void load_scores(int u, int *score) const
    {
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            score[r] = profile[r * letters * 32 + score_at[lane_rows - 1 + u - r]];
    }

    struct alignas(lane_rows) row_directions {
        unsigned char of[lane_rows];
    };

    /* At step k row i of the strip, from 0, is at column k - i + 1. Before the first column the
     * direction is 0, as is the memory there. CHECKED: row or column may lie beyond the last. */
    template <bool CHECKED>
    __device__ void steps(int from, packed_word_pair *above, row_directions *out)
    {
        size_t pitch = direction_pitch((size_t)task.rows) / lane_rows;
        int above_h = (int)packed_word_value(above->first), above_f = (int)packed_word_value(above->second);
        int last_column = from - (lane() + 1) * lane_rows + 1; /* of the lane's last row, from 0 */
        packed_word_pair *to = task.borders + ((ptrdiff_t)strip * task.columns + last_column);
        *above = border_above(from + chunk + lane() + 1); /* on its way during the steps */
        out += (size_t)from * pitch;
        int score[lane_rows], next_score[lane_rows];
        load_scores(0, next_score);
        UNROLL(chunk)
        for (int u = 0; u < chunk; u++, out += pitch) {
            UNROLL(lane_rows)
            for (int r = 0; r < lane_rows; r++)
                score[r] = next_score[r];
            if (u + 1 <
                chunk) /* before stores that might be to the same addresses, for all that the compiler knows */
                load_scores(u + 1, next_score);

            int step = from + u, column = step - lane() * lane_rows + 1;
            int h = __shfl_up_sync(lanes, row[lane_rows - 1].h, 1),
                f = __shfl_up_sync(lanes, row[lane_rows - 1].f, 1);
            int first_h = __shfl_sync(lanes, above_h, u), first_f = __shfl_sync(lanes, above_f, u);
            row_directions directions;
            bool any = false;
            UNROLL(lane_rows)
            for (int r = lane_rows - 1; r >= 0; r--) {
                int north_h = r ? row[r - 1].h : lane() ? h : first_h;
                int north_f = r ? row[r - 1].f : lane() ? f : first_f;
                unsigned direction = fill_cell(&row[r], north_h, north_f, score[r], step);
                bool inside = column - r <= task.columns && first_row() + r <= task.rows;
                directions.of[r] = (unsigned char)(!CHECKED || inside ? direction : 0);
                any |= inside;
            }
            if (!CHECKED || any)
                *out = directions;
            if ((unsigned)(last_column + u) < columns_to_publish())
                publish(to + u);
        }
    }

    __device__ void fill()
    {
        unsigned char letter[chunk];
        row_directions *out = (row_directions *)(task.directions + direction_place((size_t)(strip * rows) + 1,
                                                                                   1, (size_t)task.rows)) +
                              lane();
        make_profile();
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            row[r] = {-q.open, minus_infinity, minus_infinity, -q.open, 0, lane() * lane_rows + r};
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows - 1; r++)
            score_at[chunk + r] = NO_LETTER * 32 + lane();
        load_letters(0, letter);
        packed_word_pair above = border_above(lane() + 1);
        bool whole = (strip + 1) * rows <= task.rows;
        for (int from = 0; from < task.columns + rows - 1; from += chunk) {
            use_letters(letter);
            load_letters(from + chunk, letter);
            await_border(from + lane() + 1, &above);
            if (whole && from + chunk <= task.columns)
                steps<false>(from, &above, out);
            else
                steps<true>(from, &above, out);
        }
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            if (first_row() + r <= task.rows)
                task.best[first_row() + r - 1] = {row[r].best,
                                                  row[r].best_step - (lane() * lane_rows + r) + 1};
    }
};

/* The next strip of the list, for the whole warp; or one beyond its end. */
static __device__ int draw_strip(const SwatBlocked &q)
{
    unsigned drawn = 0;
    if (SwatBlockedStrip::lane() == 0)
        drawn = atomicAdd(q.ticket, 1u) - q.drawn;
    return (int)__shfl_sync(SwatBlockedStrip::lanes, drawn, 0);
}

/* Whole warps of threads; as many of them draw as there are strips, spread over the blocks. */
static __global__ void swat_blocked(SwatBlocked q)
{
    int warp = (int)threadIdx.x / 32;
    int *profile = (int *)(dynamic_shared<char>() + warp * SwatBlockedStrip::profile_bytes);
    if (warp * (int)gridDim.x + (int)blockIdx.x >= q.strip_count)
        return;
    for (int drawn = draw_strip(q); drawn < q.strip_count; drawn = draw_strip(q)) {
        swat_strip next = q.strips[drawn];
        SwatBlockedStrip strip = {q, q.tasks[next.task], profile, next.strip, {}, {}};
        strip.fill();
    }
}

#endif
