/*
 * Smith-Waterman scores, without alignments, of all pairs of many sequences. No paper of this suite does
 * this; CUDASW++ calls it inter-task parallelism. Eight lanes align a pair. Each lane keeps several rows in
 * registers, fills one column in a step, and is one column later than the lane with the rows above. If a
 * sequence has more rows, the lanes make more passes, and the last row of a pass is kept in global memory for
 * the next pass.
 *
 * The kernel for 16-bit numbers aligns two sequences at a time with the same columns; each half of a word has
 * the score of one of them. One profile in shared memory serves both halves and all pairs of a block. A pair
 * is computed again with 32-bit numbers if its best score is so large that the next cell's score might not
 * fit.
 *
 * Maxima are computed by the busiest unit of a multiprocessor, so the recurrences are written to need few
 * instructions of that unit. The number `zero` represents a score of 0 in H, and zero + open represents it in
 * E and F. A gap that opens at a cell then costs no subtraction: its value is H of the cell.
 *
 *     H = max(north-west + score, max(E, F, zero + open) - open)
 *     E of the next column = max(E - extend, H)      F of the next row = max(F - extend, H)
 *
 * `zero` is minus the lowest score, so no half becomes negative, and one 32-bit addition, which another unit
 * executes, adds the scores to both halves. The two cells of a word cost four and a half instructions of the
 * busiest unit (three additions with a maximum, one maximum of three numbers, and half a maximum for the best
 * score) and one of the other unit. A lane fills four columns at a time, so that they share the loads of
 * letters and of the kept row, and the branches for these loads.
 */
#ifndef SWAT_SCORES_CUH
#define SWAT_SCORES_CUH

#include "align/scoring.h"
#include "harness/kernel.cuh"

#include <limits.h>

enum {
    SCORE_LANES = 8,
    SCORE_GROUPS = 32 / SCORE_LANES /* number of groups of SCORE_LANES lanes in a warp */,
    SCORE_LEAST_ROWS = 8,
    SCORE_MOST_ROWS = 32 /* largest number of rows for each lane */,
    SCORE_TURN = 4 /* number of columns of a turn, whose letters a lane loads at once */,
    /* number of codes NO_LETTER between two sequences, and of additional columns of a border: a lane begins
     * up to 7 columns before a sequence, and the last lane stores up to 6 columns after it */
    SCORE_MARGIN = 16
};

/* Two 16-bit numbers in the halves of a word, for two sequences that are aligned with a third. */
struct Int16x2 {
    typedef unsigned value;
    static __device__ value from(int low, int high)
    {
        return (unsigned)high << 16 | ((unsigned)low & 0xffff);
    }
    /* Returns what to add to a word to add `low` to its low half and `high` to its high half. A negative
     * `low` borrows 1 from the high half; the carry of the low half's addition gives it back. */
    static __device__ value summand(int low, int high) { return ((unsigned)high << 16) + (unsigned)low; }
    static __device__ value max(value a, value b) { return __vmaxs2(a, b); }
    static __device__ value max3(value a, value b, value c) { return __vimax3_s16x2(a, b, c); }
    /* Returns, in each half, the larger of a + b and c. */
    static __device__ value add_max(value a, value b, value c) { return __viaddmax_s16x2(a, b, c); }
    static __device__ int half(value v, int which) { return (short)(which ? v >> 16 : v); }
};

struct Int32 {
    typedef int value;
    static __device__ value from(int low, int) { return low; }
    static __device__ value max(value a, value b) { return a > b ? a : b; }
    static __device__ value max3(value a, value b, value c) { return max(max(a, b), c); }
    static __device__ value add_max(value a, value b, value c) { return max(a + b, c); }
};

/* H and F of one column of a pass's last row, which the next pass needs. */
struct alignas(8) score_border {
    unsigned h, f;
};

struct score_pair {
    int x, y;
};

