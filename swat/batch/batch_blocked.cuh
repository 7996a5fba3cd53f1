/*
 * Our own kernel: one warp a task, and up to 20 consecutive rows a lane. The paper's SW1 and SW2
 * (swat/batch/batch_kernels.cuh) take 34 instructions for a cell, more in tiles at an edge, and fill 32 rows
 * at a time, each with a start and an end. This kernel takes ten, in one pass over the columns.
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
 * A tag is a byte, so its place is one of a lane's rows, or one of the columns of a stretch of 32 steps, or
 * OLDER, which is the largest. If a gap leaves its lane or its stretch, its place is noted beside the cells'
 * bytes, and becomes OLDER; the trace-back goes from note to note to where the gap was opened. Notes are a
 * byte for each lane and column, and for each row and stretch: in all little more than a byte a cell, which
 * is written once and hardly read.
 *
 * What is stored is the tag less the place of the cell's row, which H' keeps below its score: one subtraction
 * extracts it, a multiplication and addition puts it into its word, and another unit than the one for maxima,
 * which is the busiest, does both.
 *
 * No edges. The matrix's last row is the last row of the last lane. Rows above its first row are padding,
 * whose values are those of row 0. A lane is a column behind the lane above it, and does nothing before its
 * first column and after its last.
 *
 * The last row and the last column are stored, and the whole warp searches them at the end. The warp then
 * traces back, 32 cells of the diagonal at a time. Warps take tasks until none is left, the largest first;
 * each warp has memory for one back-trace, so that more tasks need no more memory.
 */
#ifndef SWAT_BATCH_BLOCKED_CUH
#define SWAT_BATCH_BLOCKED_CUH

#include "swat/batch/batch_kernels.cuh"
#include "swat/batch/blocked.h"

#define BLOCKED_BLOCKS_PER_SM 4
#define ALL_LANES 0xffffffffu
#define ENTRY_BYTES 16 /* the scores of four rows */

/* Places in tags: a row's place is ROW_PLACE less its number in the lane; a step's place is STEP_PLACE less
 * its number in the stretch, to which the row's place is added, since H' contains it. */
#define ROW_PLACE BLOCKED_MOST_ROWS_A_LANE
#define STEP_PLACE (BLOCKED_STRETCH - 1)
#define OLDER ((1 << PLACE_BITS) - 1)
/* The stored values of places, with the place of the cell's row subtracted: for a gap down, its letters in
 * this lane; for a gap along the row, the step's place; a value that is not below LEAST_OLDER means older. */
#define LEAST_OLDER (OLDER - ROW_PLACE)
static_assert(STEP_PLACE < LEAST_OLDER && ROW_PLACE < LEAST_OLDER, "places differ from what is older");
#define SCORE_MASK (~((1 << TAG_BITS) - 1))
/* The places of the last direction are not used, and may fall below 0. */
enum { TAG_DOWN, TAG_ALONG_ROW, TAG_NORTH_WEST = 3 };
#define LEAST_NORTH_WEST (2u << PLACE_BITS)

struct BlockedInput {
    const unsigned char *letters;
    const sw_task *tasks;
    uint32_t *back; /* of each warp */
    size_t back_words;
    blocked_ends *ends;
    sw_found *found;
    unsigned *next; /* task; 0 before the launch */
    unsigned *pool_used, *pool;
    unsigned first, count;
    int groups; /* of four rows, that a warp's shared memory has room for */
    unsigned shared_bytes;
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

/* A task in one warp. */
struct BlockedWarp {
    const sw_task &task;
    BlockedScores scores;
    const unsigned char *reference, *alternate;
    unsigned char *table, *codes; /* in shared memory; codes of the columns, and 32 more before and behind */
    uint32_t *back;
    blocked_ends *ends;
    int lane, rows_a_lane, padding; /* rows above the first */
    int score_mask;

    __device__ int columns() const { return task.alternate_length; }

    /* The matrix's row that is a lane's row r. */
    __device__ int row(int r) const { return lane * rows_a_lane + r - padding + 1; }

