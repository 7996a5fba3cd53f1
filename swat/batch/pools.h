/* The memory of a problem. Its letters, tasks and answers are in host memory that the device can access, and
 * in memory of the device. Launches that follow each other on a stream share the memory in which kernels
 * work. */
#ifndef SWAT_POOLS_H
#define SWAT_POOLS_H

#include "harness/platform.h"
#include "harness/streams.h"
#include "swat/batch/plan.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the back-trace and the border of a task begin in the working memory of SW1 and SW2. */
struct sw_place {
    size_t back; /* index of the first word of the task's back-trace */
    /* index of the first int of the task's border, which has a row's scores, then its gaps, and later the
     * alignment's elements */
    size_t border;
};

struct sw_found {
    int score, i, j, end_i, end_j;
    unsigned element_at, element_count;
};

/* The memory of a warp's task in the blocked kernel, except for its back-trace. */
struct blocked_ends {
    int row[BLOCKED_MOST_COLUMNS + WARP_LANES]; /* the scores of the matrix's last row */
    unsigned elements[2 * BLOCKED_MOST_ROWS + 2];
};

/* The memory that is copied to the device and back, on the host or on the device. Tasks are in the plan's
 * order. */
struct sw_copies {
    unsigned char *letters;
    struct sw_task *tasks;
    struct sw_found *found;
};

struct sw_side {
    uint32_t *back, *blocked_back;
    int *borders;
    struct blocked_ends *ends;
    unsigned *next; /* how many times warps of the blocked kernel have drawn tasks in the present launch */
    /* the elements of alignments, on the device and on the host; word 0 is the number of further words in
     * use */
    unsigned *pool, *host_pool;
};

struct sw_pools {
    struct sw_copies host, device;
    struct sw_place *places;
    struct sw_side sides[SIDE_STREAMS];
    int side_count;
    size_t pool_words;
};

/* Allocates the pools, large enough for any plan of these tasks, and copies the tasks' letters to host
 * memory. */
void sw_pools_open(const struct sw_tasks *tasks, struct sw_pools *out);
void sw_pools_close(struct sw_pools *pools);

/* Puts the tasks into the plan's order and makes `sides` sides. A side is the working memory for launches on
 * one stream, large enough for any part of the plan and for `warps` warps of the blocked kernel. Copies
 * letters and tasks to the device, and clears the answers. */
void sw_pools_arrange(struct sw_pools *pools, const struct sw_tasks *tasks, const struct sw_plan *plan,
                      int sides, size_t warps);
/* Frees the working memory of all sides. */
void sw_pools_clear(struct sw_pools *pools);

void sw_copy_in(const struct sw_pools *pools, const struct sw_part *part, cudaStream_t stream);
void sw_copy_out(const struct sw_pools *pools, const struct sw_part *part, const struct sw_side *side,
                 cudaStream_t stream);
/* Copies the alignment elements of a side's last part to the host. Call it after sw_copy_out(): it waits for
 * the stream, because the number of elements must be known first. */
void sw_copy_elements_out(const struct sw_pools *pools, const struct sw_side *side, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
