/*
 * SW1 and SW2 of Wang, Xie and Cong 2017 (section IV-B, Figures 6 and 7, Listing 2): a task is done by a
 * block of one warp. The matrix is divided into strips of 32 rows, one row for each lane; a strip is filled
 * from west to east, anti-diagonal after anti-diagonal, in parallelograms of 32 steps. Rows at the borders of
 * strips go through global memory. A template argument says how a lane gets its neighbours' scores: through
 * line buffers in shared memory (SW1) or by shuffles (SW2).
 *
 * The back-trace matrix has four bits for each cell: where the score came from, and whether the gaps along
 * the row and down the column were extended here. Eight steps of a lane make a word.
 */
#ifndef SWAT_BATCH_KERNELS_CUH
#define SWAT_BATCH_KERNELS_CUH

#include "harness/kernel.cuh"
#include "swat/batch/back_trace.h"
#include "swat/batch/gatk.h"
#include "swat/batch/pools.h"

#include <limits.h>
#include <stdint.h>

#define NO_GAP (INT_MIN / 2)

enum { FROM_NORTH_WEST, FROM_GAP_ALONG_ROW, FROM_GAP_DOWN, ROW_GAP_EXTENDS = 4, COLUMN_GAP_EXTENDS = 8 };

struct SwInput {
    const unsigned char *letters;
    const sw_task *tasks;
    const sw_place *places;
    uint32_t *back;
    int *borders;
    sw_found *found;
    /* the elements of alignments, each of which is length << 2 | operation; an alignment's elements go from
     * its end to its start */
    unsigned *pool_used, *pool;
    unsigned first, count; /* number of the launch's first task, and number of tasks of the launch */
};

/* Returns the index of the back-trace word with the four bits of row `lane` of a strip at step k; the bits
 * begin at bit k % 8 * 4 of the word. */
static inline __device__ size_t sw_back_word(int strip, int columns, int k, int lane)
{
    return (((size_t)strip * (size_t)SW_CHUNKS(columns) * STRIP + (size_t)k) / STEPS_PER_WORD) * STRIP +
           (size_t)lane;
}

static inline __device__ int sw_edge_score(const sw_task &task, int k)
{
    bool free_edge = task.strategy == OVERHANG_SOFTCLIP || task.strategy == OVERHANG_IGNORE;
    return free_edge || !k ? 0 : task.scores.open + (k - 1) * task.scores.extend;
}

/* The values from the neighbours of the cell to be filled: the scores of the cells north, west and north-west
 * of it, and the score of the gap down the column that ends at the north neighbour. */
struct Neighbours {
    int north, west, north_west, gap;
};

/* The exchange of neighbours' scores in SW2: by registers and two shuffles for each step. */
struct ByShuffle {
    int north_west;

    static size_t shared_bytes() { return 0; }
    __device__ void begin(void *, int, int, int before) { north_west = before; }
    __device__ Neighbours get(int, int lane, int score, int gap, int border_score, int border_gap)
    {
        int north = __shfl_up_sync(0xffffffffu, score, 1), down = __shfl_up_sync(0xffffffffu, gap, 1);
        Neighbours n = {lane ? north : border_score, score, north_west, lane ? down : border_gap};
        north_west = n.north;
        return n;
    }
    __device__ void put(int, int, bool, int, int) {}
};

/* In SW1, lanes exchange neighbours' scores through three line buffers of scores and two of gaps, which are
 * rotated at each step. Lane 0 gets its north neighbours from the border. */
struct ByShared {
    volatile int *scores, *gaps; /* the line buffers, [3][STRIP] and [2][STRIP] */
    int border_before;

