/* The letters, pairs and answers of a problem, in memory that the device can reach and on the device. */
#ifndef PAIRHMM_POOLS_H
#define PAIRHMM_POOLS_H

#include "harness/platform.h"
#include "pairhmm/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Readable bytes before and after the letters on the device; as many as cudaMalloc aligns to, so that the
 * letters are aligned likewise. */
#define POOL_MARGIN 256

struct pairhmm_copies {
    struct read_letter *reads;
    unsigned char *haplotypes;
    struct pairhmm_pair *pairs; /* as the plan places them */
    struct blocked_warp *warps;
    double *results;
};

struct pairhmm_pools {
    struct pairhmm_copies host, device;
    float *ratios; /* of blocked_ratio_table; from BLOCKED_RATIO_1 on they are float's probabilities */
    double *phred;
    unsigned *redo, *redo_counts; /* pairs that are computed again, and how many of each part */
    unsigned *arrived;            /* a word on the device, 0 at first: who copies pieces counts them there */
};

/* Copies the letters on the host; the result serves any plan. */
void pools_open(const struct pairhmm_tasks *tasks, struct pairhmm_pools *out);
void pools_close(struct pairhmm_pools *pools);

/* Places the pairs by a plan, copies everything to the device, or clears it there if each run copies it, and
 * clears the answers. */
void pools_arrange(struct pairhmm_pools *pools, const struct pairhmm_tasks *tasks,
                   const struct pairhmm_plan *plan, bool runs_copy);

void pools_copy_in(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);
void pools_copy_out(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