    __device__ void make_table()
    {
        for (int g = 0; g < (rows_a_lane + 3) / 4; g++) {
            int i = row(4 * g);
            unsigned code[4];
            UNROLL(4)
            for (int r = 0; r < 4; r++)
                code[r] =
                    i + r >= 1 && i + r <= task.reference_length ? letter_code(reference[i + r - 1]) : 0;
            int4 *entry = (int4 *)(table + g * BLOCKED_GROUP_BYTES) + lane;
            for (unsigned c = 0; c < BLOCKED_LETTERS; c++, entry += BLOCKED_LANES)
                *entry = make_int4(tagged(scores.get(i, code[0], c), TAG_NORTH_WEST),
                                   tagged(scores.get(i + 1, code[1], c), TAG_NORTH_WEST),
                                   tagged(scores.get(i + 2, code[2], c), TAG_NORTH_WEST),
                                   tagged(scores.get(i + 3, code[3], c), TAG_NORTH_WEST));
        }
    }

    __device__ void make_codes()
    {
        for (int c = lane - BLOCKED_LANES; c < columns() + BLOCKED_LANES; c += BLOCKED_LANES)
            codes[BLOCKED_LANES + c] =
                (unsigned char)(c >= 0 && c < columns() ? letter_code(alternate[c]) : 0);
    }
};

/* A lane's rows: H' without tags except for the row's own place, and E'. */
template <int ROWS>
struct BlockedRows {
    static const int words = BLOCKED_WORDS(ROWS), quads = words / 4, rest = words % 4;

    int h[ROWS], e[ROWS];
    int north, north_west, gap_down; /* of the lane's first row in the next step: H', H' and F' */
    int leaving;                     /* F' below the lane's last row, tagged with the row's place */
    int edge, edge_step;             /* H' of row 0 there */
    int open_along_row, open_down;   /* what is added to H' for a new gap */
    int score_mask;

    __device__ __forceinline__ void begin(const BlockedWarp &w)
    {
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            h[r] = tagged(w.scores.edge(w.row(r)), 0, ROW_PLACE - r);
            e[r] = INT_MIN;
        }
        leaving = INT_MIN;
        /* By shuffles, so that the compiler does not compute them again in each step. */
        score_mask = __shfl_sync(ALL_LANES, w.score_mask, 0);
        open_down = __shfl_sync(ALL_LANES, tagged(w.scores.opening), 0);
        edge = tagged(w.scores.edge(1));
        edge_step = w.scores.free_edge ? tagged(-w.scores.extend) : 0;
        north_west = tagged(w.scores.edge(w.row(-1)));
        north = w.lane ? north_west : edge;
        gap_down = w.lane ? INT_MIN : edge + open_down + OLDER;
    }

    /* Notes where the gaps along the rows began, which the stretch's tags cannot tell. */
    __device__ __forceinline__ void begin_stretch(int lane, uint32_t *back)
    {
        unsigned byte[ROWS + 1];
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            int score = e[r] & score_mask;
            byte[r] = (unsigned)(e[r] - (score | (ROW_PLACE - r)));
            e[r] = score | tagged(0, TAG_ALONG_ROW, OLDER);
        }
        byte[ROWS] = 0;
        store(byte, lane, back);
        open_along_row = open_down + tagged(0, TAG_ALONG_ROW, STEP_PLACE);
    }

    /* Fills a column, whose letter's scores lie at `scores`; stores its back-trace at `back`. */
    __device__ __forceinline__ void step(const unsigned char *scores, int lane, uint32_t *back)
    {
        unsigned byte[ROWS + 1];
        int diagonal_from = north_west, down = gap_down;
        int4 four = {};
        UNROLL(32)
        for (int r = 0; r < ROWS; r++) {
            if (r % 4 == 0)
                four = *(const int4 *)(scores + r / 4 * BLOCKED_GROUP_BYTES);
            int diagonal = diagonal_from + component(four, r % 4);
            diagonal_from = h[r];
            e[r] = __viaddmax_s32(h[r], open_along_row, e[r]);
            int came = __vimax3_s32(diagonal, e[r], down);
            h[r] = (came & score_mask) | (ROW_PLACE - r);
            byte[r] = (unsigned)(came - h[r]);
            down = __viaddmax_s32(h[r], open_down, down);
        }
        leaving = (down & score_mask) | (ROW_PLACE - ROWS);
        byte[ROWS] = (unsigned)(down - leaving);
        store(byte, lane, back);
    }

    /* Passes values to the next lane; the first lane gets those of row 0. */
    __device__ __forceinline__ void pass(int lane)
    {
        int above = __shfl_up_sync(ALL_LANES, h[ROWS - 1], 1),
            gap = __shfl_up_sync(ALL_LANES, leaving, 1) + (OLDER - (ROW_PLACE - ROWS));
        edge += edge_step;
        north_west = north;
        north = lane ? above : edge;
        gap_down = lane ? gap : edge + open_down + OLDER;
        open_along_row--;
    }

    /* Stores the rows' bytes, and that of the gap that leaves the lane, in words: by fours,
     * then two, then one. */
    static __device__ __forceinline__ void store(const unsigned *byte, int lane, uint32_t *back)
    {
        unsigned word[words];
        UNROLL(8)
        for (int w = 0; w < words; w++) {
            word[w] = 0;
            UNROLL(4)
            for (int r = 4 * w + 3; r >= 4 * w; r--)
                word[w] = word[w] * 256 + (r <= ROWS ? byte[r] : 0);
        }
        UNROLL(2)
        for (int n = 0; n < quads; n++)
            ((uint4 *)back)[n * BLOCKED_LANES + lane] =
                make_uint4(word[4 * n], word[4 * n + 1], word[4 * n + 2], word[4 * n + 3]);
        back += quads * 4 * BLOCKED_LANES;
        if constexpr (rest >= 2)
            ((uint2 *)back)[lane] = make_uint2(word[4 * quads], word[4 * quads + 1]);
        if constexpr (rest % 2)
            back[rest / 2 * 2 * BLOCKED_LANES + lane] = word[words - 1];
    }
};

