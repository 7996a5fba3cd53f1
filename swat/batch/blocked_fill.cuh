/* The matrix filling of the blocked kernel: in each step a lane fills a column of its rows, and stores their
 * tags. */
#ifndef SWAT_BATCH_BLOCKED_FILL_CUH
#define SWAT_BATCH_BLOCKED_FILL_CUH

#include "swat/batch/blocked_task.cuh"

static __device__ __forceinline__ int component(const int4 &v, int which)
{
    return which == 0 ? v.x : which == 1 ? v.y : which == 2 ? v.z : v.w;
}

/* The state of a lane's rows before a step, which will fill column j. For the lane's row r, which is row i of
 * the matrix, diagonal[r] is H'(i-1,j-1) plus the score of row i's letter with column j's letter, and e[r] is
 * E'(i,j), both with tags. Both are computed in the preceding step, as soon as H' is known, so that a row's
 * instructions fill the time in which the next row waits for this one. */
template <int LANES, int ROWS>
struct BlockedRows {
    /* first_size is the number of words of the largest store (4, 2 or 1 words) by which a lane stores its
     * words of a column */
    static const int words = BLOCKED_WORDS(ROWS), quads = words / 4, pairs = words % 4 / 2,
                     first_size = quads   ? 4
                                  : pairs ? 2
                                          : 1;

    /* for each row, what the next H' is computed from; diagonal[0] only becomes known in the step itself */
    int diagonal[ROWS], e[ROWS];
    /* the scores of the lane's rows 0 and 1 with the letter of the step's column */
    int first_pair;
    /* what the lane's first row needs in the next step: H' of the cells north and north-west of it, and F'
     * from the north */
    int north, north_west, gap_down;
    /* in the column filled last: H' of the lane's last row, and F' that leaves this row downwards */
    int bottom, leaving;
    /* H' of the matrix's row 0 in the current column, and by how much it grows in each step */
    int edge, edge_step;
    /* what is added to H' when a gap is opened: along the row, or down the column from row n of a group of
     * rows */
    int open_along_row, open_down[BLOCKED_TAG_ROWS];
    int lane, score_mask;

    static __device__ __forceinline__ int4 eight_scores(const unsigned char *scores, int r)
    {
        return ((const int4 *)scores)[r / BLOCKED_GROUP_ROWS * LANES];
    }
    static __device__ __forceinline__ int add_score(const int4 &eight, int r, int north_west)
    {
        int pair = component(eight, r / 2 % 4);
        return r % 2 ? __dp2a_lo(pair, TABLE_PICK, north_west) : __dp2a_hi(pair, TABLE_PICK, north_west);
    }