/* A unit of work: sequences 2q and 2q + 1 are aligned with `count` others from number `first` on. Sequences
 * are numbered in descending order of length. */
struct score_unit {
    int q, first, count;
};

struct ScoreSearch {
    const unsigned char *codes; /* all sequences, with SCORE_MARGIN times NO_LETTER between two */
    const int *start, *length;  /* for each sequence, index in `codes` of its first letter, and its length */
    const int *matrix;          /* the substitution scores */
    int sequences, open, extend;
    int zero;    /* the number that stands for a score of 0: minus the lowest score of the matrix */
    int limit;   /* pairs with a score of at least `limit` are computed again with 32 bits */
    int *scores; /* for each pair, its score, at the index that score_index() returns */
    const score_unit *units;
    int unit_count;
    score_border *borders; /* the borders between passes, `pitch` columns for each block */
    size_t pitch;
    /* number of draws, 0 before the launch; in a launch each unit is drawn once, and each block's last draw
     * finds no unit */
    unsigned *ticket;
    unsigned *wide_count; /* number of pairs that need 32 bits, listed in `wide`; 0 before the launch */
    score_pair *wide;
};

/* Returns the index of the pair x < y in a list of all pairs that is ordered by x, then by y. */
static inline __host__ __device__ size_t score_index(int x, int y, int sequences)
{
    return (size_t)x * (size_t)(2 * sequences - x - 1) / 2 + (size_t)(y - x - 1);
}

/* The columns that a group of 8 lanes fills in a pass: the letters of a sequence, and the borders above and
 * below the pass's rows. */
struct ScoreColumns {
    const unsigned char *letters;
    int count; /* number of columns; it is negative if the group has no pair */
    int steps; /* number of steps of this pass over the rows; equal in the whole warp */
    const score_border *above;
    score_border *below; /* `above` is NULL in the first pass, `below` is NULL in the last pass */
};

static __device__ int score_lane()
{
    return (int)threadIdx.x % SCORE_LANES;
}

template <class Value>
static __device__ Value from_lane_above(Value v)
{
    return (Value)__shfl_up_sync(0xffffffffu, (unsigned)v, 1, SCORE_LANES);
}

/* Reads a sequence's letters, four at a time and from any place on; NO_LETTER follows the end. */
struct ScoreLetters {
    const unsigned *words;
    unsigned low, high, shift;
    int next, last; /* index of the next word to load, and index of the first word after the sequence's end */

    /* Begins `before` letters before the sequence's first letter. */
    __device__ ScoreLetters(const unsigned char *letters, int count, int before)
    {
        /* number of bytes of the first word that lie before the first wanted letter */
        const int odd = (int)((size_t)(letters - before) % 4);
        words = (const unsigned *)(letters - before - odd);
        shift = 8 * (unsigned)odd;
        last = (odd + before + (count > 0 ? count : 0) + 3) / 4;
        next = 0;
        low = word();
        high = word();
    }
    __device__ unsigned word()
    {
        int at = next < last ? next : last;
        next++;
        return words[at];
    }
    __device__ unsigned four()
    {
        unsigned letters = __funnelshift_r(low, high, shift);
        low = high;
        high = word(); /* the next word's load is in flight during four steps */
        return letters;
    }
};

/* H and F of the row above a lane's first row. They come from the lane above or, for the first lane of a
 * group, from the border of the pass above, if there is one. Other lanes have 0 in `of`, and the first lane
 * has 0 in `takes`: so a multiplication and an addition choose one of the two sources, in a unit that is less
 * busy than the unit for maxima. */
template <class Number>
struct ScoreAbove {
    typedef typename Number::value value;
    score_border of[SCORE_TURN]; /* H and F of the border in the next SCORE_TURN columns */
    unsigned takes;
    const score_border *next;
    int left; /* number of columns of the border that are left, from `next` on */

