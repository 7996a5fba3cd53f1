/* The plan of a run: which kernel takes which task, and in which order. Batches are cut into parts, and the
 * tasks of a part are ordered by size. */
#ifndef SWAT_PLAN_H
#define SWAT_PLAN_H

#include "swat/batch/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MOST_OF_PART is the largest number of tasks of a part with tasks for the blocked kernel; it limits the
 * memory for alignment elements. MOST_CELLS_OF_PART is the largest number of cells of a part for SW1 and SW2,
 * whose back-trace then takes a gigabyte. */
#define MOST_OF_PART 32768
#define MOST_CELLS_OF_PART (1ull << 31)

/* A part of the plan, whose tasks are launched together: a batch or a piece of one. */
struct sw_part {
    struct sw_batch range;
    /* The blocked kernel does the first `blocked` tasks of the part. The first `wide` of these have a warp
     * each, because they are too long for half a warp. The next `narrow` ones have half a warp each. The
     * others have a warp each. */
    size_t blocked, wide, narrow;
};

/* The memory that a warp of the blocked kernel needs for the largest tasks, and the number of kinds of
 * letters for which it needs scores. */
struct blocked_room {
    size_t shared_bytes, back_words;
    int letters;
};

struct sw_plan {
    struct sw_part *parts;
    size_t part_count;
    /* for each batch, the index of its first part; the last element is the number of parts */
    size_t *first_part;
    size_t *place; /* for each task of the input, its place in the plan's order */
    struct blocked_room room;
    size_t pool_words; /* number of words of the pool that hold the alignment elements of the largest part */
};

/* The parameters of the plan, which the caller chooses. */
struct sw_manner {
    bool blocked;
    /* number of tasks of a batch's first part; each further part has twice as many as the preceding part. 0
     * means that a batch is one part, as far as MOST_OF_PART and MOST_CELLS_OF_PART allow */
    size_t first_piece;
    size_t warps; /* number of warps of the blocked kernel that can be resident at once */
};

/* Returns the number of warps with work if the blocked kernel does a part: one for each task with a whole
 * warp, one for each two that share one. */
size_t sw_part_warps(const struct sw_part *part);

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out);
void sw_free_plan(struct sw_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