/* The steps from `first` to `end`, of one stretch. */
template <int ROWS>
static __device__ __forceinline__ void fill_stretch(BlockedRows<ROWS> &rows, const BlockedWarp &w, int first,
                                                    int end)
{
    const unsigned char *code = w.codes + BLOCKED_LANES - w.lane, *table = w.table + ENTRY_BYTES * w.lane;
    uint32_t *back = w.back + blocked_notes(first / BLOCKED_STRETCH) * BLOCKED_WORDS(ROWS) * BLOCKED_LANES;
    rows.begin_stretch(w.lane, back);
    unsigned letter = code[first];
    UNROLL(2)
    for (int k = first; k < end; k++) {
        const unsigned char *scores = table + letter * BLOCKED_LANES * ENTRY_BYTES;
        letter = code[k + 1];
        back += BLOCKED_WORDS(ROWS) * BLOCKED_LANES;
        if ((unsigned)(k - w.lane) < (unsigned)w.columns())
            rows.step(scores, w.lane, back);
        rows.pass(w.lane);
        if (w.lane == BLOCKED_LANES - 1)
            w.ends->row[k] = rows.h[ROWS - 1];
    }
}

template <int ROWS>
static __device__ __forceinline__ void fill(const BlockedWarp &w)
{
    BlockedRows<ROWS> rows;
    rows.begin(w);
    int end = blocked_steps(w.columns());
    for (int from = 0; from < end; from += BLOCKED_STRETCH)
        fill_stretch<ROWS>(rows, w, from, from + BLOCKED_STRETCH < end ? from + BLOCKED_STRETCH : end);
    UNROLL(32)
    for (int r = 0; r < ROWS; r++)
        w.ends->column[r * BLOCKED_LANES + w.lane] = rows.h[r];
}

/* Finds the code for this number of rows. */
template <int ROWS>
static __device__ __forceinline__ void dispatch_fill(const BlockedWarp &w)
{
    if (w.rows_a_lane == ROWS)
        fill<ROWS>(w);
    else if constexpr (ROWS > 1)
        dispatch_fill<ROWS - 1>(w);
}

/* ---- where the trace-back starts ---- */

static __device__ __forceinline__ unsigned long long largest_of_warp(unsigned long long key)
{
    for (int distance = BLOCKED_LANES / 2; distance; distance /= 2) {
        unsigned long long other = __shfl_xor_sync(ALL_LANES, key, distance);
        key = other > key ? other : key;
    }
    return key;
}

/* A candidate: the larger key is the better one. */
static __device__ __forceinline__ unsigned long long key_of(int score, unsigned rank)
{
    return (unsigned long long)((unsigned)score ^ 0x80000000u) << 32 | rank;
}
static __device__ __forceinline__ int score_of(unsigned long long key)
{
    return (int)((unsigned)(key >> 32) ^ 0x80000000u);
}