    __device__ ScoreAbove(const ScoreColumns &q, value zero)
    {
        bool is_first = score_lane() == 0;
        /* The shuffle hides from the compiler that `takes` is 0 or 1. */
        takes = __shfl_sync(0xffffffffu, is_first ? 0 : 1, (int)threadIdx.x % 32);
        next = q.above;
        left = is_first && q.above ? q.count : 0;
        UNROLL(4)
        for (int c = 0; c < SCORE_TURN; c++) {
            of[c] = {is_first ? (unsigned)zero : 0, is_first ? (unsigned)zero : 0};
            if (left > 0)
                of[c] = next[c];
        }
    }
    __device__ value h(int c, value from_above) const { return (value)(from_above * takes + of[c].h); }
    __device__ value f(int c, value from_above) const { return (value)(from_above * takes + of[c].f); }
    __device__ void begin_turn()
    {
        left -= SCORE_TURN;
        next += SCORE_TURN;
    }
    __device__ void fetch(int c)
    {
        if (left > 0)
            of[c] = next[c]; /* this load, for the next turn, is in flight during four steps */
    }
};

/*
 * Returns the best score of the group's rows in all columns of a pass, plus `zero`; each lane has ROWS rows.
 * The functor scores(letters, c, s) sets s to the scores of the lane's rows against the letter in byte c of
 * `letters`. Before a sequence's first letter and after its last, nothing matches; the gaps there never score
 * better than the cells from which they began.
 */
template <class Number, int ROWS, class Scores>
static __device__ typename Number::value best_of_rows(const ScoreSearch &q, const ScoreColumns &columns,
                                                      const Scores &scores)
{
    typedef typename Number::value value;
    const value minus_open = Number::from(-q.open, -q.open),
                minus_extend = Number::from(-q.extend, -q.extend), zero = Number::from(q.zero, q.zero),
                no_gap = Number::from(q.zero + q.open, q.zero + q.open);
    ScoreLetters letters(columns.letters, columns.count, score_lane());
    ScoreAbove<Number> above(columns, zero);
    const bool leaves = columns.below && score_lane() == SCORE_LANES - 1;
    score_border *below = leaves ? columns.below - score_lane() : NULL;
    const int left = leaves ? columns.count + score_lane() + SCORE_TURN - 1 : 0;
    /* for each row, `h` is H of the column that was filled last, and `e` is E of the next column */
    value h[ROWS], e[ROWS];
    value f = zero, diagonal = zero, best = zero;
    UNROLL(SCORE_MOST_ROWS)
    for (int r = 0; r < ROWS; r++)
        h[r] = e[r] = zero;
    UNROLL(1)
    for (int turn = 0; turn < columns.steps; turn += SCORE_TURN) {
        unsigned four = letters.four();
        above.begin_turn();
        UNROLL(4)
        for (int c = 0; c < SCORE_TURN; c++) {
            value s[ROWS], north = above.h(c, from_lane_above(h[ROWS - 1]));
            f = above.f(c, from_lane_above(f));
            above.fetch(c);
            scores(four, c, s);
            value before = diagonal;
            diagonal = north;
            UNROLL(SCORE_MOST_ROWS)
            for (int r = 0; r < ROWS; r++) {
                value gap = Number::max3(e[r], f, no_gap),
                      now = Number::add_max(gap, minus_open, before + s[r]);
                before = h[r];
                h[r] = now;
                e[r] = Number::add_max(e[r], minus_extend, now);
                f = Number::add_max(f, minus_extend, now);
                if (r % 2)
                    best = Number::max3(best, h[r - 1], now);
            }
            if (turn < left)
                below[turn + c] = {(unsigned)h[ROWS - 1], (unsigned)f};
        }
    }
    UNROLL(3)
    for (int lanes = 1; lanes < SCORE_LANES; lanes *= 2)
        best = Number::max(best, (value)__shfl_xor_sync(0xffffffffu, (unsigned)best, lanes));
    return best;
}

