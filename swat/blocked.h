/* What the blocked kernel (swat/batch_blocked.cuh) takes, and how much room it needs. */
#ifndef SWAT_BLOCKED_H
#define SWAT_BLOCKED_H

#include "swat/gatk.h"

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

    /* A score stands above the bits that say where it came from: one of three directions, and a
     * place. */
    PLACE_BITS = 11,
    TAG_BITS = PLACE_BITS + 2,
    SCORE_BITS = 32 - TAG_BITS,

    /* A, C, T, G, N; and what stands before the first column. */
    BLOCKED_LETTERS = 5,
    BEFORE_FIRST = BLOCKED_LETTERS,
    BLOCKED_CODES,
    BLOCKED_GROUP_BYTES = BLOCKED_CODES * BLOCKED_LANES * 16 /* the scores of four rows with each */
};

static inline int blocked_rows_a_lane(int rows)
{
    return (rows + BLOCKED_LANES - 1) / BLOCKED_LANES;
}

/* Words for the back-trace of a column of `rows` rows, two a word: in fours, and in what is left, one
 * or two, for three are stored as four. */
#define BLOCKED_QUADS(rows) ((((rows) + 1) / 2 + 1) / 4)
#define BLOCKED_REST(rows)                                                                                   \
    (((rows) + 1) / 2 > 4 * BLOCKED_QUADS(rows) ? ((rows) + 1) / 2 - 4 * BLOCKED_QUADS(rows) : 0)
#define BLOCKED_WORDS(rows) (4 * BLOCKED_QUADS(rows) + BLOCKED_REST(rows))

/* A lane is a column behind the one above it. */
static inline int blocked_steps(int columns)
{
    return columns + BLOCKED_LANES - 1;
}

/* What a warp needs for any of some tasks. */
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
 * Can the kernel do this task? Not where there are more rows, columns or kinds of letters than it
 * knows, where scores may need more than SCORE_BITS, or where a gap's first letter does not cost as
 * much as its others at least.
 */
bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task);

#ifdef __cplusplus
}
#endif

#endif
