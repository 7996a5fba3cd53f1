/* A task of the blocked kernel: its scores less the gap extensions (blocked_kernel.cuh), and, in shared
 * memory, its table of scores and its letter codes. */
#ifndef SWAT_BATCH_BLOCKED_TASK_CUH
#define SWAT_BATCH_BLOCKED_TASK_CUH

#include "swat/batch/blocked_tags.cuh"

/* A factor of the instruction dp2a: its bytes 2 and 3 pick the first score of a pair, its bytes 0 and 1 the
 * second. */
#define TABLE_PICK (1 << 8 | 1 << 16)

static __device__ __forceinline__ unsigned letter_code(unsigned letter)
{
    unsigned code = letter >> 1 & 7; /* in bits 1 to 3, A, C, T, G and N have 0, 1, 2, 3 and 7 */
    return code - (code >> 2) * 3;
}

/* Returns `at` if this is an index of `count` letters, else the nearest index. So a load needs no condition,
 * and loads do not wait for each other. */
static __device__ __forceinline__ int within(int at, int count)
{
    at = at < count ? at : count - 1;
    return at < 0 ? 0 : at;
}

/* The scores of a task as H' needs them: less the extension of each letter
 * (swat/batch/blocked_kernel.cuh). */
struct BlockedScores {
    int match, mismatch, opening, extend;
    int edge_first, edge_each; /* H' of cell k > 0 of row 0 or of column 0 is edge_first + k * edge_each */

    __device__ explicit BlockedScores(const sw_task &task)
        : match(task.scores.match - 2 * task.scores.extend),
          mismatch(task.scores.mismatch - 2 * task.scores.extend),
          opening(task.scores.open - task.scores.extend), extend(task.scores.extend)
    {
        bool free = task.strategy == OVERHANG_SOFTCLIP || task.strategy == OVERHANG_IGNORE;
        edge_first = free ? 0 : opening;
        edge_each = free ? -extend : 0;
    }
    /* Returns H' of cell k of an edge (row 0 or column 0), or 0 if k is less than 1. It has no branch,
     * because it is called for each row of each lane. */
    __device__ int edge(int k) const
    {
        int letters = k > 0 ? k : 0;
        return letters * edge_each + (k > 0 ? edge_first : 0);
    }

    /* Returns the number that is added to H' of the north-west cell. It is the score of a pair of letters:
     * the letter of row i has the code `row_code`, the letter of the column has the code `code`. In row 0 and
     * in the padding rows above it (i < 0), the number is edge(1). */
    __device__ int get(int i, unsigned row_code, unsigned code) const
    {
        if (i <= 0)
            return edge_first + edge_each;
        return code == row_code ? match : mismatch;
    }
};

/* Returns the key of a cell where the trace-back may start: the larger key is the better one. */
static __device__ __forceinline__ unsigned long long key_of(int score, unsigned rank)
{
    return (unsigned long long)((unsigned)score ^ 0x80000000u) << 32 | rank;
}

/* A task that LANES lanes of a warp align. */
template <int LANES>
struct BlockedTask {
    const sw_task &task;
    BlockedScores scores;
    blocked_shape shape; /* a shape in which each of the warp's tasks fits */
    const unsigned char *reference, *alternate;
    /* the score table and the letter codes in shared memory; the codes of the columns have more codes before
     * and after them */
    unsigned char *table, *codes;
    uint32_t *back;
    blocked_ends *ends;
    int lane, padding; /* `padding` is the number of padding rows above the matrix */

    __device__ int columns() const { return task.alternate_length; }

    /* Returns the address of the scores of the lane's rows with a letter. For each letter the table has the
     * scores of the first eight rows of each lane, then of the next eight rows of each lane, and so on. */
    __device__ const unsigned char *scores_of(unsigned letter) const
    {
        return table + BLOCKED_ENTRY_BYTES * lane + letter * (unsigned)blocked_letter_bytes(shape);
    }

    /* Returns H of cell (i, j), whose H' with its tag is `stored`. */
    __device__ int plain_score(int stored, int i, int j) const
    {
        return (stored >> TAG_BITS) + (i + j) * scores.extend;
    }

    /* Returns the number of the matrix's row that the lane has as its row r. */
    __device__ int row(int r) const { return lane * shape.rows_a_lane + r - padding + 1; }

    /* Returns the scores of rows i and i + 1 with a letter, as two 16-bit numbers in a word. */
    __device__ int table_pair(int i, unsigned code, unsigned next_code, unsigned letter) const
    {
        int first = tagged(scores.get(i, code, letter), NORTH_WEST),
            second = tagged(scores.get(i + 1, next_code, letter), NORTH_WEST);
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

    /* Writes the letter codes of the columns to shared memory. Each lane makes adjacent codes, so that all
     * cache lines are loaded at once. */
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

#endif
