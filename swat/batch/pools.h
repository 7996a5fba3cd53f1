/* The letters, tasks and answers of a problem, in memory that the device can reach and on the device; and the
 * memory in which kernels work, shared by launches that follow each other on a stream. */
#ifndef SWAT_POOLS_H
#define SWAT_POOLS_H

#include "harness/platform.h"
#include "harness/streams.h"
#include "swat/batch/plan.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the data of a task of SW1 or SW2 begin in a side's memory. */
struct sw_place {
    size_t back; /* index of the first word of the task's back-trace */
    /* index of the first int of the task's border (a row's scores, then its gaps; later its elements) */
    size_t border;
};

struct sw_found {
    int score, i, j, end_i, end_j;
    unsigned element_at, element_count;
};

/* The memory of a task in the blocked kernel, except for its back-trace. */
struct blocked_ends {
    int row[BLOCKED_MOST_COLUMNS + WARP_LANES]; /* the scores of the matrix's last row */
    unsigned elements[2 * BLOCKED_MOST_ROWS + 2];
};

/* The memory that is copied to the device and back. Tasks are in the plan's order. */
struct sw_copies {
    unsigned char *letters;
    struct sw_task *tasks;
    struct sw_found *found;
};

struct sw_side {
    uint32_t *back, *blocked_back;
    int *borders;
    struct blocked_ends *ends;
    unsigned *next; /* number of times that warps of the blocked kernel have drawn tasks */
    /* elements of alignments; the first word is the number of other words in use */
    unsigned *pool, *host_pool;
};

struct sw_pools {
    struct sw_copies host, device;
    struct sw_place *places;
    struct sw_side sides[SIDE_STREAMS];
    int side_count;
    size_t pool_words;
};

/* Allocates the pools and copies the tasks' letters to host memory; the pools are good for any plan. */
void sw_pools_open(const struct sw_tasks *tasks, struct sw_pools *out);
void sw_pools_close(struct sw_pools *pools);

/* Places the tasks by a plan, makes `sides` sides (the working memory of a stream), each large enough for any
 * part of the plan and for `warps` warps of the blocked kernel, copies everything to the device, and clears
 * the answers. */
void sw_pools_arrange(struct sw_pools *pools, const struct sw_tasks *tasks, const struct sw_plan *plan,
                      int sides, size_t warps);
/* Frees the memory of all sides. */
void sw_pools_clear(struct sw_pools *pools);

void sw_copy_in(const struct sw_pools *pools, const struct sw_part *part, cudaStream_t stream);
void sw_copy_out(const struct sw_pools *pools, const struct sw_part *part, const struct sw_side *side,
                 cudaStream_t stream);
/* Copies the elements of a part to the host. Call it after sw_copy_out(): it waits, because the number of
 * elements must be known first. */
void sw_copy_elements_out(const struct sw_pools *pools, const struct sw_side *side, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