    /* Sets the state before the first step. `scores` are the scores of the first column's letter. The only
     * gaps along a row in this column are those that begin in it. */
    __device__ __forceinline__ void begin(const BlockedTask<LANES> &w, const unsigned char *scores)
    {
        lane = w.lane;
        /* Without these shuffles, the compiler would see that the values are constants, and would compute
         * them again in each step instead of keeping them in registers. */
        score_mask = __shfl_sync(ALL_LANES, ~TAG_MASK, 0, LANES);
        UNROLL(7)
        for (int n = 0; n < BLOCKED_TAG_ROWS; n++)
            open_down[n] = __shfl_sync(ALL_LANES, tagged(w.scores.opening, DOWN_PLACE - n), 0, LANES);
        int above = 0;
        int4 eight = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % BLOCKED_GROUP_ROWS == 0)
                eight = eight_scores(scores, r);
            first_pair = r == 0 ? eight.x : first_pair;
            diagonal[r] = add_score(eight, r, above);
            above = tagged(w.scores.edge(w.row(r)));
            e[r] = above + open_down[DOWN_PLACE] + ROW_OLDER;
        }
        bottom = above;
        leaving = INT_MIN;
        edge = tagged(w.scores.edge(1));
        edge_step = tagged(w.scores.edge_each);
        north_west = tagged(w.scores.edge(w.row(-1)));
        north = w.lane ? north_west : edge;
        gap_down = w.lane ? INT_MIN : edge + open_down[DOWN_PLACE] + DOWN_OLDER;
    }

    /* Begins a segment of steps. Stores the tags of the gaps that are open along the rows, as notes: a
     * note says in which step of the last segment the gap began, or that it is older. Then sets these tags to
     * ROW_OLDER, which says only that a gap began before the new segment. */
    __device__ __forceinline__ void begin_segment(uint32_t *back)
    {
        unsigned word[words];
        UNROLL(5)
        for (int g = 0; g < words; g++)
            word[g] = shifted([&](int n) { return n < rows_of(g) ? e[g * BLOCKED_TAG_ROWS + n] : 0; });
        store(word, back);
        UNROLL(32)
        for (int r = 0; r < ROWS; r++)
            e[r] = (e[r] & score_mask) | ROW_OLDER;
    }

    /* Fills a column of the lane's rows and stores the tags at `back`; `scores` are the scores of the next
     * column's letter. */
    __device__ __forceinline__ void step(const unsigned char *scores, uint32_t *back)
    {
        unsigned word[words];
        int4 eight = eight_scores(scores, 0);
        int down = gap_down;
        /* this is what add_score() does for the lane's other rows */
        diagonal[0] = __dp2a_hi(first_pair, TABLE_PICK, north_west);
        first_pair = eight.x;
        UNROLL(5)
        for (int g = 0; g < words; g++) {
            const int rows = rows_of(g);
            int came[BLOCKED_WORD_TAGS] = {}, tag[BLOCKED_WORD_TAGS] = {};
            UNROLL(7)
            for (int n = 0; n < rows; n++) {
                const int r = g * BLOCKED_TAG_ROWS + n;
                if (r && r % BLOCKED_GROUP_ROWS == 0)
                    eight = eight_scores(scores, r);
                came[n] = __vimax3_s32(diagonal[r], e[r], down);
                /* from here on diagonal[r] belongs to the next column */
                diagonal[r] = add_score(eight, r, bottom);
                bottom = came[n] & ~TAG_MASK;
                tag[n] = came[n] - bottom;
                down = __viaddmax_s32(bottom, open_down[n], down);
                e[r] = __viaddmax_s32(bottom, open_along_row, e[r]);
            }
            came[BLOCKED_TAG_ROWS] = down;
            word[g] = multiplied(came, tag);
            leaving = down;
            down |= DOWN_OLDER;
        }
        store(word, back);
    }

    /* Passes H' of the lane's last row, and the gap that leaves it downwards, to the next lane. A task's
     * first lane gets the values of the matrix's row 0. */
    __device__ __forceinline__ void pass()
    {
        int above = __shfl_up_sync(ALL_LANES, bottom, 1, LANES),
            gap = __shfl_up_sync(ALL_LANES, leaving | DOWN_OLDER, 1, LANES);
        edge += edge_step;
        north_west = north;
        north = lane ? above : edge;
        gap_down = lane ? gap : edge + open_down[DOWN_PLACE] + DOWN_OLDER;
        open_along_row--;
    }

    /* Returns the key of the lane's best cell in the last column: of several with the best score, the one
     * with the largest row number. Here diagonal[r] already is H' of row r - 1 plus the score of row r with
     * the letter after the last column; this score is computed again and subtracted. */
    __device__ __forceinline__ unsigned long long best_of_column(const BlockedTask<LANES> &w) const
    {
        const unsigned char *scores = w.scores_of(w.codes[LANES + w.columns()]);
        int best = INT_MIN, at = 0;
        int4 eight = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % BLOCKED_GROUP_ROWS == 0)
                eight = eight_scores(scores, r);
            if (r)
                keep_better(w, r - 1, diagonal[r] - add_score(eight, r, 0), &best, &at);
        }
        keep_better(w, ROWS - 1, bottom, &best, &at);
        return at ? key_of(best, (unsigned)at) : 0;
    }
    static __device__ __forceinline__ void keep_better(const BlockedTask<LANES> &w, int r, int stored,
                                                       int *best, int *at)
    {
        int i = w.row(r), score = w.plain_score(stored, i, w.columns());
        bool better = i >= 1 && score >= *best;
        *best = better ? score : *best;
        *at = better ? i : *at;
    }

    static __device__ __forceinline__ constexpr int rows_of(int group)
    {
        return group < words - 1 ? BLOCKED_TAG_ROWS : ROWS - group * BLOCKED_TAG_ROWS;
    }

    /* Packs the tags of the eight scores came(0) to came(7) into a word. */
    template <class Tagged>
    static __device__ __forceinline__ unsigned shifted(Tagged came)
    {
        unsigned word = 0;
        UNROLL(8)
        for (int n = 0; n < BLOCKED_WORD_TAGS; n++)
            word = __funnelshift_r(word, (unsigned)came(n), TAG_BITS);
        return word;
    }
    /* Packs the tags of eight scores into a word, as shifted() does; tag[n] is the tag of came[n] for even n.
     * It takes more instructions than shifted(), but fewer in the unit for maxima, which is the busiest. */
    static __device__ __forceinline__ unsigned multiplied(const int (&came)[BLOCKED_WORD_TAGS],
                                                          const int (&tag)[BLOCKED_WORD_TAGS])
    {
        unsigned byte[BLOCKED_WORD_TAGS / 2];
        UNROLL(4)
        for (int n = 0; n < BLOCKED_WORD_TAGS / 2; n++)
            byte[n] = (unsigned)tag[2 * n] + ((unsigned)came[2 * n + 1] << TAG_BITS);
        return __byte_perm(__byte_perm(byte[0], byte[1], 0x0040), __byte_perm(byte[2], byte[3], 0x0040),
                           0x5410);
    }

    /* Returns the address at which the lane stores `size` of its words of a column, those from word number
     * `before` on. `back` is the address of the lane's first word. */
    __device__ __forceinline__ uint32_t *piece(uint32_t *back, int before, int size) const
    {
        return back + before * LANES + (size - first_size) * lane;
    }
    /* Stores the lane's words of a column: first by fours, then the remaining ones by a store of two words
     * and one of a single word. */
    __device__ __forceinline__ void store(const unsigned (&word)[words], uint32_t *back) const
    {
        UNROLL(2)
        for (int n = 0; n < quads; n++)
            *(uint4 *)piece(back, 4 * n, 4) =
                make_uint4(word[4 * n], word[4 * n + 1], word[4 * n + 2], word[4 * n + 3]);
        if constexpr (pairs > 0)
            *(uint2 *)piece(back, 4 * quads, 2) = make_uint2(word[4 * quads], word[4 * quads + 1]);
        if constexpr (words % 2)
            *piece(back, words - 1, 1) = word[words - 1];
    }
};

