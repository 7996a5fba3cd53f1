/*
 * Scores of Smith-Waterman without alignments, of all pairs of many sequences (no paper of this suite has it;
 * CUDASW++ calls it inter-task parallel). No thread waits for another: 8 lanes align a pair, each of them
 * with several rows in registers, one column a step, one column behind the lane above. Further rows take
 * further passes, whose border lies in global memory.
 *
 * With 16-bit numbers two sequences, whose rows lie in the halves of words, are aligned with the same
 * columns, so that one profile in shared memory serves both halves and a block's pairs: each row of two cells
 * costs five and a half DPX instructions. Pairs whose best score is so large that the next cell's might not
 * fit are computed again with 32-bit numbers.
 *
 * Negative values of E and F do not matter, as H is not negative: so E and F may begin with 0.
 */
#ifndef SWAT_SCORES_CUH
#define SWAT_SCORES_CUH

#include "align/scoring.h"
#include "harness/kernel.cuh"

#include <limits.h>

enum {
    SCORE_LANES = 8,
    SCORE_GROUPS = 32 / SCORE_LANES /* in a warp */,
    SCORE_MOST_ROWS = 32 /* of a lane */
};
enum { SCORE_MARGIN = SCORE_LANES /* at least as many times NO_LETTER between two sequences */ };

/* The two halves of words: two sequences against a third. */
struct Int16x2 {
    typedef unsigned value;
    static __device__ value from(int low, int high)
    {
        return (unsigned)high << 16 | ((unsigned)low & 0xffff);
    }
    static __device__ value add(value a, value b) { return __vadd2(a, b); }
    static __device__ value max(value a, value b) { return __vmaxs2(a, b); }
    static __device__ value max3(value a, value b, value c) { return __vimax3_s16x2(a, b, c); }
    /* The larger of a + b and c, and of 0. */
    static __device__ value add_max(value a, value b, value c) { return __viaddmax_s16x2(a, b, c); }
    static __device__ value add_max_0(value a, value b, value c) { return __viaddmax_s16x2_relu(a, b, c); }
    static __device__ int half(value v, int which) { return (short)(which ? v >> 16 : v); }
    enum { no_match = SHRT_MIN };
};

struct Int32 {
    typedef int value;
    static __device__ value from(int low, int) { return low; }
    static __device__ value add(value a, value b) { return a + b; }
    static __device__ value max(value a, value b) { return a > b ? a : b; }
    static __device__ value max3(value a, value b, value c) { return max(max(a, b), c); }
    static __device__ value add_max(value a, value b, value c) { return max(a + b, c); }
    static __device__ value add_max_0(value a, value b, value c) { return max(max(a + b, c), 0); }
    enum { no_match = INT_MIN / 2 };
};

/* H and F of a column, below a pass's last row. */
struct alignas(8) score_border {
    unsigned h, f;
};

struct score_pair {
    int x, y;
};

/* Sequences 2q and 2q + 1 against `count` others from `first` on; all sequences in
 * descending order of length. */
struct score_unit {
    int q, first, count;
};

struct ScoreSearch {
    const unsigned char *codes; /* all sequences, with SCORE_MARGIN times NO_LETTER between two */
    const int *start, *length;  /* of each in `codes` */
    const int *matrix;          /* scores */
    int sequences, open, extend;
    int limit;   /* scores from here on may have been too large for 16 bits */
    int *scores; /* of the pairs, in the order of score_index */
    const score_unit *units;
    int unit_count;
    score_border *borders; /* pitch of them for each block */
    size_t pitch;
    unsigned *ticket;     /* counts units drawn, and each block's last try; 0 before */
    unsigned *wide_count; /* how many pairs need 32 bits, likewise, and which */
    score_pair *wide;
};

/* The index of the pair x < y among those of this number of sequences, row by row. */
static inline __host__ __device__ size_t score_index(int x, int y, int sequences)
{
    return (size_t)x * (size_t)(2 * sequences - x - 1) / 2 + (size_t)(y - x - 1);
}