/* Returns the largest of the values that `columns` has in the groups of this warp. */
static __device__ int most_columns(int columns)
{
    UNROLL(2)
    for (int lanes = SCORE_LANES; lanes < 32; lanes *= 2) {
        int other = __shfl_xor_sync(0xffffffffu, columns, lanes);
        columns = other > columns ? other : columns;
    }
    return columns;
}

/* Returns the columns of a group's pass: the letters of sequence y, or none if `any` is false. */
static __device__ ScoreColumns columns_of(const ScoreSearch &q, int y, bool any, const score_border *above,
                                          score_border *below)
{
    int count = any ? q.length[y] : -SCORE_MARGIN, most = most_columns(count);
    /* the next pass reads the border up to SCORE_TURN - 1 columns after the last one */
    int steps = most + SCORE_LANES - 1 + (below ? SCORE_TURN - 1 : 0);
    return {q.codes + q.start[y], count, steps, above, below};
}

/* ---- the kernel with 16-bit numbers ---- */

/* score_quad has the scores of four rows of a lane against a letter, score_two those of two rows. */
struct alignas(16) score_quad {
    unsigned of[4];
};
struct alignas(8) score_two {
    unsigned of[2];
};

/* The scores of a block's rows in a pass, in shared memory. For each letter the profile first has, for each
 * four rows of a lane, an array of these four rows' scores indexed by lane; if a lane has two rows left, an
 * array of these two rows' scores follows. */
template <int ROWS>
struct ScoreProfile {
    /* WORDS is the number of words for each letter, QUADS the number of fours of rows that a lane has */
    static constexpr unsigned WORDS = ROWS * SCORE_LANES, QUADS = ROWS / 4;
    const unsigned *words;

    /* lane_of() returns the lane to which word `at` of a letter's scores belongs, row_of() the number of the
     * lane's row for which it is. */
    static __device__ int lane_of(int at)
    {
        return (at < (int)(4 * QUADS * SCORE_LANES) ? at / 4 : at / 2) % SCORE_LANES;
    }
    static __device__ int row_of(int at)
    {
        int row = at / (4 * SCORE_LANES) * 4;
        return row + (row < (int)(4 * QUADS) ? at % 4 : at % 2);
    }

    __device__ void operator()(unsigned letters, int c, unsigned *s) const
    {
        const unsigned *p = words + 2 * __dp4a(letters, WORDS / 2 << 8 * c, 0u),
                       *quads = p + 4 * score_lane();
        UNROLL(SCORE_MOST_ROWS)
        for (unsigned n = 0; n < QUADS; n++) {
            score_quad quad = *(const score_quad *)(quads + n * 4 * SCORE_LANES);
            UNROLL(4)
            for (unsigned r = 0; r < 4; r++)
                s[4 * n + r] = quad.of[r];
        }
        if constexpr (ROWS % 4 != 0) {
            score_two two = *(const score_two *)(p + QUADS * 4 * SCORE_LANES + 2 * score_lane());
            s[ROWS - 2] = two.of[0];
            s[ROWS - 1] = two.of[1];
        }
    }
};

static __device__ int score_of(const ScoreSearch &q, int sequence, int row, int letter)
{
    if (sequence >= q.sequences || row >= q.length[sequence] || letter == NO_LETTER)
        return -q.zero;
    return q.matrix[q.codes[q.start[sequence] + row] * SCORING_LETTERS + letter];
}

template <int ROWS>
static __device__ void make_score_profile(const ScoreSearch &q, int sequence, int first_row,
                                          unsigned *profile)
{
    typedef ScoreProfile<ROWS> Profile;
    __syncthreads();
    for (int at = (int)threadIdx.x; at < (NO_LETTER + 1) * (int)Profile::WORDS; at += (int)blockDim.x) {
        int letter = at / (int)Profile::WORDS, of_letter = at % (int)Profile::WORDS;
        int row = first_row + Profile::lane_of(of_letter) * ROWS + Profile::row_of(of_letter);
        profile[at] =
            Int16x2::summand(score_of(q, sequence, row, letter), score_of(q, sequence + 1, row, letter));
    }
    __syncthreads();
}

