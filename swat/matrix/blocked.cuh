/*
 * Matrix filling of Smith-Waterman without any grid barrier, with several rows for each lane, of many pairs
 * in one launch (in no paper). As in swat/matrix/strips.cuh, a warp fills a strip from the first column to
 * the last and waits only for the strip above. The differences, and their reasons:
 *
 * - A lane keeps several rows in registers, so that a step's shuffles and loads serve all of them. Its rows
 *   are one column apart, as lanes are, so a step fills an anti-diagonal of the strip: its cells do not wait
 *   for each other, and its directions lie side by side in memory.
 * - Lanes keep costs, of which the smallest counts: -H' = open - H, from which both gaps start; -E = min(-H',
 *   extend - E) of the west neighbour; -F of the north neighbour in the same way; and, for a match, -H' of
 *   the diagonal neighbour minus (score + open). A profile of score + open for the strip lies in shared
 *   memory, [row][letter][lane].
 * - The lowest bits of a cost are a tag that says where the cost came from, in the order of preference among
 *   equal costs: so one minimum finds the direction, too. Between the cost and the tag, further bits contain
 *   the number of the step: so the smallest number of a row in a chunk of steps also tells at which step its
 *   cost occurred, and of several equal costs it is the first.
 * - Letters before and after the second sequence match nothing, and the cells there do not change those
 *   inside: only directions test whether they are inside the matrix.
 * - The last lane publishes its last row's values in each step, and the columns of the strip above are loaded
 *   a chunk before they are needed.
 * - Warps draw strips from a list, pair after pair, the longest first. A strip waits only for a strip drawn
 *   earlier, so the blocks need not be resident at once.
 */
#ifndef SWAT_BLOCKED_CUH
#define SWAT_BLOCKED_CUH

#include "align/alignment.h"
#include "harness/kernel.cuh"
#include "sync/packed_word.cuh"

#include <limits.h>

/* A pair of sequences and its results, on the device. */
struct swat_task {
    const unsigned char *a;
    const unsigned char *b; /* codes of sequence b's letters, with PADDING times NO_LETTER before and after */
    row_best *best;
    unsigned char *directions;
    /* -H' and -F of the last row of each strip, as published words: for each column of each strip a pair of
     * words */
    packed_word_pair *borders;
    int rows, columns;
};

struct swat_strip {
    int task, strip;
};

struct SwatBlocked {
    const swat_task *tasks;
    /* the strips of all pairs of sequences, in the order in which warps draw them */
    const swat_strip *strips;
    int strip_count;
    const int *scores;
    int open, extend; /* the gap costs, as cost_of_opening() and cost_of_extending() return them */
    /* the tag of the words that this launch publishes; earlier launches had other tags */
    unsigned epoch;
    /* number of draws so far; in a launch each strip is drawn once, and each warp's last draw finds no
     * strip */
    unsigned *ticket;
    unsigned drawn; /* the value that *ticket has before the launch */
    /* The values of E_BIT and EXTENDS_BITS. They are members to hide them from the compiler, which merges two
     * instructions into one only if it does not know them. */
    unsigned e_bit, extends_bits;
};

#define E_BIT ((unsigned)E_EXTENDS << 24)
/* the bits E_EXTENDS and F_EXTENDS in the directions of two adjacent cells */
#define EXTENDS_BITS ((unsigned)(E_EXTENDS | F_EXTENDS) * 0x0101)

/* A lane's state for one of its rows: the costs of the cell that it filled last, and the row's best cell so
 * far. */
struct SwatRow {
    int h, e, f;  /* -H', -E, -F */
    int diagonal; /* -H' of the diagonal neighbour of the cell that is filled next */
    /* the least -H' of the row in this chunk of steps, and the step at which it occurred, in one number */
    int least;
    int best, best_step;
};

/* The values that determine the direction of a cell. */
struct SwatCell {
    int h; /* -H of the cell, with a tag that says where H came from */
    /* Each is the cost of E or F minus the cost of a gap that opens here: negative if E or F lengthens a gap,
     * otherwise 0. As E and F are at most H, it is at least minus the cost of opening: small enough that its
     * two highest bits, which directions_of() takes, are both the sign. */
    int e_extends, f_extends;
};

struct SwatBlockedStrip {
    enum {
        lane_rows = 2,
        rows = 32 * lane_rows,
        /* number of steps of a chunk, and number of columns of the strip above that are awaited at once */
        chunk = 16
    };
    enum { letters = SCORING_LETTERS + 1, profile_bytes = lane_rows * letters * 32 * sizeof(int) };
    enum {
        step_at = 2,          /* number of the lowest bit of the step in a cost; the tag is below it */
        one_at = step_at + 4, /* number of the lowest bit of the score in a cost */
        one = 1 << one_at,
        score_limit = 1 << (31 - one_at),
        /* the tag of all costs that a lane keeps; what is added to a cost changes the tag */
        tag = (int)FROM_E,
        infinity = INT_MAX / 2
    };
    static_assert(chunk << step_at == one, "a step has its bits");
    static_assert(((one - 1) | E_EXTENDS | F_EXTENDS) == 0xff, "nothing of a score is left in a direction");
    static const unsigned lanes = 0xffffffffu;

