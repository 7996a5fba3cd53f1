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

/* Arrays, apart from results, can be copied by vectors of so many bytes; what is over is neither needed nor used. */
enum { POOL_VECTOR = 16, POOL_ARRAYS = 4 };

struct pairhmm_copies {
    struct read_letter *reads;
    unsigned char *haplotypes;
    struct pairhmm_pair *pairs; /* as the plan places them */
    struct blocked_warp *warps;
    double *results;
};

/* Numbers of letters. */
struct pairhmm_letters {
    size_t reads, haplotypes;
};

struct pairhmm_pools {
    struct pairhmm_copies host, device;
    struct pairhmm_letters
        *letters_before; /* that the pairs before a place need; of each place, and the end */
    float *ratios;       /* of blocked_ratio_table; from BLOCKED_RATIO_1 on they are float's probabilities */
    double *phred;
    unsigned *redo; /* pairs that are computed again */
};

/* Room for any plan. */
void pools_open(const struct pairhmm_tasks *tasks, struct pairhmm_pools *out);
void pools_close(struct pairhmm_pools *pools);

/* Places the pairs by a plan and the letters in the order in which the pairs need them, copies everything to the
 * device, or clears it there if each run copies it, and clears the answers. */
void pools_arrange(struct pairhmm_pools *pools, const struct pairhmm_tasks *tasks,
                   const struct pairhmm_plan *plan, bool runs_copy);

void pools_copy_in(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);
/* For who copies by itself: the arrays, and how many vectors of each of them hold what the pairs and the
 * warps before these places need. */
void pools_arrays(const struct pairhmm_copies *copies, void *arrays[POOL_ARRAYS]);
void pools_vectors_before(const struct pairhmm_pools *pools, size_t place, size_t warp,
                          unsigned vectors[POOL_ARRAYS]);

void pools_copy_out(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