/* Fills the cells of steps first..end - 1, which form one segment: at most BLOCKED_SEGMENT steps. */
template <int LANES, int ROWS>
static __device__ __forceinline__ void
fill_segment(BlockedRows<LANES, ROWS> &rows, const BlockedTask<LANES> &w, int *last_row, int first, int end)
{
    const int column_words = BLOCKED_WORDS(ROWS) * LANES,
              letter_bytes = blocked_letter_bytes({LANES, ROWS, 0});
    const unsigned char *code = w.codes + LANES - w.lane + 1, *table = w.scores_of(0);
    uint32_t *back =
        w.back + blocked_notes(first / BLOCKED_SEGMENT) * column_words + rows.first_size * w.lane;
    /* before the first segment no gap has begun, so there is nothing to note */
    if (first)
        rows.begin_segment(back);
    rows.open_along_row = rows.open_down[DOWN_PLACE] + ROW_PLACE;
    /* Without dp2a the compiler would keep the letter as a byte, and make an integer of it in each step. */
    int letter = __dp2a_lo(letter_bytes, code[first], 0);
    UNROLL(1)
    for (int k = first; k < end; k++) {
        const unsigned char *scores = table + letter;
        letter = __dp2a_lo(letter_bytes, code[k + 1], 0);
        back += column_words;
        if ((unsigned)(k - w.lane) < (unsigned)w.columns())
            rows.step(scores, back);
        rows.pass();
        if (w.lane == LANES - 1)
            last_row[k] = rows.bottom;
    }
}

/* Fills the matrix of a task. Returns the key of the lane's best cell in the last column: of several with the
 * best score, the one with the largest row number. */
template <int LANES, int ROWS>
static __device__ __forceinline__ unsigned long long fill(const BlockedTask<LANES> &w)
{
    BlockedRows<LANES, ROWS> rows;
    rows.begin(w, w.scores_of(w.codes[LANES]));
    /* The shuffle keeps the compiler from computing the address again in each step. */
    int *last_row =
        (int *)__shfl_sync(ALL_LANES, (unsigned long long)w.ends->row, (int)threadIdx.x % WARP_LANES);
    int end = blocked_steps(w.shape);
    for (int from = 0; from < end; from += BLOCKED_SEGMENT)
        fill_segment<LANES, ROWS>(rows, w, last_row, from,
                                  from + BLOCKED_SEGMENT < end ? from + BLOCKED_SEGMENT : end);
    return rows.best_of_column(w);
}

/* Calls the fill() that is compiled for the task's number of rows for each lane, which is a number that
 * blocked_rows_a_lane() can return. */
template <int LANES, int ROWS>
static __device__ __forceinline__ unsigned long long dispatch_fill(const BlockedTask<LANES> &w)
{
    constexpr int less = ROWS - BLOCKED_ROWS_STEP(LANES);
    if constexpr (less > 0)
        if (w.shape.rows_a_lane != ROWS)
            return dispatch_fill<LANES, less>(w);
    return fill<LANES, ROWS>(w);
}

#endif
