/* The plan: which kernel takes which task, and in which order. Batches are cut into parts, and the tasks of a
 * part are ordered by size. */
#ifndef SWAT_PLAN_H
#define SWAT_PLAN_H

#include "swat/batch/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MOST_OF_PART is the largest number of tasks of a part that has tasks for the blocked kernel; it limits the
 * memory for elements. MOST_CELLS_OF_PART is the largest number of cells of a part for SW1 and SW2: a
 * gigabyte of back-trace. */
#define MOST_OF_PART 32768
#define MOST_CELLS_OF_PART (1ull << 31)

/* The tasks of one launch: a batch or a piece of one. */
struct sw_part {
    struct sw_batch range;
    size_t blocked; /* number of tasks for the blocked kernel, the part's first ones */
    size_t wide;    /* number of the first blocked tasks, which have a warp each */
    /* number of the next blocked tasks, which have half a warp each; the remaining ones have a warp each */
    size_t narrow;
};

/* The memory that a warp of the blocked kernel needs for the largest tasks, and the number of kinds of
 * letters that it must know. */
struct blocked_room {
    size_t shared_bytes, back_words;
    int letters;
};

struct sw_plan {
    struct sw_part *parts;
    size_t part_count;
    /* the index of each batch's first part, and in the last element the number of parts */
    size_t *first_part;
    size_t *place; /* the place of each task of the input in the plan's order */
    struct blocked_room room;
    size_t pool_words; /* number of words that the elements of the largest part need */
};

/* The parameters of the plan. */
struct sw_manner {
    bool blocked;
    /* number of tasks of a batch's first part; each further part has twice as many as the one before. 0 means
     * that a batch is one part, as far as MOST_OF_PART and MOST_CELLS_OF_PART allow */
    size_t first_piece;
    size_t warps; /* number of warps that can be resident at once */
};

/* Returns the number of warps among which the blocked kernel's tasks of a part are divided. */
size_t sw_part_warps(const struct sw_part *part);

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out);
void sw_free_plan(struct sw_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