    static size_t shared_bytes() { return 5 * STRIP * sizeof(int); }
    __device__ void begin(void *shared, int lane, int score, int before)
    {
        scores = (int *)shared;
        gaps = scores + 3 * STRIP;
        border_before = before;
        __syncthreads();
        for (int line = 0; line < 3; line++)
            scores[line * STRIP + lane] = score;
        gaps[STRIP + lane] = NO_GAP;
        gaps[lane] = NO_GAP;
        __syncthreads();
    }
    __device__ Neighbours get(int k, int lane, int, int, int border_score, int border_gap)
    {
        const volatile int *before = scores + (k + 2) % 3 * STRIP,
                           *before_that = scores + (k + 1) % 3 * STRIP;
        int above = lane ? lane - 1 : 0;
        Neighbours n = {before[above], before[lane], before_that[above], gaps[(k + 1) % 2 * STRIP + above]};
        if (lane == 0)
            n = {border_score, n.west, border_before, border_gap};
        border_before = border_score;
        return n;
    }
    __device__ void put(int k, int lane, bool inside, int score, int gap)
    {
        if (inside) {
            scores[k % 3 * STRIP + lane] = score;
            gaps[k % 2 * STRIP + lane] = gap;
        }
        __syncthreads();
    }
};

/* The lane's values in its row: the values of the cell that it filled last, and values from which the start
 * of the trace-back is found. */
struct SwLane {
    /* score of the cell that the lane filled last, and scores of the gaps along the row and down the column
     * that end there */
    int score, row_gap, column_gap;
    int last_column;
    int best_of_row, best_j; /* score and column of the best cell in the matrix's last row */
};

struct SwBorder {
    int score[2 * STRIP], gap[2 * STRIP]; /* the values of column j are at index j % 64 */
};

template <class Exchange>
struct SwStrip {
    const sw_task &task;
    SwBorder *in, *out;
    /* letters of the columns around the current step; the letter of column j is at index j % 64 */
    unsigned char *letters;
    Exchange exchange;
    SwLane at;
    unsigned char letter; /* the letter of the lane's row */
    int row, lane;

    /* Fills the lane's cell of step k and returns its four back-trace bits. CHECKED says that the cell may be
     * outside the matrix, or on its last row or column. */
    template <bool CHECKED>
    __device__ __forceinline__ unsigned step(int k)
    {
        int j = k - lane + 1, ring = j & (2 * STRIP - 1), border = (k + 1) & (2 * STRIP - 1);
        Neighbours n = exchange.get(k, lane, at.score, at.column_gap, in->score[border], in->gap[border]);
        int row_open = n.west + task.scores.open, row_extend = at.row_gap + task.scores.extend;
        int column_open = n.north + task.scores.open, column_extend = n.gap + task.scores.extend;
        int row_gap = row_open > row_extend ? row_open : row_extend;
        int column_gap = column_open > column_extend ? column_open : column_extend;
        int diagonal = n.north_west + (letters[ring] == letter ? task.scores.match : task.scores.mismatch);
        int gap = row_gap > column_gap ? row_gap : column_gap, score = diagonal > gap ? diagonal : gap;
        unsigned bits = diagonal >= gap         ? (unsigned)FROM_NORTH_WEST
                        : row_gap >= column_gap ? (unsigned)FROM_GAP_ALONG_ROW
                                                : (unsigned)FROM_GAP_DOWN;
        bits |= row_open > row_extend ? 0 : ROW_GAP_EXTENDS;
        bits |= column_open > column_extend ? 0 : COLUMN_GAP_EXTENDS;
        bool inside = !CHECKED || j >= 1;
        if (inside) {
            at.score = score;
            at.row_gap = row_gap;
            at.column_gap = column_gap;
        }
        if (CHECKED)
            remember(j);
        if (lane == STRIP - 1) {
            out->score[ring] = at.score;
            out->gap[ring] = at.column_gap;
        }
        exchange.put(k, lane, inside, score, column_gap);
        return bits;
    }

    __device__ void remember(int j)
    {
        if (j == task.alternate_length)
            at.last_column = at.score;
        if (row != task.reference_length || j < 1 || j > task.alternate_length)
            return;
        int distance = row - j, best_distance = row - at.best_j;
        distance = distance < 0 ? -distance : distance;
        best_distance = best_distance < 0 ? -best_distance : best_distance;
        if (at.best_j == 0 || at.score > at.best_of_row ||
            (at.score == at.best_of_row && distance < best_distance)) {
            at.best_of_row = at.score;
            at.best_j = j;
        }
    }

