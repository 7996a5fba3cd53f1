/* Which tasks the blocked kernel (swat/batch/blocked_kernel.cuh) takes, and how much memory it needs. */
#ifndef SWAT_BLOCKED_H
#define SWAT_BLOCKED_H

#include "swat/batch/gatk.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WARP_LANES = 32,
    BLOCKED_MOST_TASKS = 2, /* largest number of tasks of a warp: two, if each half has one */
    /* largest compiled number of rows for each lane if half a warp has a task */
    BLOCKED_MOST_ROWS_A_LANE = 32,
    /* largest compiled number of rows for each lane if a whole warp has a task */
    BLOCKED_MOST_ROWS_OF_WARP = 20,
    BLOCKED_MOST_ROWS = WARP_LANES * BLOCKED_MOST_ROWS_OF_WARP,
    BLOCKED_MOST_COLUMNS = 1024,
    BLOCKED_WARPS = 4, /* number of warps of a block */
    BLOCKED_THREADS = BLOCKED_WARPS * WARP_LANES,
    BLOCKED_BLOCKS_PER_SM = 4,

    /* The lowest bits of a score are a tag that says where the score came from
     * (swat/batch/blocked_tags.cuh). */
    TAG_BITS = 4,
    SCORE_BITS = 32 - TAG_BITS,
    BLOCKED_WORD_TAGS = 32 / TAG_BITS,
    /* number of rows of a group, whose tags share a word with the tag of the gap that leaves the group */
    BLOCKED_TAG_ROWS = BLOCKED_WORD_TAGS - 1,
    BLOCKED_STRETCH = 6, /* number of steps of a stretch (swat/batch/blocked_tags.cuh) */

    BLOCKED_LETTERS = 5,      /* number of letters: A, C, T, G and N; few tasks have N */
    BLOCKED_GROUP_ROWS = 8,   /* number of rows whose scores with a letter are loaded at once */
    BLOCKED_ENTRY_BYTES = 16, /* number of bytes of a letter's scores with BLOCKED_GROUP_ROWS rows */
    BLOCKED_TABLE_SCORE_BITS = 16 - TAG_BITS
};

/* The shape of the tasks of a warp: lanes for each task, rows for each lane and columns, as the largest task
 * needs them. */
struct blocked_shape {
    int lanes, rows_a_lane, columns;
};

#ifdef __CUDACC__
#define BLOCKED_EVERYWHERE __host__ __device__
#else
#define BLOCKED_EVERYWHERE
#endif

/* The number of rows for each lane is a multiple of this, because the code of more kinds of warps at a time
 * would not fit into the instruction cache of a multiprocessor. */
#define BLOCKED_ROWS_STEP(lanes) ((lanes) == WARP_LANES ? 1 : 2)

static inline BLOCKED_EVERYWHERE int blocked_rows_a_lane(int rows, int lanes)
{
    int together = lanes * BLOCKED_ROWS_STEP(lanes);
    return (rows + together - 1) / together * BLOCKED_ROWS_STEP(lanes);
}

/* The number of words that a lane stores for the back-trace of its `rows` rows of a column. */
#define BLOCKED_WORDS(rows) (((rows) + BLOCKED_TAG_ROWS - 1) / BLOCKED_TAG_ROWS)

/* Returns the number of steps in which the matrix is filled. Each lane is one column later than the lane
 * above it. */
static inline BLOCKED_EVERYWHERE int blocked_steps(struct blocked_shape shape)
{
    return shape.columns + shape.lanes - 1;
}

/* The back-trace is stored by columns: for each stretch a column of notes, then a column of tags for each
 * step. blocked_notes() returns the number of the column of notes of a stretch, blocked_column() the number
 * of the column of tags of a step, and blocked_back_words() the number of words of all columns. */
static inline BLOCKED_EVERYWHERE size_t blocked_notes(int stretch)
{
    return (size_t)stretch * (BLOCKED_STRETCH + 1);
}
static inline BLOCKED_EVERYWHERE size_t blocked_column(int step)
{
    return (size_t)(step + step / BLOCKED_STRETCH + 1);
}
static inline BLOCKED_EVERYWHERE size_t blocked_back_words(struct blocked_shape shape)
{
    return blocked_column(blocked_steps(shape)) * BLOCKED_WORDS((size_t)shape.rows_a_lane) *
           (size_t)shape.lanes;
}

/* The table has the scores of a task's rows with every letter. blocked_groups() returns the number of groups
 * of a lane's rows in the table, blocked_letter_bytes() the number of bytes for each letter. */
static inline BLOCKED_EVERYWHERE int blocked_groups(int rows_a_lane)
{
    return (rows_a_lane + BLOCKED_GROUP_ROWS - 1) / BLOCKED_GROUP_ROWS;
}
static inline BLOCKED_EVERYWHERE int blocked_letter_bytes(struct blocked_shape shape)
{
    return blocked_groups(shape.rows_a_lane) * shape.lanes * BLOCKED_ENTRY_BYTES;
}

/* Returns the number of bytes of a task's letter codes: one for each column, and more before and after. */
static inline BLOCKED_EVERYWHERE int blocked_code_bytes(struct blocked_shape shape)
{
    return (shape.lanes + blocked_steps(shape) + 2 + 15) / 16 * 16;
}

/* Returns the number of bytes of shared memory of a task: its codes, and the scores of the first `letters`
 * letters. */
static inline BLOCKED_EVERYWHERE size_t blocked_shared_bytes(struct blocked_shape shape, int letters)
{
    return (size_t)(blocked_code_bytes(shape) + letters * blocked_letter_bytes(shape));
}

/*
 * Returns whether the kernel can do this task. It cannot if there are more rows, columns or kinds of letters
 * than it can handle, if scores without extensions, of two letters or of a gap, need more than
 * BLOCKED_TABLE_SCORE_BITS, or if a gap's first letter costs less than its other letters.
 */
bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task);

/* Returns how many kinds of letters the kernel must know for the task: the first 4, or all 5 if it has an
 * N. */
int blocked_letters(const struct sw_tasks *tasks, const struct sw_task *task);

#ifdef __cplusplus
}
#endif

#endif
