/*
 * Our own kernel: half a warp a task, and up to 32 consecutive rows a lane; or a whole warp, where tasks are few
 * or longer (swat/batch/plan.c). The paper's SW1 and SW2 (swat/batch/batch_kernels.cuh) take 34 instructions
 * for a cell, more in tiles at an edge, and fill 32 rows at a time, each with a start and an end. This kernel
 * takes eight, in one pass over the columns.
 *
 * Scores without extensions. With e = extend and H'(i,j) = H(i,j) - (i + j) e, and with E' and F' for the
 * gaps along the row and down the column defined likewise, it costs nothing to make a gap longer:
 *
 *     E'(i,j) = max(H'(i,j-1) + open - e, E'(i,j-1))
 *     F'(i,j) = max(H'(i-1,j) + open - e, F'(i-1,j))
 *     H'(i,j) = max(H'(i-1,j-1) + score(i,j) - 2 e, E'(i,j), F'(i,j))
 *
 * Maxima that carry their origin. Below each score is a tag, and a gap's tag says where the gap began: the
 * earlier, the larger, so that of equal scores the longer gap wins, as in GATK. Above the place is the
 * direction, 3 from the north-west, 1 along the row, 0 down, which is GATK's preference among equal scores.
 * So each of the three lines above leaves what the trace-back needs, without an additional instruction.
 *
 * A tag is a byte, so its place is one of a lane's rows, or one of the columns of a stretch of 31 steps or the
 * one behind them, or OLDER, which is the largest. If a gap leaves its lane or its stretch, its place is noted
 * beside the cells' bytes, and becomes OLDER; the trace-back goes from note to note to where the gap was opened.
 * Notes are a byte for each lane and column, and for each row and stretch: in all little more than a byte a
 * cell, which is written once and hardly read.
 *
 * What is stored are the tags, four in a word. H' keeps the place of its row below its score, and so do tags of
 * gaps that begin there.
 *
 * Between steps a lane keeps what the next column needs of H', not H' itself: the compiler would otherwise have two
 * H' of a row at a time, and move each of them.
 *
 * No edges. The matrix's last row is the last row of the last lane. Rows above its first row are padding,
 * whose values are those of row 0. A lane is a column behind the lane above it, and does nothing before its
 * first column and after its last.
 *
 * Scores of rows and letters are pairs of 16-bit numbers, in shared memory, so that two tables fit where one
 * of words would; a product of two pairs (dp2a) picks one, shifts it and adds it, in a unit that has time.
 *
 * The last row and the last column are stored, and all lanes search them at the end. They then trace back, 64
 * cells of the diagonal at a time: a load takes as long as many steps, and few gaps are in the way. Warps
 * take tasks until none is left, the largest first; each has memory for its back-traces, so that more
 * tasks need no more memory.
 */
#ifndef SWAT_BATCH_BLOCKED_CUH
#define SWAT_BATCH_BLOCKED_CUH

#include "harness/warp.cuh"
#include "swat/batch/batch_kernels.cuh"
#include "swat/batch/blocked.h"

#define LOOK_AHEAD 32 /* cells of the diagonal that a task's lanes read at once */

/* Places in tags: a row's place is ROW_PLACE less its number in the lane; a step's place is STEP_PLACE less
 * its number in the stretch, to which the row's place is added, since H' contains it. */
#define ROW_PLACE (BLOCKED_MOST_ROWS_A_LANE - 1)
#define STEP_PLACE BLOCKED_STRETCH
#define OLDER ((1 << PLACE_BITS) - 1)
static_assert(STEP_PLACE >= BLOCKED_STRETCH, "the step behind a stretch has a place");
static_assert(STEP_PLACE + ROW_PLACE < OLDER, "places differ from what is older");
#define SCORE_MASK (~((1 << TAG_BITS) - 1))
enum { TAG_DOWN, TAG_ALONG_ROW, TAG_NORTH_WEST = 3 };
#define LEAST_NORTH_WEST ((unsigned)TAG_NORTH_WEST << PLACE_BITS)