    template <bool CHECKED>
    __device__ void steps(int from, uint32_t *back)
    {
        for (int word = 0; word < STRIP / STEPS_PER_WORD; word++) {
            uint32_t bits = 0;
            UNROLL(8)
            for (int k = 0; k < STEPS_PER_WORD; k++)
                bits |= step<CHECKED>(from + word * STEPS_PER_WORD + k) << 4 * k;
            back[word * STRIP + lane] = bits;
        }
    }
};

/* Each lane's best cell in the last column, a candidate for the start of the trace-back; the first lane
 * chooses among them. */
struct SwCandidates {
    int score[STRIP], i[STRIP];
};

struct SwShared {
    SwBorder in, out;
    SwCandidates found;
    unsigned char letters[2 * STRIP];
};

/* Chooses the cell where the trace-back starts, by the rule of swat/batch/gatk.c; called by the first
 * lane. */
static inline __device__ void choose_start(const sw_task &task, const SwCandidates &found, int best_of_row,
                                           int best_j, sw_found *out)
{
    int score = INT_MIN, i = 0, j = task.alternate_length;
    for (int lane = 0; lane < STRIP; lane++)
        if (found.i[lane] &&
            (found.score[lane] > score || (found.score[lane] == score && found.i[lane] > i))) {
            score = found.score[lane];
            i = found.i[lane];
        }
    int m = task.reference_length, distance = m > best_j ? m - best_j : best_j - m,
        other = i > j ? i - j : j - i;
    bool row_is_better = best_of_row > score || (best_of_row == score && distance < other);
    if (row_is_better && task.strategy != OVERHANG_LEADING_INDEL) {
        score = best_of_row;
        i = m;
        j = best_j;
    }
    out->score = score;
    out->i = i;
    out->j = j;
}

template <class Exchange>
static __global__ void __launch_bounds__(STRIP) sw_fill(SwInput q)
{
    SwShared *shared = dynamic_shared<SwShared>();
    const unsigned index = q.first + blockIdx.x;
    const sw_task task = q.tasks[index];
    const int lane = (int)threadIdx.x, rows = task.reference_length, columns = task.alternate_length;
    const int strips = (rows + STRIP - 1) / STRIP, steps = SW_CHUNKS(columns) * STRIP;
    uint32_t *back = q.back + q.places[index].back;
    int *border_scores = q.borders + q.places[index].border, *border_gaps = border_scores + columns + 1;
    SwStrip<Exchange> strip = {task, &shared->in, &shared->out, shared->letters, {}, {}, 0, 0, lane};
    strip.at.best_j = 0;
    strip.at.best_of_row = INT_MIN;
    /* score and row number of this lane's best cell in the matrix's last column */
    int best = INT_MIN, best_i = 0;
    for (int s = 0; s < strips; s++) {
        int i = strip.row = s * STRIP + lane + 1;
        strip.letter = q.letters[task.reference_at + (unsigned)((i < rows ? i : rows) - 1)];
        strip.at.score = sw_edge_score(task, i);
        strip.at.row_gap = strip.at.column_gap = NO_GAP;
        strip.exchange.begin(shared + 1, lane, strip.at.score, sw_edge_score(task, i - 1));
        for (int from = 0; from < steps; from += STRIP) {
            int j = from + lane + 1, known = j < columns ? j : columns, ring = j & (2 * STRIP - 1);
            shared->letters[ring] = q.letters[task.alternate_at + (unsigned)(known - 1)];
            shared->in.score[ring] = s ? border_scores[known] : sw_edge_score(task, known);
            shared->in.gap[ring] = s ? border_gaps[known] : NO_GAP;
            __syncwarp();
            if (from == 0 || from + STRIP >= columns || s == strips - 1)
                strip.template steps<true>(from, back);
            else
                strip.template steps<false>(from, back);
            back += STRIP / STEPS_PER_WORD * STRIP;
            __syncwarp();
            int done = j - (STRIP - 1), done_ring = done & (2 * STRIP - 1);
            if (done >= 1 && done <= columns) {
                border_scores[done] = shared->out.score[done_ring];
                border_gaps[done] = shared->out.gap[done_ring];
            }
            __syncwarp();
        }
        bool counts = i <= rows && (task.strategy != OVERHANG_INDEL || i == rows);
        if (counts && (best_i == 0 || strip.at.last_column >= best)) {
            best = strip.at.last_column;
            best_i = i;
        }
    }
    shared->found.score[lane] = best;
    shared->found.i[lane] = best_i;
    int last = (rows - 1) % STRIP;
    int best_of_row = __shfl_sync(0xffffffffu, strip.at.best_of_row, last),
        best_j = __shfl_sync(0xffffffffu, strip.at.best_j, last);
    if (task.strategy == OVERHANG_INDEL)
        best_of_row = INT_MIN;
    __syncwarp();
    if (lane == 0)
        choose_start(task, shared->found, best_of_row, best_j, &q.found[index]);
}