static __device__ __forceinline__ int between(int i, int j)
{
    return i > j ? i - j : j - i;
}

/* H of a stored H'. */
static __device__ __forceinline__ int plain_score(const BlockedWarp &w, int stored, int i, int j)
{
    return (stored >> TAG_BITS) + (i + j) * w.scores.extend;
}

/* The best cell of the last column, of equal ones the lowest. */
static __device__ unsigned long long best_of_column(const BlockedWarp &w)
{
    unsigned long long best = 0;
    for (int r = 0; r < w.rows_a_lane; r++) {
        int i = w.row(r), stored = w.ends->column[r * BLOCKED_LANES + w.lane];
        unsigned long long key = key_of(plain_score(w, stored, i, w.columns()), (unsigned)i);
        best = i >= 1 && key > best ? key : best;
    }
    return largest_of_warp(best);
}

/* The best cell of the last row, of equal ones the nearest to the diagonal, of these the first. */
static __device__ unsigned long long best_of_row(const BlockedWarp &w)
{
    unsigned long long best = 0;
    int i = w.task.reference_length;
    for (int j = w.lane + 1; j <= w.columns(); j += BLOCKED_LANES) {
        int stored = w.ends->row[j - 1 + BLOCKED_LANES - 1];
        unsigned rank = (unsigned)(0xffff - between(i, j)) << 16 | (unsigned)(0xffff - j);
        unsigned long long key = key_of(plain_score(w, stored, i, j), rank);
        best = key > best ? key : best;
    }
    return largest_of_warp(best);
}

/* swat/batch/gatk.c has the rule. */
static __device__ void find_start(const BlockedWarp &w, sw_found *found)
{
    int rows = w.task.reference_length, columns = w.columns();
    found->i = rows;
    found->j = columns;
    if (w.task.strategy == OVERHANG_INDEL) {
        found->score = plain_score(w, w.ends->row[columns - 1 + BLOCKED_LANES - 1], rows, columns);
        return;
    }
    unsigned long long column = best_of_column(w), row = best_of_row(w);
    int i = (int)(unsigned)column, j = 0xffff - (int)(row & 0xffff);
    bool row_is_better = score_of(row) > score_of(column) ||
                         (score_of(row) == score_of(column) && between(rows, j) < between(i, columns));
    row_is_better = row_is_better && w.task.strategy != OVERHANG_LEADING_INDEL;
    found->score = row_is_better ? score_of(row) : score_of(column);
    found->i = row_is_better ? rows : i;
    found->j = row_is_better ? j : columns;
}

/* ---- the trace-back ---- */

struct BlockedTracer {
    const BlockedWarp &w;
    int words;
    unsigned operation, length; /* of the element that may still grow */
    unsigned count;             /* of elements before it */

    __device__ explicit BlockedTracer(const BlockedWarp &warp)
        : w(warp), words(BLOCKED_WORDS(warp.rows_a_lane)), operation(0), length(0), count(0)
    {
    }

    /* A cell where it was filled. */
    struct place {
        int lane, row, step;
    };
    __device__ place place_of(int i, int j) const
    {
        int q = i - 1 + w.padding, lane = q / w.rows_a_lane;
        return {lane, q % w.rows_a_lane, j - 1 + lane};
    }

    /* The byte that a lane stored for a row in a column; the lane stored its words by fours,
     * then two, then one. */
    __device__ unsigned stored(size_t column, int lane, int row) const
    {
        int word = row / 4,
            size = word / 4 * 4 + 4 <= words   ? 4
                   : word / 2 * 2 + 2 <= words ? 2
                                               : 1,
            first = word / size * size;
        size_t at = (column * (size_t)words + (size_t)first) * BLOCKED_LANES + (size_t)(lane * size);
        return ((const unsigned char *)(w.back + at))[row - 4 * first];
    }