/* Stores the score of a pair: the best score in the rows of this pass and of the earlier passes. After the
 * last pass a pair that needs 32 bits is listed in `wide`. */
static __device__ void keep_score(const ScoreSearch &q, int x, int y, int score, bool first, bool last)
{
    if (x >= y || x >= q.sequences)
        return;
    int *place = q.scores + score_index(x, y, q.sequences);
    score = !first && *place > score ? *place : score;
    *place = score;
    if (last && score >= q.limit)
        q.wide[atomicAdd(q.wide_count, 1u)] = {x, y};
}

/* Does a pass of a unit: aligns the rows of sequences 2q and 2q + 1 from row `from` on, with ROWS rows for
 * each lane. */
template <int ROWS>
static __device__ void search_rows(const ScoreSearch &q, const score_unit &unit, int from, unsigned *profile)
{
    const int x = 2 * unit.q;
    const int group = (int)threadIdx.x / SCORE_LANES, groups = (int)blockDim.x / SCORE_LANES;
    const bool is_first = from == 0, is_last = from + ROWS * SCORE_LANES >= q.length[x];
    const ScoreProfile<ROWS> scores = {profile};
    make_score_profile<ROWS>(q, x, from, profile);
    for (int n = group; n / SCORE_GROUPS * SCORE_GROUPS < unit.count; n += groups) {
        int y = unit.first + (n < unit.count ? n : 0);
        score_border *border =
            q.borders + (size_t)blockIdx.x * q.pitch + SCORE_MARGIN + (q.start[y] - q.start[unit.first]);
        ScoreColumns c = columns_of(q, y, n < unit.count, is_first ? NULL : border, is_last ? NULL : border);
        unsigned best = best_of_rows<Int16x2, ROWS>(q, c, scores);
        if (score_lane() < 2 && n < unit.count)
            keep_score(q, x + score_lane(), y, Int16x2::half(best, score_lane()) - q.zero, is_first, is_last);
    }
}

/* Returns the number of rows for each lane in the next pass, if `left` rows are left. There are as few passes
 * as possible, and their numbers of rows for each lane differ by at most two, because kernels are compiled
 * for even numbers. */
static __device__ int rows_of_lane(int left)
{
    const int twos = (left + 2 * SCORE_LANES - 1) / (2 * SCORE_LANES), most = SCORE_MOST_ROWS / 2,
              passes = (twos + most - 1) / most, rows = (twos + passes - 1) / passes * 2;
    return rows < SCORE_LEAST_ROWS ? SCORE_LEAST_ROWS : rows;
}

/* Calls the search_rows() that is compiled for `rows` rows for each lane. */
template <int ROWS>
static __device__ void search_by_rows(int rows, const ScoreSearch &q, const score_unit &unit, int from,
                                      unsigned *profile)
{
    if (rows == ROWS)
        return search_rows<ROWS>(q, unit, from, profile);
    if constexpr (ROWS < SCORE_MOST_ROWS)
        search_by_rows<ROWS + 2>(rows, q, unit, from, profile);
}

static __device__ void search_unit(const ScoreSearch &q, const score_unit &unit, unsigned *profile)
{
    const int all = q.length[2 * unit.q];
    for (int from = 0, rows; from < all; from += rows * SCORE_LANES) {
        rows = rows_of_lane(all - from);
        search_by_rows<SCORE_LEAST_ROWS>(rows, q, unit, from, profile);
    }
}

enum { SCORE_PROFILE_BYTES = (NO_LETTER + 1) * SCORE_MOST_ROWS * SCORE_LANES * sizeof(unsigned) };