/* A pass over a group's columns. */
struct ScoreColumns {
    const unsigned char *letters;
    int count, steps; /* steps: the same for all groups of the warp */
    const score_border *above;
    score_border *below; /* NULL: no pass before, or after */
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

/*
 * The best score of this lane's ROWS rows in all columns. scores(letter, s) gives the rows' scores against a
 * letter. Before a sequence's first letter and after its last, nothing matches; the remaining gaps never
 * score better than the cells from which they began.
 */
template <class Number, int ROWS, class Scores>
static __device__ typename Number::value best_of_rows(const ScoreColumns &q, int open, int extend,
                                                      const Scores &scores)
{
    typedef typename Number::value value;
    const value minus_open = Number::from(-open, -open), minus_extend = Number::from(-extend, -extend);
    const bool is_first = score_lane() == 0, is_last = score_lane() == SCORE_LANES - 1;
    value h[ROWS] = {}, e[ROWS] = {}; /* E of the next column */
    value f = 0, diagonal = 0, best = 0;
    int letter = q.letters[-score_lane()];
    score_border above = {0, 0};
    if (is_first && q.above && q.count)
        above = q.above[0];
    for (int k = 0; k < q.steps; k++) {
        int column = k - score_lane(), next = column + 1 < q.count ? column + 1 : q.count;
        value s[ROWS], north = from_lane_above(h[ROWS - 1]);
        f = from_lane_above(f);
        scores(letter, s);
        letter = q.letters[next];
        north = is_first ? (value)above.h : north;
        f = is_first ? (value)above.f : f;
        if (is_first && q.above && next < q.count)
            above = q.above[next]; /* on its way during the step */
        value before = diagonal;
        diagonal = north;
        UNROLL(SCORE_MOST_ROWS)
        for (int r = 0; r < ROWS; r++) {
            value gap = Number::max(e[r], f), now = Number::add_max_0(before, s[r], gap);
            value opened = Number::add(now, minus_open);
            before = h[r];
            h[r] = now;
            e[r] = Number::add_max(e[r], minus_extend, opened);
            f = Number::add_max(f, minus_extend, opened);
            if (r % 2)
                best = Number::max3(best, h[r - 1], now);
        }
        if (is_last && q.below && (unsigned)column < (unsigned)q.count)
            q.below[column] = {(unsigned)h[ROWS - 1], (unsigned)f};
    }
    UNROLL(3)
    for (int lanes = 1; lanes < SCORE_LANES; lanes *= 2)
        best = Number::max(best, (value)__shfl_xor_sync(0xffffffffu, (unsigned)best, lanes));
    return best;
}

/* The most columns that a group of this warp has. */
static __device__ int most_columns(int columns)
{
    UNROLL(2)
    for (int lanes = SCORE_LANES; lanes < 32; lanes *= 2) {
        int other = __shfl_xor_sync(0xffffffffu, columns, lanes);
        columns = other > columns ? other : columns;
    }
    return columns;
}

/* ---- 16 bits ---- */

/* Four rows of a lane against a letter. */
struct alignas(16) score_quad {
    unsigned of[4];
};

/* A block's profile of a pass: [letter][four rows][lane]. */
template <int ROWS>
struct ScoreProfile {
    const score_quad *quads;

    __device__ void operator()(int letter, unsigned *s) const
    {
        const score_quad *p = quads + letter * (ROWS / 4 * SCORE_LANES) + score_lane();
        UNROLL(SCORE_MOST_ROWS)
        for (int c = 0; c < ROWS / 4; c++) {
            score_quad quad = p[c * SCORE_LANES];
            UNROLL(4)
            for (int r = 0; r < 4; r++)
                s[4 * c + r] = quad.of[r];
        }
    }
};

static __device__ int score_of(const ScoreSearch &q, int sequence, int row, int letter)
{
    if (sequence >= q.sequences || row >= q.length[sequence] || letter == NO_LETTER)
        return Int16x2::no_match;
    return q.matrix[q.codes[q.start[sequence] + row] * SCORING_LETTERS + letter];
}

template <int ROWS>
static __device__ void make_score_profile(const ScoreSearch &q, int sequence, int first_row,
                                          unsigned *profile)
{
    __syncthreads();
    for (int at = (int)threadIdx.x; at < (NO_LETTER + 1) * ROWS * SCORE_LANES; at += (int)blockDim.x) {
        int letter = at / (ROWS * SCORE_LANES), of_letter = at % (ROWS * SCORE_LANES);
        int lane = of_letter / 4 % SCORE_LANES, row = of_letter / (4 * SCORE_LANES) * 4 + of_letter % 4;
        row += first_row + lane * ROWS;
        profile[at] =
            Int16x2::from(score_of(q, sequence, row, letter), score_of(q, sequence + 1, row, letter));
    }
    __syncthreads();
}

/* Keeps the better of the scores that this pass and the passes before found. */
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

/* A unit, whose sequences 2q and 2q + 1 have ROWS rows a lane in each pass. */
template <int ROWS>
static __device__ void search_unit(const ScoreSearch &q, const score_unit &unit, unsigned *profile)
{
    const int x = 2 * unit.q, rows = q.length[x], pass_rows = ROWS * SCORE_LANES;
    const int group = (int)threadIdx.x / SCORE_LANES, groups = (int)blockDim.x / SCORE_LANES;
    const ScoreProfile<ROWS> scores = {(const score_quad *)profile};
    for (int from = 0; from < rows; from += pass_rows) {
        bool is_first = from == 0, is_last = from + pass_rows >= rows;
        make_score_profile<ROWS>(q, x, from, profile);
        for (int n = group; n / SCORE_GROUPS * SCORE_GROUPS < unit.count; n += groups) {
            int y = unit.first + (n < unit.count ? n : 0), columns = n < unit.count ? q.length[y] : 0;
            score_border *border =
                q.borders + (size_t)blockIdx.x * q.pitch + (q.start[y] - q.start[unit.first]);
            ScoreColumns c = {q.codes + q.start[y], columns, most_columns(columns) + SCORE_LANES - 1,
                              is_first ? NULL : border, is_last ? NULL : border};
            unsigned best = best_of_rows<Int16x2, ROWS>(c, q.open, q.extend, scores);
            if (score_lane() < 2 && n < unit.count)
                keep_score(q, x + score_lane(), y, Int16x2::half(best, score_lane()), is_first, is_last);
        }
    }
}

/* The smallest number of passes, and for it the smallest number of rows, in fours. */
static __device__ int rows_of_lane(int rows)
{
    int most = SCORE_MOST_ROWS * SCORE_LANES, passes = (rows + most - 1) / most;
    return (rows + 4 * SCORE_LANES * passes - 1) / (4 * SCORE_LANES * passes) * 4;
}

static __device__ void search_unit_by_rows(const ScoreSearch &q, const score_unit &unit, unsigned *profile)
{
    switch (rows_of_lane(q.length[2 * unit.q])) {
    case 4:
    case 8:
        return search_unit<8>(q, unit, profile);
    case 12:
        return search_unit<12>(q, unit, profile);
    case 16:
        return search_unit<16>(q, unit, profile);
    case 20:
        return search_unit<20>(q, unit, profile);
    case 24:
        return search_unit<24>(q, unit, profile);
    case 28:
        return search_unit<28>(q, unit, profile);
    default:
        return search_unit<SCORE_MOST_ROWS>(q, unit, profile);
    }
}

enum { SCORE_PROFILE_BYTES = (NO_LETTER + 1) * SCORE_MOST_ROWS * SCORE_LANES * sizeof(unsigned) };

/* Blocks of whole warps draw units from the list. */
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
        search_unit_by_rows(q, q.units[drawn], dynamic_shared<unsigned>());
    }
}

