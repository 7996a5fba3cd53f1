/*
 * Which kernel takes which pair, and in which order: batch after batch, the pairs of a batch by class.
 */
#ifndef PAIRHMM_PLAN_H
#define PAIRHMM_PLAN_H

#include "pairhmm/blocked.h"
#include "pairhmm/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length classes of the paper's kernels: reads of up to 32, 64, 96 and 128 letters, longer reads, and reads
 * for which float is not accurate enough. */
enum { PAIRHMM_CLASSES = 6, LONG_CLASS = 4, DOUBLE_CLASS = 5 };
#define FLOAT_TOLERANCE 1e-5 /* in log10, as GATK's own tests ask of float */

int pairhmm_class_of(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair);

/* A batch. */
struct pairhmm_part {
    struct pairhmm_batch range;
    size_t first_warp, warps;             /* of the blocked kernel, which takes the first pairs */
    unsigned entries;                     /* of its tables: blocked_entries of the most rows */
    unsigned starts[PAIRHMM_CLASSES + 1]; /* pairs of class c stand from starts[c] to starts[c + 1] */
};

struct pairhmm_plan {
    struct pairhmm_part *parts;
    size_t part_count;
    size_t *place; /* where a pair of the input stands */
    struct blocked_warp *warps;
    size_t warp_count;
    float gcp; /* of every letter in the blocked kernel's classes that need it */
};

/* Parameters of the plan: 0 rows means that the blocked kernel takes no pair. */
struct pairhmm_manner {
    unsigned most_rows;
    int sm_count;
    bool copied; /* while it computes */
};

void pairhmm_make_plan(const struct pairhmm_tasks *tasks, struct pairhmm_manner manner,
                       struct pairhmm_plan *out);
void pairhmm_free_plan(struct pairhmm_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