/* A score in the table is score * TABLE_UNIT + TABLE_TAG; times TABLE_FACTOR it is tagged. TABLE_PICK has the
 * factor beside a zero: its bytes 2 and 3 pick the first of two scores, 0 and 1 the second. */
#define TABLE_FACTOR (1 << PLACE_BITS)
#define TABLE_UNIT (1 << (TAG_BITS - PLACE_BITS))
#define TABLE_TAG TAG_NORTH_WEST
#define TABLE_PICK (TABLE_FACTOR << 8 | TABLE_FACTOR << 16)

struct BlockedInput {
    const unsigned char *letters;
    const sw_task *tasks;
    uint32_t *back; /* of each warp */
    size_t back_words;
    blocked_ends *ends;
    sw_found *found;
    unsigned *next; /* warp's number; 0 before the launch */
    unsigned *pool_used, *pool;
    unsigned first, count, wide, pairs; /* of tasks: see sw_part */
    unsigned shared_bytes;
    int kinds;      /* of letters */
    int score_mask; /* SCORE_MASK, unknown to the compiler, which makes one instruction of two then */
};

static __device__ __forceinline__ int component(const int4 &v, int which)
{
    return which == 0 ? v.x : which == 1 ? v.y : which == 2 ? v.z : v.w;
}

static __device__ __forceinline__ int tagged(int score, unsigned direction = 0, int place = 0)
{
    return score * (1 << TAG_BITS) + (int)(direction << PLACE_BITS) + place;
}

static __device__ __forceinline__ unsigned letter_code(unsigned letter)
{
    unsigned code = letter >> 1 & 7; /* A, C, T, G, N: 0, 1, 2, 3, 7 */
    return code - (code >> 2) * 3;
}

/* The nearest of `count` letters: without a condition, loads do not wait for each other. */
static __device__ __forceinline__ int within(int at, int count)
{
    at = at < count ? at : count - 1;
    return at < 0 ? 0 : at;
}

/* The scores of a task, in this kernel's units. */
struct BlockedScores {
    int match, mismatch, opening, extend;
    bool free_edge;

    __device__ explicit BlockedScores(const sw_task &task)
        : match(task.scores.match - 2 * task.scores.extend),
          mismatch(task.scores.mismatch - 2 * task.scores.extend),
          opening(task.scores.open - task.scores.extend), extend(task.scores.extend),
          free_edge(task.strategy == OVERHANG_SOFTCLIP || task.strategy == OVERHANG_IGNORE)
    {
    }
    /* H' of row or column `k` of the edges; and of cells before them. */
    __device__ int edge(int k) const { return k <= 0 ? 0 : free_edge ? -k * extend : opening; }

    /* What row i adds to the north-western cell for a code. */
    __device__ int get(int i, unsigned row_code, unsigned code) const
    {
        if (i <= 0)
            return free_edge ? -extend : opening;
        return code == row_code ? match : mismatch;
    }
};

/* A task in LANES lanes of a warp. */
template <int LANES>
struct BlockedTask {
    const sw_task &task;
    BlockedScores scores;
    blocked_shape shape; /* of all tasks of the warp together */
    const unsigned char *reference, *alternate;
    unsigned char *table, *codes; /* in shared memory; codes of the columns, and more before and behind */
    uint32_t *back;
    blocked_ends *ends;
    int lane, padding; /* rows above the first */
    int score_mask;

    __device__ int columns() const { return task.alternate_length; }

    /* The lane's scores with a letter: eight rows at once, those of other lanes, then eight more. */
    __device__ const unsigned char *scores_of(unsigned letter) const
    {
        return table + BLOCKED_ENTRY_BYTES * lane + letter * (unsigned)blocked_letter_bytes(shape);
    }

    /* H of a stored H'. */
    __device__ int plain_score(int stored, int i, int j) const
    {
        return (stored >> TAG_BITS) + (i + j) * scores.extend;
    }