/* Computes all units with 16-bit numbers; blocks of whole warps draw them from the list. */
static __global__ void __launch_bounds__(256, 2) swat_scores_16(ScoreSearch q)
{
    __shared__ int drawn;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            drawn = (int)atomicAdd(q.ticket, 1u);
        __syncthreads();
        if (drawn >= q.unit_count)
            return;
        search_unit(q, q.units[drawn], dynamic_shared<unsigned>());
    }
}

/* ---- the kernel with 32-bit numbers ---- */

enum { WIDE_ROWS = 16, WIDE_PITCH = SCORING_LETTERS + 1, WIDE_BYTES = WIDE_PITCH * WIDE_PITCH * sizeof(int) };

/* The scores of a lane's rows, looked up in the whole substitution matrix, which is in shared memory and has
 * a row and a column for NO_LETTER. */
struct WideScores {
    const int *matrix;
    int row[WIDE_ROWS]; /* for each row of the lane, the index in `matrix` of the scores of its letter */

    __device__ void operator()(unsigned letters, int c, int *s) const
    {
        unsigned letter = letters >> 8 * c & 255;
        UNROLL(WIDE_ROWS)
        for (int r = 0; r < WIDE_ROWS; r++)
            s[r] = matrix[row[r] + letter];
    }
};

static __device__ void load_wide_matrix(const ScoreSearch &q, int *matrix)
{
    for (int at = (int)threadIdx.x; at < WIDE_PITCH * WIDE_PITCH; at += (int)blockDim.x) {
        int a = at / WIDE_PITCH, b = at % WIDE_PITCH;
        matrix[at] = a == NO_LETTER || b == NO_LETTER ? -q.zero : q.matrix[a * SCORING_LETTERS + b];
    }
    __syncthreads();
}

/* Computes the score of a group's pair with 32 bits; if `any` is false, the group has no pair. All groups of
 * a warp do the same number of passes. */
static __device__ void search_wide_pair(const ScoreSearch &q, score_pair pair, bool any, const int *matrix,
                                        score_border *border)
{
    int rows = any ? q.length[pair.x] : 0, most_rows = most_columns(rows), best = 0;
    for (int from = 0; from < most_rows; from += (int)WIDE_ROWS * SCORE_LANES) {
        WideScores scores = {matrix, {}};
        UNROLL(WIDE_ROWS)
        for (int r = 0; r < WIDE_ROWS; r++) {
            int row = from + score_lane() * WIDE_ROWS + r;
            scores.row[r] = WIDE_PITCH * (row < rows ? q.codes[q.start[pair.x] + row] : NO_LETTER);
        }
        ScoreColumns c = columns_of(q, pair.y, any, from ? border : NULL, border);
        int of_pass = best_of_rows<Int32, WIDE_ROWS>(q, c, scores) - q.zero;
        best = of_pass > best ? of_pass : best;
        __syncwarp(); /* the border that was stored is visible before the next pass reads it */
    }
    if (any && score_lane() == 0)
        q.scores[score_index(pair.x, pair.y, q.sequences)] = best;
}

/* Computes the pairs in q.wide with 32-bit numbers. Memory suffices for the borders of `groups` groups of 8
 * lanes. */
static __global__ void __launch_bounds__(256, 2) swat_scores_32(ScoreSearch q, int groups, size_t longest)
{
    int *matrix = dynamic_shared<int>();
    int group = (int)(blockIdx.x * blockDim.x + threadIdx.x) / SCORE_LANES, count = (int)*q.wide_count;
    load_wide_matrix(q, matrix);
    for (int n = group; n / SCORE_GROUPS * SCORE_GROUPS < count && group < groups; n += groups) {
        bool any = n < count;
        score_pair pair = q.wide[any ? n : 0];
        search_wide_pair(q, pair, any, matrix, q.borders + (size_t)group * longest + SCORE_LANES);
    }
}

#endif