    const SwatBlocked &q;
    const swat_task task;
    int *profile; /* the scores of the strip's rows in shared memory, [row of the lane][letter][lane] */
    int strip;
    SwatRow row[lane_rows];
    /* addresses in `profile` of the scores against the letters that the lane needs in the chunk's steps */
    const int *score_at[chunk + lane_rows - 1];
    /* `column_out` is the column, counted from 0, at which the strip's last row begins the chunk, and `out`
     * is its place in the border that the strip publishes. In lanes other than the last, and if no strip
     * waits for the border, `column_out` is far before the first column. */
    int column_out;
    packed_word_pair *out;

    /* cost_of_opening() returns the number that is added to a cost when a gap opens. The sum has the tag
     * `tag` if the cost had the tag SOURCE, in which all bits are ones. cost_of_extending() returns the
     * number that is added for each further letter of the gap; it changes no tag. */
    static int cost_of_opening(int open) { return open * one + tag - SOURCE; }
    static int cost_of_extending(int extend) { return extend * one; }
    __device__ int nothing() const { return SOURCE + q.open; } /* returns -H' of H = 0 */
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
                p[letter * 32] = (int)FROM_DIAGONAL - nothing() - of_row[letter] * one;
            p[NO_LETTER * 32] = infinity;
        }
    }

    /* Reads once the published words for `column` of the row above the strip; they may not be published
     * yet. */
    __device__ packed_word_pair border_above(int column) const
    {
        if (strip == 0 || lane() >= chunk || column > task.columns)
            return {packed((unsigned)nothing(), q.epoch), packed((unsigned)infinity, q.epoch)};
        return packed_word_load(task.borders + (size_t)(strip - 1) * (size_t)task.columns + (column - 1));
    }
    /* Waits until all lanes have the words that they need from the row above the strip. The whole warp votes,
     * because a lane that left the loop alone would not converge with the others again. */
    __device__ void await_border(int column, packed_word_pair *pair) const
    {
        while (__any_sync(lanes,
                          !packed_word_is(pair->first, q.epoch) || !packed_word_is(pair->second, q.epoch)))
            *pair = border_above(column);
    }

    __device__ void begin_border()
    {
        out = task.borders + ((ptrdiff_t)strip * task.columns - (rows - 1));
        column_out = lane() == 31 && (strip + 1) * rows < task.rows ? -(rows - 1) : INT_MIN / 2;
    }
    __device__ void publish(int u) const
    {
        const SwatRow &last = row[lane_rows - 1];
        packed_word_publish(out + u, {packed((unsigned)last.h, q.epoch), packed((unsigned)last.f, q.epoch)});
    }

    /* Loads the letters that the lane's first row needs in the chunk of steps from `step` on. */
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
            score_at[lane_rows - 1 + u] = profile + letter[u] * 32 + lane();
    }

    /* Fills the next cell of a row, in step u of the chunk, from its west neighbour's state in `at` and from
     * -H' and -F of its north neighbour. */
    __device__ SwatCell fill_cell(SwatRow *at, int north_h, int north_f, int score, int u)
    {
        int e = __viaddmin_s32(at->e, q.extend, at->h), f = __viaddmin_s32(north_f, q.extend, north_h);
        int gap = __viaddmin_s32(f, (int)FROM_F - tag, e), h = __viaddmin_s32(at->diagonal, score, gap);
        h = h < 0 ? h : FROM_NOTHING;
        SwatCell cell = {h, e - at->h, f - north_h};
        at->h = (h | SOURCE) + q.open;
        at->e = e;
        at->f = f;
        at->diagonal = north_h;
        at->least = u ? __viaddmin_s32(at->h, u << step_at, at->least) : at->h;
        return cell;
    }

    /* Keeps the row's best cell of the chunk of steps from `from` on, if it is better than the best cell of
     * earlier chunks. */
    static __device__ void keep_best(SwatRow *at, int open, int from)
    {
        int score = -((at->least - open) >> one_at);
        if (score > at->best) {
            at->best = score;
            at->best_step = from + (at->least >> step_at & (chunk - 1));
        }
    }

    /* Returns a number with the bits `bits` of a, and with the other bits of b. */
    static __device__ unsigned choose(unsigned bits, unsigned a, unsigned b) { return ((a ^ b) & bits) ^ b; }

    /* Returns the directions of two cells, side by side in the lower 16 bits. */
    __device__ unsigned directions_of(const SwatCell &first, const SwatCell &second) const
    {
        unsigned longer = choose(q.e_bit, (unsigned)first.e_extends, (unsigned)first.f_extends),
                 longer_2 = choose(q.e_bit, (unsigned)second.e_extends, (unsigned)second.f_extends);
        return choose(q.extends_bits, __byte_perm(longer, longer_2, 0x0073),
                      __byte_perm((unsigned)first.h, (unsigned)second.h, 0x0040));
    }

    /* Loads the scores that the lane's rows need in step u of the chunk. */
    __device__ void load_scores(int u, int *score) const
    {
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            score[r] = score_at[lane_rows - 1 + u - r][r * letters * 32];
    }

    typedef unsigned short row_directions; /* the directions of a lane's rows in one step */
    static_assert(lane_rows == 2, "two cells' directions are stored at a time");

    /* Does the steps of a chunk. At step k row i of the strip, counted from 0, is at column k - i + 1. Before
     * the first column the stored direction is 0, like the memory there. CHECKED says that rows or columns
     * may be beyond the last. */
    template <bool CHECKED>
    __device__ void steps(int from, packed_word_pair *above, row_directions *to)
    {
        size_t pitch = direction_pitch((size_t)task.rows) / lane_rows;
        int above_h = (int)packed_word_value(above->first), above_f = (int)packed_word_value(above->second);
        /* these loads, for the next chunk, are in flight during this chunk's steps */
        *above = border_above(from + chunk + lane() + 1);
        to += (size_t)from * pitch;
        int score[lane_rows], next_score[lane_rows];
        load_scores(0, next_score);
        UNROLL(chunk)
        for (int u = 0; u < chunk; u++, to += pitch) {
            UNROLL(lane_rows)
            for (int r = 0; r < lane_rows; r++)
                score[r] = next_score[r];
            /* the next step's scores are loaded before this step's stores, which may go to the same addresses
             * as far as the compiler knows */
            if (u + 1 < chunk)
                load_scores(u + 1, next_score);

            int column = from + u - lane() * lane_rows + 1;
            int h = __shfl_up_sync(lanes, row[lane_rows - 1].h, 1),
                f = __shfl_up_sync(lanes, row[lane_rows - 1].f, 1);
            int first_h = __shfl_sync(lanes, above_h, u), first_f = __shfl_sync(lanes, above_f, u);
            SwatCell cell[lane_rows];
            unsigned inside = 0;
            UNROLL(lane_rows)
            for (int r = lane_rows - 1; r >= 0; r--) {
                int north_h = r ? row[r - 1].h : lane() ? h : first_h;
                int north_f = r ? row[r - 1].f : lane() ? f : first_f;
                cell[r] = fill_cell(&row[r], north_h, north_f, score[r], u);
                if (!CHECKED || (column - r <= task.columns && first_row() + r <= task.rows))
                    inside |= 0xffu << 8 * r;
            }
            if (!CHECKED || inside)
                *to = (row_directions)(directions_of(cell[0], cell[1]) & inside);
            if (column_out + u >= 0 && (!CHECKED || column_out + u < task.columns))
                publish(u);
        }
        column_out += chunk;
        out += chunk;
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            keep_best(&row[r], q.open, from);
    }

    __device__ void fill()
    {
        unsigned char letter[chunk];
        row_directions *to = (row_directions *)(task.directions + direction_place((size_t)(strip * rows) + 1,
                                                                                  1, (size_t)task.rows)) +
                             lane();
        make_profile();
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            row[r] = {nothing(), infinity, infinity, nothing(), 0, 0, lane() * lane_rows + r};
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows - 1; r++)
            score_at[chunk + r] = profile + NO_LETTER * 32 + lane();
        begin_border();
        load_letters(0, letter);
        packed_word_pair above = border_above(lane() + 1);
        bool whole = (strip + 1) * rows <= task.rows;
        for (int from = 0; from < task.columns + rows - 1; from += chunk) {
            use_letters(letter);
            load_letters(from + chunk, letter);
            await_border(from + lane() + 1, &above);
            if (whole && from + chunk <= task.columns)
                steps<false>(from, &above, to);
            else
                steps<true>(from, &above, to);
        }
        UNROLL(lane_rows)
        for (int r = 0; r < lane_rows; r++)
            if (first_row() + r <= task.rows)
                task.best[first_row() + r - 1] = {row[r].best,
                                                  row[r].best_step - (lane() * lane_rows + r) + 1};
    }
};

/* Draws the next strip from the list, for the whole warp. Returns the strip's index in the list, or an index
 * beyond its end if no strip is left. */
static __device__ int draw_strip(const SwatBlocked &q)
{
    unsigned drawn = 0;
    if (SwatBlockedStrip::lane() == 0)
        drawn = atomicAdd(q.ticket, 1u) - q.drawn;
    return (int)__shfl_sync(SwatBlockedStrip::lanes, drawn, 0);
}

/* Fills the strips of all pairs of sequences. Blocks are whole warps. If the launch has more warps than there
 * are strips, only as many draw as there are strips, spread over the blocks. */
static __global__ void swat_blocked(SwatBlocked q)
{
    int warp = (int)threadIdx.x / 32;
    int *profile = (int *)(dynamic_shared<char>() + warp * SwatBlockedStrip::profile_bytes);
    if (warp * (int)gridDim.x + (int)blockIdx.x >= q.strip_count)
        return;
    for (int drawn = draw_strip(q); drawn < q.strip_count; drawn = draw_strip(q)) {
        swat_strip next = q.strips[drawn];
        SwatBlockedStrip strip = {q, q.tasks[next.task], profile, next.strip, {}, {}, 0, NULL};
        strip.fill();
    }
}

#endif
