/* The plan of a run: which kernel takes which pair, and in which order. Batches keep their order, and the
 * pairs of a batch are ordered by class. */
#ifndef PAIRHMM_PLAN_H
#define PAIRHMM_PLAN_H

#include "pairhmm/blocked.h"
#include "pairhmm/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The length classes of PH1 and PH2: reads of up to 32, 64, 96 and 128 letters, longer reads, and reads for
 * which float is not accurate enough. */
enum { PAIRHMM_CLASSES = 6, LONG_CLASS = 4, DOUBLE_CLASS = 5 };
#define FLOAT_TOLERANCE 1e-5 /* the error in the log10 of a likelihood that GATK's own tests allow float */

int pairhmm_class_of(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair);

/* A part of the plan: the pairs of one batch. */
struct pairhmm_part {
    struct pairhmm_batch range;
    /* The blocked kernel's warps for this part align the part's first pairs: number of the first warp, and
     * number of warps. */
    size_t first_warp, warps;
    /* number of entries of a lane's table in the blocked kernel, enough for the pair with the most rows for
     * each lane */
    unsigned entries;
    /* length class c has the pairs from place starts[c] to place starts[c + 1] - 1 */
    unsigned starts[PAIRHMM_CLASSES + 1];
};

struct pairhmm_plan {
    struct pairhmm_part *parts;
    size_t part_count;
    size_t *place; /* for each pair of the input, its place in the plan's order */
    struct blocked_warp *warps;
    size_t warp_count;
    float gcp; /* the launch's gap continuation probability, for the blocked kernel's classes that need it */
};

/* The parameters of the plan. `most_rows` is the largest number of rows for each lane of the blocked kernel;
 * 0 means that this kernel takes no pair. */
struct pairhmm_manner {
    unsigned most_rows;
    int sm_count;
    bool copied; /* whether input is copied while the kernel computes */
};

void pairhmm_make_plan(const struct pairhmm_tasks *tasks, struct pairhmm_manner manner,
                       struct pairhmm_plan *out);
void pairhmm_free_plan(struct pairhmm_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
