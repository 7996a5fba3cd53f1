/* Which kernel takes which task, and in which order: batches in parts, a part's tasks by size. */
#ifndef SWAT_PLAN_H
#define SWAT_PLAN_H

#include "swat/batch/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most tasks of a part if the blocked kernel takes some: its memory grows with them. */
#define MOST_OF_PART 32768

/* The tasks of one launch: a batch or a piece of one. */
struct sw_part {
    struct sw_batch range;
    size_t blocked; /* so many tasks, the first, are the blocked kernel's */
};

struct sw_plan {
    struct sw_part *parts;
    size_t part_count;
    size_t *first_part;       /* of each batch, and the number of all */
    size_t *place;            /* where a task of the input stands */
    struct blocked_room room; /* that any task of the blocked kernel's needs */
    size_t pool_words;        /* of any part */
};

/* Parameters of the plan: 0 tasks means batches in one piece, as far as the bound above allows. */
struct sw_manner {
    bool blocked;
    size_t first_piece; /* tasks; each further piece has twice as many */
};

void sw_make_plan(const struct sw_tasks *tasks, struct sw_manner manner, struct sw_plan *out);
void sw_free_plan(struct sw_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
