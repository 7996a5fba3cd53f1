/* The letters, pairs and results of a problem, in host memory that the device can access and in memory of the
 * device. */
#ifndef PAIRHMM_POOLS_H
#define PAIRHMM_POOLS_H

#include "harness/platform.h"
#include "pairhmm/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of readable bytes before and after the letters on the device. It is the alignment of cudaMalloc, so
 * that the letters have this alignment, too. */
#define POOL_MARGIN 256

/* POOL_VECTOR is the number of bytes of a vector, by which all arrays but the results can be copied; bytes
 * beyond an array's end are neither needed nor used. */
enum { POOL_VECTOR = 16, POOL_ARRAYS = 4 };

struct pairhmm_copies {
    struct read_letter *reads;
    unsigned char *haplotypes;
    struct pairhmm_pair *pairs; /* the pairs in the plan's order */
    struct blocked_warp *warps;
    double *results;
};

/* Numbers of letters of reads and of haplotypes. */
struct pairhmm_letters {
    size_t reads, haplotypes;
};

struct pairhmm_pools {
    struct pairhmm_copies host, device;
    /* for each place in the plan's order, how many letters the pairs before it need; the last element is the
     * number of all letters */
    struct pairhmm_letters *letters_before;
    /* the table of blocked_ratio_table(): from BLOCKED_RATIO_1 on, the probabilities in float */
    float *ratios;
    double *phred;
    unsigned *redo; /* the numbers of the pairs that are computed again in double */
};

/* Allocates memory that suffices for any plan of these tasks. */
void pools_open(const struct pairhmm_tasks *tasks, struct pairhmm_pools *out);
void pools_close(struct pairhmm_pools *pools);

/* Puts the pairs into the plan's order and their letters into the order in which the pairs need them, and
 * clears the results. Copies the input to the device, or, if each run copies it, clears it on the device. */
void pools_arrange(struct pairhmm_pools *pools, const struct pairhmm_tasks *tasks,
                   const struct pairhmm_plan *plan, bool runs_copy);

void pools_copy_in(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);
/* For kernels that copy their input. pools_arrays() sets the addresses of the arrays. pools_vectors_before()
 * sets, for each array, how many vectors hold the data of the pairs before `place` and of the warps before
 * `warp`. */
void pools_arrays(const struct pairhmm_copies *copies, void *arrays[POOL_ARRAYS]);
void pools_vectors_before(const struct pairhmm_pools *pools, size_t place, size_t warp,
                          unsigned vectors[POOL_ARRAYS]);

void pools_copy_out(const struct pairhmm_pools *pools, const struct pairhmm_part *part, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
