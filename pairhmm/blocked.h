/*
 * Which pairs the blocked kernel (pairhmm/blocked.cuh) takes, and in which order: pairs of reads of similar
 * length share a warp.
 */
#ifndef PAIRHMM_BLOCKED_H
#define PAIRHMM_BLOCKED_H

#include "pairhmm/reference.h"
#include "pairhmm/tasks.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A class: `lanes` lanes share a pair, and each has `rows` rows of the matrices. 4 lanes waste the least, 32
 * lanes finish a pair soonest. Up to BLOCKED_ALL_OWN rows, and with 32 lanes, each row has a gap continuation of its
 * own; with more, a lane's first `lanes` rows have, among which padding is, and the others one that is equal in
 * the whole launch. Kernels are compiled for these numbers of rows a lane:
 */
enum {
    BLOCKED_ALL_OWN = 8,
    BLOCKED_LEAST_4 = 8,
    BLOCKED_MOST_4 = 25, /* one more does not fit in the registers */
    BLOCKED_LEAST_8 = 7,
    BLOCKED_MOST_8 = 19,
    BLOCKED_LEAST_32 = 1,
    BLOCKED_MOST_32 = 16
};
#define BLOCKED_KEEPS_ALL(lanes, rows) ((lanes) == 32 || (rows) <= BLOCKED_ALL_OWN)
struct blocked_class {
    unsigned char lanes, rows;
};

/* A warp's pairs: at most 32 / lanes consecutive pairs from `first` on; `turns` of four columns each are
 * enough for the longest. */
struct blocked_warp {
    unsigned first;
    unsigned short count;
    struct blocked_class class_;
    unsigned turns;
};

/* The ratios of two probabilities, by the difference of their qualities, at most 93. Number BLOCKED_RATIO_1
 * is 1; from there on, aligned like the start, the array is the table of probabilities. */
enum { BLOCKED_RATIO_1 = 128, BLOCKED_RATIOS = BLOCKED_RATIO_1 + PHRED_LEVELS };
void blocked_ratio_table(float table[BLOCKED_RATIOS]);

/* Float4s of a lane's table for this number of rows: one for each four rows and each of A, C, T, G and N. */
enum { BLOCKED_LETTERS = 5 };
static inline unsigned blocked_entries(unsigned rows)
{
    return (rows + 3) / 4 * BLOCKED_LETTERS;
}

/* Blocks that are resident on a multiprocessor leave 168 registers a thread. */
enum { BLOCKED_WARPS = 4, BLOCKED_BLOCKS_PER_SM = 3 };

/* Shared memory of a block. */
static inline size_t blocked_shared_bytes(unsigned entries)
{
    return (size_t)entries * BLOCKED_WARPS * 32 * 16;
}

/*
 * Can the kernel compute this pair, with an error of the likelihood's log10 of at most `tolerance`? It cannot
 * if an insertion is less than 10^-5 times as probable as at the read's first letter, or if rounding errors
 * add up, as they do if insertion and deletion leave hardly any probability for a match.
 */
bool blocked_can_do(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair, double tolerance);

/* The smallest number of lanes a pair for a batch of this number of pairs: few pairs are spread over many
 * lanes, since the device would otherwise be idle. */
unsigned blocked_lanes_for(size_t pairs, int sm_count);

/* A pair with its class; `number` is the caller's. */
struct blocked_item {
    size_t number;
    int read_length, haplotype_length;
    bool usual; /* all letters have the launch's gap continuation */
    struct blocked_class class_;
};

/*
 * Gives it its class: the smallest number of lanes, at least `least_lanes`, that hold the read in at most
 * `most_rows` rows each. Returns false if there is none.
 */
bool blocked_class_of(struct blocked_item *item, unsigned least_lanes, unsigned most_rows);

/* Sorts by rows and lanes, and then by haplotype, longest first. */
void blocked_sort(struct blocked_item *items, size_t count);

/* Divides sorted pairs, the first of which is number `first` on the device, into warps; returns the number of
 * warps. `warps` has room for one warp for each pair. */
size_t blocked_cut(const struct blocked_item *items, size_t count, unsigned first,
                   struct blocked_warp *warps);

#ifdef __cplusplus
}
#endif

#endif