/* ---- 32 bits ---- */

enum { WIDE_ROWS = 16, WIDE_PITCH = SCORING_LETTERS + 1, WIDE_BYTES = WIDE_PITCH * WIDE_PITCH * sizeof(int) };

/* The whole matrix, with NO_LETTER, in shared memory; a lane keeps its rows as letters. */
struct WideScores {
    const int *matrix;
    int row[WIDE_ROWS]; /* where a letter's row begins */

    __device__ void operator()(int letter, int *s) const
    {
        UNROLL(WIDE_ROWS)
        for (int r = 0; r < WIDE_ROWS; r++)
            s[r] = matrix[row[r] + letter];
    }
};

static __device__ void load_wide_matrix(const ScoreSearch &q, int *matrix)
{
    for (int at = (int)threadIdx.x; at < WIDE_PITCH * WIDE_PITCH; at += (int)blockDim.x) {
        int a = at / WIDE_PITCH, b = at % WIDE_PITCH;
        matrix[at] =
            a == NO_LETTER || b == NO_LETTER ? (int)Int32::no_match : q.matrix[a * SCORING_LETTERS + b];
    }
    __syncthreads();
}

/* Searches a group's pair; if `any` is false, the group has none. The warp's groups
 * make equally many passes. */
static __device__ void search_wide_pair(const ScoreSearch &q, score_pair pair, bool any, const int *matrix,
                                        score_border *border)
{
    int rows = any ? q.length[pair.x] : 0, columns = any ? q.length[pair.y] : 0, best = 0;
    int most_rows = most_columns(rows), steps = most_columns(columns) + SCORE_LANES - 1;
    for (int from = 0; from < most_rows; from += (int)WIDE_ROWS * SCORE_LANES) {
        WideScores scores = {matrix, {}};
        UNROLL(WIDE_ROWS)
        for (int r = 0; r < WIDE_ROWS; r++) {
            int row = from + score_lane() * WIDE_ROWS + r;
            scores.row[r] = WIDE_PITCH * (row < rows ? q.codes[q.start[pair.x] + row] : NO_LETTER);
        }
        ScoreColumns c = {q.codes + q.start[pair.y], columns, steps, from ? border : NULL, border};
        int of_pass = best_of_rows<Int32, WIDE_ROWS>(c, q.open, q.extend, scores);
        best = of_pass > best ? of_pass : best;
        __syncwarp(); /* the border, before the next pass */
    }
    if (any && score_lane() == 0)
        q.scores[score_index(pair.x, pair.y, q.sequences)] = best;
}

/* The pairs of the list; there is memory for one border for each of `groups` groups of 8 lanes. */
static __global__ void __launch_bounds__(256, 2) swat_scores_32(ScoreSearch q, int groups, size_t longest)
{
    int *matrix = dynamic_shared<int>();
    int group = (int)(blockIdx.x * blockDim.x + threadIdx.x) / SCORE_LANES, count = (int)*q.wide_count;
    load_wide_matrix(q, matrix);
    for (int n = group; n / SCORE_GROUPS * SCORE_GROUPS < count && group < groups; n += groups) {
        bool any = n < count;
        score_pair pair = q.wide[any ? n : 0];
        search_wide_pair(q, pair, any, matrix, q.borders + (size_t)group * longest);
    }
}

#endif