    /* The matrix's row that is a lane's row r. */
    __device__ int row(int r) const { return lane * shape.rows_a_lane + r - padding + 1; }

    /* The scores of two rows with a letter. */
    __device__ int table_pair(int i, unsigned code, unsigned next_code, unsigned letter) const
    {
        int first = scores.get(i, code, letter) * TABLE_UNIT + TABLE_TAG,
            second = scores.get(i + 1, next_code, letter) * TABLE_UNIT + TABLE_TAG;
        return (int)((unsigned)second << 16 | ((unsigned)first & 0xffff));
    }

    __device__ void make_table(int kinds)
    {
        for (int g = 0; g < blocked_groups(shape.rows_a_lane); g++) {
            int i = row(BLOCKED_GROUP_ROWS * g);
            unsigned code[BLOCKED_GROUP_ROWS];
            UNROLL(8)
            for (int r = 0; r < BLOCKED_GROUP_ROWS; r++)
                code[r] = letter_code(reference[within(i + r - 1, task.reference_length)]);
            for (unsigned c = 0; c < (unsigned)kinds; c++)
                *((int4 *)scores_of(c) + g * LANES) =
                    make_int4(table_pair(i, code[0], code[1], c), table_pair(i + 2, code[2], code[3], c),
                              table_pair(i + 4, code[4], code[5], c), table_pair(i + 6, code[6], code[7], c));
        }
    }

    /* A lane has those that follow each other, so that all lines are on their way at once. */
    __device__ void make_codes()
    {
        const int end = blocked_steps(shape) + 2, each = (end + LANES + LANES - 1) / LANES,
                  first = lane * each - LANES;
        UNROLL(8)
        for (int c = first; c < first + each; c++)
            if (c < end)
                codes[LANES + c] = (unsigned char)letter_code(alternate[within(c, columns())]);
    }
};

/* A cell where the trace-back may start: the larger key is the better one. */
static __device__ __forceinline__ unsigned long long key_of(int score, unsigned rank)
{
    return (unsigned long long)((unsigned)score ^ 0x80000000u) << 32 | rank;
}

/* A lane's rows before a step, tagged: of each H'(i-1,j-1) plus the score of its letters, and E'. Both are made
 * in the step before, as soon as H' is known, so that a row's instructions fill the time in which the next row
 * waits for this one. */
template <int LANES, int ROWS>
struct BlockedRows {
    static const int words = BLOCKED_WORDS(ROWS), quads = words / 4, rest = words % 4;

    int diagonal[ROWS], e[ROWS];     /* the first row's diagonal is not known before its step */
    int first_pair;                  /* of scores of the first two rows, with the step's letter */
    int north, north_west, gap_down; /* of the lane's first row in the next step: H', H' and F' */
    int bottom, leaving;             /* H' of the lane's last row, and F' below it */
    int edge, edge_step;             /* H' of row 0 there */
    int open_along_row, open_down;   /* what is added to H' for a new gap */
    int score_mask;

    static __device__ __forceinline__ int4 eight_scores(const unsigned char *scores, int r)
    {
        return ((const int4 *)scores)[r / BLOCKED_GROUP_ROWS * LANES];
    }
    static __device__ __forceinline__ int add_score(const int4 &eight, int r, int north_west)
    {
        int pair = component(eight, r / 2 % 4);
        return r % 2 ? __dp2a_lo(pair, TABLE_PICK, north_west) : __dp2a_hi(pair, TABLE_PICK, north_west);
    }

