/* Which kernel takes which task, and in which order: batches in parts, a part's tasks by size. */
#ifndef SWAT_PLAN_H
#define SWAT_PLAN_H

#include "swat/batch/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most tasks of a part if the blocked kernel takes some: the memory for their elements grows with them. And
 * the most cells of a part of SW1 and SW2: a gigabyte of back-trace. */
#define MOST_OF_PART 32768
#define MOST_CELLS_OF_PART (1ull << 31)

/* The tasks of one launch: a batch or a piece of one. */
struct sw_part {
    struct sw_batch range;
    size_t blocked; /* so many tasks, the first, are the blocked kernel's, */
    size_t wide;    /* of these the first have a warp each, */
    size_t narrow;  /* those behind them half of one, and the others a warp again */
};

/* The largest amounts that a warp of the blocked kernel needs, whichever tasks it takes; and how many kinds of
 * letters it must know. */
struct blocked_room {
    size_t shared_bytes, back_words;
    int letters;
};

struct sw_plan {
    struct sw_part *parts;
    size_t part_count;
    size_t *first_part; /* of each batch, and the number of all */
    size_t *place;      /* where a task of the input stands */
    struct blocked_room room;
    size_t pool_words; /* of any part */
};

/* Parameters of the plan: 0 tasks means batches in one piece, as far as the bounds above allow. */
struct sw_manner {
    bool blocked;
    size_t first_piece; /* tasks; each further piece has twice as many */
    size_t warps;       /* that are resident */
};

/* So many warps have the tasks of a part that are the blocked kernel's. */
size_t sw_part_warps(const struct sw_part *part);

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out);
void sw_free_plan(struct sw_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