    __device__ unsigned tag(int i, int j) const
    {
        place c = place_of(i, j);
        return stored(blocked_column(c.step), c.lane, c.row);
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
     * gap was opened. */
    __device__ int row_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int stretch = at.step / BLOCKED_STRETCH, step_place = (int)(came & OLDER);
        for (; step_place >= LEAST_OLDER; stretch--)
            step_place = (int)(stored(blocked_notes(stretch), at.lane, at.row) & OLDER);
        return at.step - (stretch * BLOCKED_STRETCH + STEP_PLACE - step_place) + 1;
    }
    /* No gap begins before the first row: the padding above has the values of row 0. */
    __device__ int column_gap(unsigned came, int i, int j) const
    {
        place at = place_of(i, j);
        int letters = 0, in_lane = (int)came;
        for (; in_lane >= LEAST_OLDER && at.lane; at.row = w.rows_a_lane) {
            letters += at.row;
            at.lane--;
            in_lane = (int)stored(blocked_column(j - 1 + at.lane), at.lane, w.rows_a_lane);
        }
        letters += in_lane;
        return in_lane < LEAST_OLDER && letters < i ? letters : i;
    }

    /* All lanes have the same (i, j), and each reads one of the cells to its north-west. */
    __device__ void walk(sw_found *found)
    {
        int i = found->i, j = found->j;
        do {
            bool inside = i > w.lane && j > w.lane;
            unsigned own = inside ? tag(i - w.lane, j - w.lane) : 0;
            unsigned stops = __ballot_sync(ALL_LANES, own < LEAST_NORTH_WEST);
            int matches = stops ? __ffs((int)stops) - 1 : BLOCKED_LANES;
            unsigned next = __shfl_sync(ALL_LANES, own, matches % BLOCKED_LANES);
            i -= matches;
            j -= matches;
            if (matches)
                add(SW_MATCH, matches);
            if (matches == BLOCKED_LANES || i == 0 || j == 0)
                continue;
            bool along_row = next >> PLACE_BITS == TAG_ALONG_ROW;
            int letters = along_row ? row_gap(next, i, j) : column_gap(next, i, j);
            add(along_row ? SW_INSERTION : SW_DELETION, letters);
            i -= along_row ? 0 : letters;
            j -= along_row ? letters : 0;
        } while (i > 0 && j > 0);
        flush();
        found->end_i = i;
        found->end_j = j;
        found->element_count = count;
    }
};

/* Copies the elements to the memory for all warps' elements. */
static __device__ void keep_elements(const BlockedInput &q, const BlockedWarp &w, sw_found *found)
{
    unsigned at = 0;
    if (w.lane == 0)
        at = atomicAdd(q.pool_used, found->element_count);
    found->element_at = __shfl_sync(ALL_LANES, at, 0);
    for (unsigned e = (unsigned)w.lane; e < found->element_count; e += BLOCKED_LANES)
        q.pool[found->element_at + e] = w.ends->elements[e];
}

static __device__ void align_task(const BlockedInput &q, unsigned index)
{
    const unsigned lane = threadIdx.x % BLOCKED_LANES, in_block = threadIdx.x / BLOCKED_LANES,
                   warp = blockIdx.x * BLOCKED_WARPS + in_block;
    const sw_task task = q.tasks[index];
    unsigned char *shared = dynamic_shared<unsigned char>() + (size_t)in_block * q.shared_bytes;
    int rows = (task.reference_length + BLOCKED_LANES - 1) / BLOCKED_LANES;
    BlockedWarp w = {task,
                     BlockedScores(task),
                     q.letters + task.reference_at,
                     q.letters + task.alternate_at,
                     shared,
                     shared + q.groups * BLOCKED_GROUP_BYTES,
                     q.back + (size_t)warp * q.back_words,
                     q.ends + warp,
                     (int)lane,
                     rows,
                     rows * BLOCKED_LANES - task.reference_length,
                     q.score_mask};
    w.make_table();
    w.make_codes();
    __syncwarp();
    dispatch_fill<BLOCKED_MOST_ROWS_A_LANE>(w);
    __syncwarp();
    sw_found found;
    find_start(w, &found);
    BlockedTracer(w).walk(&found);
    __syncwarp();
    keep_elements(q, w, &found);
    if (lane == 0)
        q.found[index] = found;
    __syncwarp();
}

static __global__ void __launch_bounds__(BLOCKED_THREADS, BLOCKED_BLOCKS_PER_SM) sw_blocked(BlockedInput q)
{
    for (;;) {
        unsigned n = 0;
        if (threadIdx.x % BLOCKED_LANES == 0)
            n = atomicAdd(q.next, 1u);
        n = __shfl_sync(ALL_LANES, n, 0);
        if (n >= q.count)
            return;
        align_task(q, q.first + n);
    }
}

#endif