    /* `scores` are those of the first column, into which no gap along a row leads but those that begin there. */
    __device__ __forceinline__ void begin(const BlockedTask<LANES> &w, const unsigned char *scores)
    {
        /* By shuffles, so that the compiler does not compute them again in each step. */
        score_mask = __shfl_sync(ALL_LANES, w.score_mask, 0, LANES);
        open_down = __shfl_sync(ALL_LANES, tagged(w.scores.opening), 0, LANES);
        int above = 0;
        int4 eight = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % BLOCKED_GROUP_ROWS == 0)
                eight = eight_scores(scores, r);
            first_pair = r == 0 ? eight.x : first_pair;
            diagonal[r] = add_score(eight, r, above);
            above = tagged(w.scores.edge(w.row(r)), 0, ROW_PLACE - r);
            e[r] = above + open_down + tagged(0, TAG_ALONG_ROW, STEP_PLACE - w.lane);
        }
        bottom = above;
        leaving = INT_MIN;
        edge = tagged(w.scores.edge(1));
        edge_step = w.scores.free_edge ? tagged(-w.scores.extend) : 0;
        north_west = tagged(w.scores.edge(w.row(-1)));
        north = w.lane ? north_west : edge;
        gap_down = w.lane ? INT_MIN : edge + open_down + OLDER;
    }

    /* Notes where the gaps along the rows began, which the stretch's tags cannot tell. */
    __device__ __forceinline__ void begin_stretch(int lane, uint32_t *back)
    {
        store([&](int r) { return r < ROWS ? e[r] : 0; }, lane, back);
        UNROLL(32)
        for (int r = 0; r < ROWS; r++)
            e[r] = (e[r] & score_mask) | tagged(0, TAG_ALONG_ROW, OLDER);
    }

    /* Fills a column; `scores` are those of the next one. Stores the back-trace at `back`. */
    __device__ __forceinline__ void step(const unsigned char *scores, int lane, uint32_t *back)
    {
        int came[ROWS + 1];
        int4 eight = eight_scores(scores, 0);
        int down = gap_down;
        diagonal[0] = __dp2a_hi(first_pair, TABLE_PICK, north_west); /* as add_score() of row 0 */
        first_pair = eight.x;
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r && r % BLOCKED_GROUP_ROWS == 0)
                eight = eight_scores(scores, r);
            came[r] = __vimax3_s32(diagonal[r], e[r], down);
            diagonal[r] = add_score(eight, r, bottom); /* of the row above now */
            bottom = (came[r] & score_mask) | (ROW_PLACE - r);
            down = __viaddmax_s32(bottom, open_down, down);
            e[r] = __viaddmax_s32(bottom, open_along_row, e[r]);
        }
        came[ROWS] = leaving = down;
        store([&](int r) { return came[r]; }, lane, back);
    }

    /* Passes values to the next lane; the first lane gets those of row 0. */
    __device__ __forceinline__ void pass(int lane)
    {
        int above = __shfl_up_sync(ALL_LANES, bottom, 1, LANES),
            gap = __shfl_up_sync(ALL_LANES, leaving | OLDER, 1, LANES);
        edge += edge_step;
        north_west = north;
        north = lane ? above : edge;
        gap_down = lane ? gap : edge + open_down + OLDER;
        open_along_row--;
    }

    /* The best of the last column, of equal cells the lowest. H' of a row is the next one's diagonal without the
     * score of the letter behind the last, of which there is the same again. */
    __device__ __forceinline__ unsigned long long best_of_column(const BlockedTask<LANES> &w) const
    {
        const unsigned char *scores = w.scores_of(w.codes[LANES + w.columns()]);
        unsigned long long best = 0;
        int4 eight = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % BLOCKED_GROUP_ROWS == 0)
                eight = eight_scores(scores, r);
            int i = w.row(r - 1), stored = diagonal[r] - add_score(eight, r, 0);
            unsigned long long key = key_of(w.plain_score(stored, i, w.columns()), (unsigned)i);
            best = r && i >= 1 && key > best ? key : best;
        }
        int i = w.row(ROWS - 1);
        unsigned long long last = key_of(w.plain_score(bottom, i, w.columns()), (unsigned)i);
        return i >= 1 && last > best ? last : best;
    }

    /* Stores the tags of the rows, and of the gap that leaves the lane, in words: by fours, then two, then
     * one. */
    template <class Tagged>
    static __device__ __forceinline__ void store(Tagged of_row, int lane, uint32_t *back)
    {
        unsigned word[words];
        UNROLL(9)
        for (int w = 0; w < words; w++) {
            unsigned byte[4];
            UNROLL(4)
            for (int b = 0; b < 4; b++)
                byte[b] = 4 * w + b <= ROWS ? (unsigned)of_row(4 * w + b) : 0;
            word[w] = __byte_perm(__byte_perm(byte[0], byte[1], 0x0040),
                                  __byte_perm(byte[2], byte[3], 0x0040), 0x5410);
        }
        UNROLL(2)
        for (int n = 0; n < quads; n++)
            ((uint4 *)back)[n * LANES + lane] =
                make_uint4(word[4 * n], word[4 * n + 1], word[4 * n + 2], word[4 * n + 3]);
        back += quads * 4 * LANES;
        if constexpr (rest >= 2)
            ((uint2 *)back)[lane] = make_uint2(word[4 * quads], word[4 * quads + 1]);
        if constexpr (rest % 2)
            back[rest / 2 * 2 * LANES + lane] = word[words - 1];
    }
};

