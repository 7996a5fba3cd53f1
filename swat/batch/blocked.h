/* Which tasks the blocked kernel (swat/batch/batch_blocked.cuh) takes, and how much memory it needs. */
#ifndef SWAT_BLOCKED_H
#define SWAT_BLOCKED_H

#include "swat/batch/gatk.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BLOCKED_LANES = 32,            /* of a warp, which has a task */
    BLOCKED_MOST_ROWS_A_LANE = 20, /* that are compiled */
    BLOCKED_MOST_ROWS = BLOCKED_LANES * BLOCKED_MOST_ROWS_A_LANE,
    BLOCKED_MOST_COLUMNS = 1024,
    BLOCKED_WARPS = 4, /* of a block */
    BLOCKED_THREADS = BLOCKED_WARPS * BLOCKED_LANES,

    /* Below a score is a byte that says where the score came from: one of three directions, and a place. */
    PLACE_BITS = 6,
    TAG_BITS = PLACE_BITS + 2,
    SCORE_BITS = 32 - TAG_BITS,
    BLOCKED_STRETCH = 32, /* steps, that have places */

    BLOCKED_LETTERS = 5,                                       /* A, C, T, G, N */
    BLOCKED_GROUP_BYTES = BLOCKED_LETTERS * BLOCKED_LANES * 16 /* the scores of four rows with each */
};

static inline int blocked_rows_a_lane(int rows)
{
    return (rows + BLOCKED_LANES - 1) / BLOCKED_LANES;
}

/* Words of a lane for the back-trace of a column of `rows` rows: a byte for each row, and one for the gap
 * that leaves the lane. */
#define BLOCKED_WORDS(rows) (((rows) + 1 + 3) / 4)

#ifdef __CUDACC__
#define BLOCKED_EVERYWHERE __host__ __device__
#else
#define BLOCKED_EVERYWHERE
#endif

/* A lane is a column behind the one above it. */
static inline BLOCKED_EVERYWHERE int blocked_steps(int columns)
{
    return columns + BLOCKED_LANES - 1;
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

/* The largest amounts that a warp needs for any of several tasks. */
struct blocked_room {
    int groups;        /* of four rows */
    int columns;       /* whose letters are in shared memory */
    size_t back_words; /* of the back-trace */
};
struct blocked_room blocked_room_of(const struct sw_task *task);
struct blocked_room blocked_larger_room(struct blocked_room a, struct blocked_room b);

/* Bytes of shared memory of a warp: the scores of its rows with every letter, and the letters. */
static inline size_t blocked_shared_bytes(struct blocked_room room)
{
    return (size_t)room.groups * BLOCKED_GROUP_BYTES +
           (size_t)(room.columns + 2 * BLOCKED_LANES + 15) / 16 * 16;
}

/*
 * Can the kernel do this task? It cannot if there are more rows, columns or kinds of letters than it can
 * handle, if scores may need more than SCORE_BITS, or if a gap's first letter costs less than its
 * other letters.
 */
bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task);

#ifdef __cplusplus
}
#endif

#endif
