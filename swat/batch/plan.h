/* The plan: which kernel takes which task, and in which order. Batches are cut into parts, and the tasks of a
 * part are ordered by size. */
#ifndef SWAT_PLAN_H
#define SWAT_PLAN_H

#include "swat/batch/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MOST_OF_PART is the most tasks of a part if the blocked kernel takes some, because the memory for their
 * elements grows with them. MOST_CELLS_OF_PART is the most cells of a part of SW1 and SW2: a gigabyte of
 * back-trace. */
#define MOST_OF_PART 32768
#define MOST_CELLS_OF_PART (1ull << 31)

/* The tasks of one launch: a batch or a piece of one. */
struct sw_part {
    struct sw_batch range;
    size_t blocked; /* the first `blocked` tasks go to the blocked kernel; */
    size_t wide;    /* the first `wide` of these have a warp each, */
    size_t narrow;  /* the next `narrow` have half a warp each, and the others a warp again */
};

/* The largest amounts that a warp of the blocked kernel needs, whichever tasks it takes; and how many kinds
 * of letters it must know. */
struct blocked_room {
    size_t shared_bytes, back_words;
    int letters;
};

struct sw_plan {
    struct sw_part *parts;
    size_t part_count;
    size_t *first_part; /* the first part of each batch, and then the number of parts */
    size_t *place;      /* the place of each task of the input in the plan's order */
    struct blocked_room room;
    size_t pool_words; /* the words that the elements of any part need */
};

/* The parameters of the plan. */
struct sw_manner {
    bool blocked;
    /* the tasks of the first part of a batch, of which each further part has twice as many; 0 means that a
     * batch is one part, as far as the bounds above allow */
    size_t first_piece;
    size_t warps; /* the number of resident warps */
};

/* Returns the number of warps that have the blocked kernel's tasks of a part. */
size_t sw_part_warps(const struct sw_part *part);

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out);
void sw_free_plan(struct sw_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