/* The steps from `first` to `end`, of one stretch. */
template <int LANES, int ROWS>
static __device__ __forceinline__ void fill_stretch(BlockedRows<LANES, ROWS> &rows,
                                                    const BlockedTask<LANES> &w, int first, int end)
{
    const int column_words = BLOCKED_WORDS(ROWS) * LANES;
    const unsigned letter_bytes = blocked_letter_bytes({LANES, ROWS, 0});
    const unsigned char *code = w.codes + LANES - w.lane + 1, *table = w.scores_of(0);
    uint32_t *back = w.back + blocked_notes(first / BLOCKED_STRETCH) * column_words;
    /* No gap began before the first stretch. */
    if (first)
        rows.begin_stretch(w.lane, back);
    rows.open_along_row = rows.open_down + tagged(0, TAG_ALONG_ROW, STEP_PLACE - 1);
    unsigned letter = code[first];
    UNROLL(1)
    for (int k = first; k < end; k++) {
        const unsigned char *scores = table + letter * letter_bytes;
        letter = code[k + 1];
        back += column_words;
        if ((unsigned)(k - w.lane) < (unsigned)w.columns())
            rows.step(scores, w.lane, back);
        rows.pass(w.lane);
        if (w.lane == LANES - 1)
            w.ends->row[k] = rows.bottom;
    }
}

/* Returns the best of the lane's cells of the last column, of equal ones the lowest. */
template <int LANES, int ROWS>
static __device__ __forceinline__ unsigned long long fill(const BlockedTask<LANES> &w)
{
    BlockedRows<LANES, ROWS> rows;
    rows.begin(w, w.scores_of(w.codes[LANES]));
    int end = blocked_steps(w.shape);
    for (int from = 0; from < end; from += BLOCKED_STRETCH)
        fill_stretch<LANES, ROWS>(rows, w, from, from + BLOCKED_STRETCH < end ? from + BLOCKED_STRETCH : end);
    return rows.best_of_column(w);
}

/* Finds the code for this number of rows, of those that blocked_rows_a_lane() answers. */
template <int LANES, int ROWS>
static __device__ __forceinline__ unsigned long long dispatch_fill(const BlockedTask<LANES> &w)
{
    constexpr int less = ROWS - BLOCKED_ROWS_STEP(LANES);
    if constexpr (less > 0)
        if (w.shape.rows_a_lane != ROWS)
            return dispatch_fill<LANES, less>(w);
    return fill<LANES, ROWS>(w);
}

/* ---- where the trace-back starts ---- */

template <int LANES>
static __device__ __forceinline__ unsigned long long largest_of_task(unsigned long long key)
{
    for (int distance = LANES / 2; distance; distance /= 2) {
        unsigned long long other = __shfl_xor_sync(ALL_LANES, key, distance);
        key = other > key ? other : key;
    }
    return key;
}

