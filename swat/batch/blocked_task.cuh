/* A task of the blocked kernel: its scores without extensions, and its tables in shared memory. */
#ifndef SWAT_BATCH_BLOCKED_TASK_CUH
#define SWAT_BATCH_BLOCKED_TASK_CUH

#include "swat/batch/blocked_tags.cuh"

/* A factor of dp2a: its bytes 2 and 3 pick the first of two scores, its bytes 0 and 1 the second. */
#define TABLE_PICK (1 << 8 | 1 << 16)

static __device__ __forceinline__ unsigned letter_code(unsigned letter)
{
    unsigned code = letter >> 1 & 7; /* bits 1 to 3 of the letter are 0, 1, 2, 3 and 7 for A, C, T, G and N */
    return code - (code >> 2) * 3;
}

/* Returns `at`, or the nearest index of `count` letters if it is none. So a load needs no condition, and
 * loads do not wait for each other. */
static __device__ __forceinline__ int within(int at, int count)
{
    at = at < count ? at : count - 1;
    return at < 0 ? 0 : at;
}

/* The scores of a task without extensions, as blocked_kernel.cuh defines them. */
struct BlockedScores {
    int match, mismatch, opening, extend;
    int edge_first, edge_each; /* H' of cell k > 0 of an edge is edge_first + k * edge_each */

    __device__ explicit BlockedScores(const sw_task &task)
        : match(task.scores.match - 2 * task.scores.extend),
          mismatch(task.scores.mismatch - 2 * task.scores.extend),
          opening(task.scores.open - task.scores.extend), extend(task.scores.extend)
    {
        bool free = task.strategy == OVERHANG_SOFTCLIP || task.strategy == OVERHANG_IGNORE;
        edge_first = free ? 0 : opening;
        edge_each = free ? -extend : 0;
    }
    /* Returns H' of cell k of an edge (row 0 or column 0), and 0 if k is less than 1. There is no branch,
     * because it is computed for each row of each lane. */
    __device__ int edge(int k) const
    {
        int letters = k > 0 ? k : 0;
        return letters * edge_each + (k > 0 ? edge_first : 0);
    }

    /* Returns the score of row i, whose letter has row_code, with a letter that has `code`: what is added to
     * the north-west H'. */
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

/* The task that LANES lanes of a warp align. */
template <int LANES>
struct BlockedTask {
    const sw_task &task;
    BlockedScores scores;
    blocked_shape shape; /* a shape that is large enough for all tasks of the warp */
    const unsigned char *reference, *alternate;
    /* in shared memory; `codes` has the columns' letter codes, and more before and after */
    unsigned char *table, *codes;
    uint32_t *back;
    blocked_ends *ends;
    int lane, padding; /* `padding` is the number of padding rows above the matrix */

    __device__ int columns() const { return task.alternate_length; }

    /* Returns the address of the lane's scores with a letter. The table has the scores of eight rows of each
     * lane, then of the next eight rows of each lane, and so on. */
    __device__ const unsigned char *scores_of(unsigned letter) const
    {
        return table + BLOCKED_ENTRY_BYTES * lane + letter * (unsigned)blocked_letter_bytes(shape);
    }

    /* Returns H of cell (i, j), whose H' with its tag is `stored`. */
    __device__ int plain_score(int stored, int i, int j) const
    {
        return (stored >> TAG_BITS) + (i + j) * scores.extend;
    }

    /* Returns the number of the matrix's row that is the lane's row r. */
    __device__ int row(int r) const { return lane * shape.rows_a_lane + r - padding + 1; }

    /* Returns the scores of rows i and i + 1 with a letter, as a pair. */
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

    /* Makes the letter codes of the columns. A lane makes adjacent codes, so that all cache lines are loaded
     * at once. */
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
