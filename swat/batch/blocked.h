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
    BLOCKED_MOST_TASKS = 2,        /* of a warp: one that all lanes have, or one for each half */
    BLOCKED_MOST_ROWS_A_LANE = 32, /* that are compiled for half a warp, and for a whole one: */
    BLOCKED_MOST_ROWS_OF_WARP = 20,
    BLOCKED_MOST_ROWS = WARP_LANES * BLOCKED_MOST_ROWS_OF_WARP,
    BLOCKED_MOST_COLUMNS = 1024,
    BLOCKED_WARPS = 4, /* of a block */
    BLOCKED_THREADS = BLOCKED_WARPS * WARP_LANES,
    BLOCKED_BLOCKS_PER_SM = 4,

    /* Below a score is a tag that says where the score came from (swat/batch/blocked_tags.cuh). */
    TAG_BITS = 4,
    SCORE_BITS = 32 - TAG_BITS,
    BLOCKED_WORD_TAGS = 32 / TAG_BITS,
    BLOCKED_TAG_ROWS = BLOCKED_WORD_TAGS - 1, /* a group, beside the gap that leaves it */
    BLOCKED_STRETCH = 6,                      /* steps */

    BLOCKED_LETTERS = 5,      /* A, C, T, G, N; few tasks have the last */
    BLOCKED_GROUP_ROWS = 8,   /* whose scores with a letter are loaded at once, */
    BLOCKED_ENTRY_BYTES = 16, /* two bytes each */
    BLOCKED_TABLE_SCORE_BITS = 16 - TAG_BITS
};

/* What the tasks of a warp need: lanes a task, rows a lane and columns of the largest. */
struct blocked_shape {
    int lanes, rows_a_lane, columns;
};

#ifdef __CUDACC__
#define BLOCKED_EVERYWHERE __host__ __device__
#else
#define BLOCKED_EVERYWHERE
#endif

/* Numbers of rows a lane are multiples of this: warps of more kinds at a time would not find their code in a
 * multiprocessor's instruction cache. */
#define BLOCKED_ROWS_STEP(lanes) ((lanes) == WARP_LANES ? 1 : 2)

static inline BLOCKED_EVERYWHERE int blocked_rows_a_lane(int rows, int lanes)
{
    int together = lanes * BLOCKED_ROWS_STEP(lanes);
    return (rows + together - 1) / together * BLOCKED_ROWS_STEP(lanes);
}

/* Words of a lane for the back-trace of a column of `rows` rows. */
#define BLOCKED_WORDS(rows) (((rows) + BLOCKED_TAG_ROWS - 1) / BLOCKED_TAG_ROWS)

/* A lane is a column behind the one above it. */
static inline BLOCKED_EVERYWHERE int blocked_steps(struct blocked_shape shape)
{
    return shape.columns + shape.lanes - 1;
}

/* Columns of the back-trace: the notes of a stretch, then the stretch's steps. */
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

/* The scores of a task's rows with every letter, by groups of rows. */
static inline BLOCKED_EVERYWHERE int blocked_groups(int rows_a_lane)
{
    return (rows_a_lane + BLOCKED_GROUP_ROWS - 1) / BLOCKED_GROUP_ROWS;
}
static inline BLOCKED_EVERYWHERE int blocked_letter_bytes(struct blocked_shape shape)
{
    return blocked_groups(shape.rows_a_lane) * shape.lanes * BLOCKED_ENTRY_BYTES;
}

/* The letters' codes, of all columns, and more before and behind. */
static inline BLOCKED_EVERYWHERE int blocked_code_bytes(struct blocked_shape shape)
{
    return (shape.lanes + blocked_steps(shape) + 2 + 15) / 16 * 16;
}

/* A task's shared memory: its codes, and the scores of so many letters, the first ones. */
static inline BLOCKED_EVERYWHERE size_t blocked_shared_bytes(struct blocked_shape shape, int letters)
{
    return (size_t)(blocked_code_bytes(shape) + letters * blocked_letter_bytes(shape));
}

/*
 * Can the kernel do this task? It cannot if there are more rows, columns or kinds of letters than it can
 * handle, if scores without extensions, those of two letters or of a gap's, need more than
 * BLOCKED_TABLE_SCORE_BITS, or if a gap's first letter costs less than its other letters.
 */
bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task);

/* How many kinds of letters, the first ones, the kernel must know for such a task. */
int blocked_letters(const struct sw_tasks *tasks, const struct sw_task *task);

#ifdef __cplusplus
}
#endif

#endif