static __device__ __forceinline__ int score_of(unsigned long long key)
{
    return (int)((unsigned)(key >> 32) ^ 0x80000000u);
}

static __device__ __forceinline__ int between(int i, int j)
{
    return i > j ? i - j : j - i;
}

/* The best cell of the last row, of equal ones the nearest to the diagonal, of these the first. Loads do not wait
 * for each other. */
template <int LANES>
static __device__ unsigned long long best_of_row(const BlockedTask<LANES> &w)
{
    const int i = w.task.reference_length, at_once = 8;
    unsigned long long best = 0;
    for (int first = w.lane; first < w.columns(); first += at_once * LANES) {
        int stored[at_once];
        UNROLL(8)
        for (int n = 0; n < at_once; n++)
            stored[n] = w.ends->row[within(first + n * LANES, w.columns()) + LANES - 1];
        UNROLL(8)
        for (int n = 0; n < at_once; n++) {
            int j = within(first + n * LANES, w.columns()) + 1;
            unsigned rank = (unsigned)(0xffff - between(i, j)) << 16 | (unsigned)(0xffff - j);
            unsigned long long key = key_of(w.plain_score(stored[n], i, j), rank);
            best = key > best ? key : best;
        }
    }
    return best;
}

/* swat/batch/gatk.c has the rule. */
template <int LANES>
static __device__ void find_start(const BlockedTask<LANES> &w, unsigned long long best_of_column,
                                  sw_found *found)
{
    int rows = w.task.reference_length, columns = w.columns();
    unsigned long long column = largest_of_task<LANES>(best_of_column),
                       row = largest_of_task<LANES>(best_of_row(w));
    int i = (int)(unsigned)column, j = 0xffff - (int)(row & 0xffff);
    bool row_is_better = score_of(row) > score_of(column) ||
                         (score_of(row) == score_of(column) && between(rows, j) < between(i, columns));
    row_is_better = row_is_better && w.task.strategy != OVERHANG_LEADING_INDEL;
    found->score = row_is_better ? score_of(row) : score_of(column);
    found->i = row_is_better ? rows : i;
    found->j = row_is_better ? j : columns;
    if (w.task.strategy == OVERHANG_INDEL) {
        found->score = w.plain_score(w.ends->row[columns - 1 + LANES - 1], rows, columns);
        found->i = rows;
        found->j = columns;
    }
}

/* ---- the trace-back ---- */

template <int LANES>
struct BlockedTracer {
    const BlockedTask<LANES> &w;
    unsigned words;
    static const int ahead = LOOK_AHEAD / LANES; /* cells that a lane reads at once */
    static const unsigned lanes_of_task = ALL_LANES >> (WARP_LANES - LANES);
    unsigned per_row;           /* 2^16 / rows of a lane, rounded up: exact quotients of all rows */
    unsigned operation, length; /* of the element that may still grow */
    unsigned count;             /* of elements before it */

    __device__ explicit BlockedTracer(const BlockedTask<LANES> &of)
        : w(of), words(BLOCKED_WORDS(of.shape.rows_a_lane)),
          per_row((0x10000u + (unsigned)of.shape.rows_a_lane - 1) / (unsigned)of.shape.rows_a_lane),
          operation(0), length(0), count(0)
    {
    }

    /* A cell where it was filled. */
    struct place {
        int lane, row, step;
    };
    __device__ place place_of(int i, int j) const
    {
        int q = i - 1 + w.padding, lane = (int)((unsigned)q * per_row >> 16);
        return {lane, q - lane * w.shape.rows_a_lane, j - 1 + lane};
    }