/* The trace-back of a task, by one thread. */
struct SwTracer {
    const uint32_t *back;
    int columns;
    unsigned *elements;
    unsigned count;

    __device__ unsigned bits(int i, int j) const
    {
        int strip = (i - 1) / STRIP, lane = (i - 1) % STRIP, k = j - 1 + lane;
        return back[sw_back_word(strip, columns, k, lane)] >> k % STEPS_PER_WORD * 4;
    }

    __device__ void add(unsigned operation, int length)
    {
        if (count && (elements[count - 1] & 3) == operation)
            elements[count - 1] += (unsigned)length << 2;
        else
            elements[count++] = (unsigned)length << 2 | operation;
    }

    /* row_gap() and column_gap() return the number of letters of the gap that ends at (i, j), along the row
     * or down the column. */
    __device__ int row_gap(int i, int j) const
    {
        int length = 1;
        while (bits(i, j - length + 1) & ROW_GAP_EXTENDS)
            length++;
        return length;
    }
    __device__ int column_gap(int i, int j) const
    {
        int length = 1;
        while (bits(i - length + 1, j) & COLUMN_GAP_EXTENDS)
            length++;
        return length;
    }

    __device__ void walk(sw_found *found)
    {
        int i = found->i, j = found->j;
        do {
            unsigned source = bits(i, j) & 3;
            int length = source == FROM_GAP_ALONG_ROW ? row_gap(i, j)
                         : source == FROM_GAP_DOWN    ? column_gap(i, j)
                                                      : 1;
            add(source == FROM_GAP_ALONG_ROW ? SW_INSERTION
                : source == FROM_GAP_DOWN    ? SW_DELETION
                                             : SW_MATCH,
                length);
            i -= source == FROM_GAP_ALONG_ROW ? 0 : length;
            j -= source == FROM_GAP_DOWN ? 0 : length;
        } while (i > 0 && j > 0);
        found->end_i = i;
        found->end_j = j;
    }
};

/* Traces all tasks back, with one thread for each task. An alignment's elements are first written to the
 * memory of the task's border, and then moved to the pool. */
static __global__ void sw_trace_back(SwInput q)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x, index = q.first + n;
    if (n >= q.count)
        return;
    sw_found found = q.found[index];
    SwTracer tracer = {q.back + q.places[index].back, q.tasks[index].alternate_length,
                       (unsigned *)(q.borders + q.places[index].border), 0};
    tracer.walk(&found);
    found.element_count = tracer.count;
    found.element_at = atomicAdd(q.pool_used, tracer.count);
    for (unsigned e = 0; e < tracer.count; e++)
        q.pool[found.element_at + e] = tracer.elements[e];
    q.found[index] = found;
}

#endif
