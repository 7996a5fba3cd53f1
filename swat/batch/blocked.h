/* Decides which tasks the blocked kernel (swat/batch/blocked_kernel.cuh) takes, and computes how much memory
 * it needs. */
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
    BLOCKED_MOST_TASKS = 2, /* largest number of tasks of a warp: one for each half of it */
    /* largest number of rows for each lane for which the kernel is compiled, if half a warp has a task */
    BLOCKED_MOST_ROWS_A_LANE = 32,
    /* largest number of rows for each lane for which the kernel is compiled, if a whole warp has a task */
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
    /* number of a lane's consecutive rows whose tags share a word, with the tag of the gap that leaves the
     * last of them */
    BLOCKED_TAG_ROWS = BLOCKED_WORD_TAGS - 1,
    /* number of steps of a segment; if a gap began in the current segment, its tag tells in which step
     * (swat/batch/blocked_tags.cuh) */
    BLOCKED_SEGMENT = 6,

    BLOCKED_LETTERS = 5,      /* number of letters: A, C, T, G and N; few tasks have N */
    BLOCKED_GROUP_ROWS = 8,   /* number of a lane's rows whose scores with a letter are loaded by one load */
    BLOCKED_ENTRY_BYTES = 16, /* number of bytes of a letter's scores with BLOCKED_GROUP_ROWS rows */
    BLOCKED_TABLE_SCORE_BITS = 16 - TAG_BITS
};

/* The shape of the tasks of a warp: number of lanes for each task, of rows for each lane and of columns. The
 * largest of the tasks decides. */
struct blocked_shape {
    int lanes, rows_a_lane, columns;
};

#ifdef __CUDACC__
#define BLOCKED_EVERYWHERE __host__ __device__
#else
#define BLOCKED_EVERYWHERE
#endif

/* The number of rows for each lane is a multiple of this number, because the code for twice as many numbers
 * of rows would not fit into the instruction cache of a multiprocessor. */
#define BLOCKED_ROWS_STEP(lanes) ((lanes) == WARP_LANES ? 1 : 2)

static inline BLOCKED_EVERYWHERE int blocked_rows_a_lane(int rows, int lanes)
{
    int together = lanes * BLOCKED_ROWS_STEP(lanes);
    return (rows + together - 1) / together * BLOCKED_ROWS_STEP(lanes);
}

/* The number of words that a lane stores for the back-trace of one column of its `rows` rows. */
#define BLOCKED_WORDS(rows) (((rows) + BLOCKED_TAG_ROWS - 1) / BLOCKED_TAG_ROWS)

/* Returns the number of steps in which a task's matrix is filled. Each lane is one column later than the lane
 * above it. */
static inline BLOCKED_EVERYWHERE int blocked_steps(struct blocked_shape shape)
{
    return shape.columns + shape.lanes - 1;
}

/* The back-trace is stored by columns: for each segment of BLOCKED_SEGMENT steps it has first a column of
 * notes, which say where the gaps began that come from before the segment, and then a column of tags for each
 * step. blocked_notes() returns the number of a segment's column of notes, blocked_column() the number of a
 * step's column of tags, and blocked_back_words() the number of words of all columns. */
static inline BLOCKED_EVERYWHERE size_t blocked_notes(int segment)
{
    return (size_t)segment * (BLOCKED_SEGMENT + 1);
}
static inline BLOCKED_EVERYWHERE size_t blocked_column(int step)
{
    return (size_t)(step + step / BLOCKED_SEGMENT + 1);
}
static inline BLOCKED_EVERYWHERE size_t blocked_back_words(struct blocked_shape shape)
{
    return blocked_column(blocked_steps(shape)) * BLOCKED_WORDS((size_t)shape.rows_a_lane) *
           (size_t)shape.lanes;
}

/* The score table of a task has the scores of its rows with every letter. blocked_groups() returns the number
 * of groups of BLOCKED_GROUP_ROWS rows into which the table divides a lane's rows, blocked_letter_bytes() the
 * number of bytes for each letter. */
static inline BLOCKED_EVERYWHERE int blocked_groups(int rows_a_lane)
{
    return (rows_a_lane + BLOCKED_GROUP_ROWS - 1) / BLOCKED_GROUP_ROWS;
}
static inline BLOCKED_EVERYWHERE int blocked_letter_bytes(struct blocked_shape shape)
{
    return blocked_groups(shape.rows_a_lane) * shape.lanes * BLOCKED_ENTRY_BYTES;
}

/* Returns the number of bytes of the letter codes that a task has in shared memory: one for each column, and
 * more before and after these. */
static inline BLOCKED_EVERYWHERE int blocked_code_bytes(struct blocked_shape shape)
{
    return (shape.lanes + blocked_steps(shape) + 2 + 15) / 16 * 16;
}

/* Returns the number of bytes of shared memory of a task: for its letter codes, and for its rows' scores with
 * `letters` letters. */
static inline BLOCKED_EVERYWHERE size_t blocked_shared_bytes(struct blocked_shape shape, int letters)
{
    return (size_t)(blocked_code_bytes(shape) + letters * blocked_letter_bytes(shape));
}

/*
 * Returns whether the blocked kernel can do this task. It cannot in three cases: there are more rows, columns
 * or kinds of letters than it can handle; the score of two letters or of a gap's beginning, less the
 * extensions, needs more than BLOCKED_TABLE_SCORE_BITS; or a gap's first letter costs less than its further
 * letters.
 */
bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task);

/* Returns for how many kinds of letters the task needs scores: 4 (A, C, T and G), or 5 if one of its letters
 * is N. */
int blocked_letters(const struct sw_tasks *tasks, const struct sw_task *task);

#ifdef __cplusplus
}
#endif

#endif