    /* The tag that a lane stored for a row in a column; the lane stored its words by fours,
     * then two, then one. */
    __device__ unsigned tag_in(size_t column, int lane, int row) const
    {
        unsigned word = (unsigned)row / 4, by_fours = words & ~3u, by_twos = words & ~1u,
                 first = word < by_fours  ? word & ~3u
                         : word < by_twos ? by_fours
                                          : by_twos,
                 size = word < by_fours  ? 4
                        : word < by_twos ? 2
                                         : 1,
                 at = ((unsigned)column * words + first) * LANES + (unsigned)lane * size;
        return ((const unsigned char *)w.back)[4 * (at - first) + (unsigned)row];
    }
    __device__ unsigned tag(int i, int j) const
    {
        place c = place_of(i, j);
        return tag_in(blocked_column(c.step), c.lane, c.row);
    }

    __device__ void flush()
    {
        if (length && w.lane == 0)
            w.ends->elements[count] = length << 2 | operation;
        count += length > 0;
        length = 0;
    }
    __device__ void add(unsigned what, int letters)
    {
        if (what != operation)
            flush();
        operation = what;
        length += (unsigned)letters;
    }

    /* The letters of the gap that ends at (i, j), where `came` is stored: goes from note to note to where the
     * gap was opened, whose place stands there beside that of the row. */
    __device__ int row_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int stretch = at.step / BLOCKED_STRETCH;
        for (; (came & OLDER) == OLDER; stretch--)
            came = tag_in(blocked_notes(stretch), at.lane, at.row);
        int step_place = (int)(came & OLDER) - (ROW_PLACE - at.row);
        return at.step - (stretch * BLOCKED_STRETCH + STEP_PLACE - step_place) + 1;
    }
    /* No gap begins before the first row: the padding above has the values of row 0. */
    __device__ int column_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int letters = 0, rows = w.shape.rows_a_lane;
        for (; (came & OLDER) == OLDER && at.lane; at.row = rows - 1) {
            letters += at.row + 1;
            at.lane--;
            came = tag_in(blocked_column(j - 1 + at.lane), at.lane, rows);
        }
        letters += at.row - (ROW_PLACE - (int)(came & OLDER));
        return (came & OLDER) != OLDER && letters < i ? letters : i;
    }

    /* How many letters match from cell (i, j) on, LOOK_AHEAD at most, and what is stored behind them. No load
     * waits for a condition, so that none waits for another. */
    __device__ int matches_from(int i, int j, unsigned *behind) const
    {
        unsigned own[ahead], candidate = 0;
        UNROLL(8)
        for (int n = 0; n < ahead; n++) {
            int letters = n * LANES + w.lane;
            bool inside = i > letters && j > letters;
            unsigned came = tag(inside ? i - letters : 1, inside ? j - letters : 1);
            own[n] = inside ? came : 0;
        }
        int matches = LOOK_AHEAD;
        UNROLL(8)
        for (int n = ahead - 1; n >= 0; n--) {
            unsigned of_warp = __ballot_sync(ALL_LANES, own[n] < LEAST_NORTH_WEST),
                     of_task = of_warp >> (threadIdx.x % WARP_LANES - (unsigned)w.lane) & lanes_of_task;
            candidate = of_task ? own[n] : candidate;
            matches = of_task ? n * LANES + __ffs((int)of_task) - 1 : matches;
        }
        *behind = __shfl_sync(ALL_LANES, candidate, matches % LANES, LANES);
        return matches;
    }

    /* A task's lanes have the same (i, j), and go on with the warp when theirs is done. */
    __device__ void walk(sw_found *found)
    {
        int i = found->i, j = found->j;
        while (__any_sync(ALL_LANES, i > 0 && j > 0)) {
            unsigned behind;
            int matches = matches_from(i, j, &behind);
            i -= matches;
            j -= matches;
            if (matches)
                add(SW_MATCH, matches);
            if (matches == LOOK_AHEAD || i <= 0 || j <= 0)
                continue;
            bool along_row = behind >> PLACE_BITS == TAG_ALONG_ROW;
            int letters = along_row ? row_gap(behind, i, j) : column_gap(behind, i, j);
            add(along_row ? SW_INSERTION : SW_DELETION, letters);
            i -= along_row ? 0 : letters;
            j -= along_row ? letters : 0;
        }
        flush();
        found->end_i = i;
        found->end_j = j;
        found->element_count = count;
    }
};

/* Copies the elements to the memory for all warps' elements. */
template <int LANES>
static __device__ void keep_elements(const BlockedInput &q, const BlockedTask<LANES> &w, sw_found *found)
{
    unsigned at = 0;
    if (w.lane == 0)
        at = atomicAdd(q.pool_used, found->element_count);
    found->element_at = __shfl_sync(ALL_LANES, at, 0, LANES);
    for (unsigned e = (unsigned)w.lane; e < found->element_count; e += LANES)
        q.pool[found->element_at + e] = w.ends->elements[e];
}

/* The shape that fits the tasks of the warp. */
template <int LANES>
static __device__ blocked_shape shape_of_warp(const sw_task &task)
{
    int rows = task.reference_length, columns = task.alternate_length;
    for (int distance = LANES; distance < WARP_LANES; distance *= 2) {
        int other_rows = __shfl_xor_sync(ALL_LANES, rows, distance),
            other_columns = __shfl_xor_sync(ALL_LANES, columns, distance);
        rows = other_rows > rows ? other_rows : rows;
        columns = other_columns > columns ? other_columns : columns;
    }
    return {LANES, blocked_rows_a_lane(rows, LANES), columns};
}

/* Tasks from `index` on, as many as a warp has by LANES. */
template <int LANES>
static __device__ void align_tasks(const BlockedInput &q, unsigned index)
{
    const unsigned in_warp = threadIdx.x % WARP_LANES, in_block = threadIdx.x / WARP_LANES,
                   warp = blockIdx.x * BLOCKED_WARPS + in_block, part = in_warp / LANES,
                   number = q.first + index + part;
    const sw_task task = q.tasks[number];
    const blocked_shape shape = shape_of_warp<LANES>(task);
    unsigned char *shared = dynamic_shared<unsigned char>() + (size_t)in_block * q.shared_bytes +
                            part * blocked_shared_bytes(shape, q.kinds);
    BlockedTask<LANES> w = {task,
                            BlockedScores(task),
                            shape,
                            q.letters + task.reference_at,
                            q.letters + task.alternate_at,
                            shared + blocked_code_bytes(shape),
                            shared,
                            q.back + (size_t)warp * q.back_words + part * blocked_back_words(shape),
                            q.ends + warp * BLOCKED_MOST_TASKS + part,
                            (int)(in_warp % LANES),
                            shape.rows_a_lane * LANES - task.reference_length,
                            q.score_mask};
    w.make_table(q.kinds);
    w.make_codes();
    __syncwarp();
    const unsigned long long best_of_column = dispatch_fill < LANES,
                             LANES == WARP_LANES ? BLOCKED_MOST_ROWS_OF_WARP : BLOCKED_MOST_ROWS_A_LANE > (w);
    __syncwarp();
    sw_found found;
    find_start(w, best_of_column, &found);
    BlockedTracer<LANES>(w).walk(&found);
    __syncwarp();
    keep_elements(q, w, &found);
    if (w.lane == 0)
        q.found[number] = found;
    __syncwarp();
}

static __global__ void __launch_bounds__(BLOCKED_THREADS, BLOCKED_BLOCKS_PER_SM) sw_blocked(BlockedInput q)
{
    for (;;) {
        unsigned n = 0;
        if (threadIdx.x % WARP_LANES == 0)
            n = atomicAdd(q.next, 1u);
        n = __shfl_sync(ALL_LANES, n, 0);
        const bool paired = n >= q.wide && n < q.wide + q.pairs;
        const unsigned pairs_before = n < q.wide ? 0
                                      : paired   ? n - q.wide
                                                 : q.pairs,
                       task = n + pairs_before * (BLOCKED_MOST_TASKS - 1);
        if (task >= q.count)
            return;
        if (paired)
            align_tasks<WARP_LANES / BLOCKED_MOST_TASKS>(q, task);
        else
            align_tasks<WARP_LANES>(q, task);
    }
}

#endif
