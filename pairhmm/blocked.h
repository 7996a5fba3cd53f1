/* Which pairs the blocked kernel (pairhmm/blocked.cuh) takes, and in which order: pairs with reads of similar
 * length share a warp. */
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
 * lanes finish a pair soonest. With 32 lanes, and with up to BLOCKED_ALL_OWN rows, each row has a gap
 * continuation of its own. With more rows, only a lane's first `lanes` rows have, which include all padding,
 * and the others share the gap continuation of the launch. Kernels are compiled for these numbers of rows for
 * each lane:
 */
enum {
    BLOCKED_ALL_OWN = 8,
    BLOCKED_LEAST_4 = 8,
    BLOCKED_MOST_4 = 25, /* the values of one row more do not fit in the registers */
    BLOCKED_LEAST_8 = 7,
    BLOCKED_MOST_8 = 19,
    BLOCKED_LEAST_32 = 1,
    BLOCKED_MOST_32 = 16
};
#define BLOCKED_KEEPS_ALL(lanes, rows) ((lanes) == 32 || (rows) <= BLOCKED_ALL_OWN)
struct blocked_class {
    unsigned char lanes, rows;
};

/* The pairs of a warp: `count` consecutive pairs from `first` on, at most 32 / lanes. `turns` is the number
 * of turns, of four columns each, that the longest pair needs. */
struct blocked_warp {
    unsigned first;
    unsigned short count;
    struct blocked_class class_;
    unsigned turns;
};

/* blocked_ratio_table() fills in the ratios of two probabilities, by the difference of their qualities, at
 * most 93. Element BLOCKED_RATIO_1 is the ratio 1; from it on, aligned like the table's start, the table has
 * the probability of each quality. */
enum { BLOCKED_RATIO_1 = 128, BLOCKED_RATIOS = BLOCKED_RATIO_1 + PHRED_LEVELS };
void blocked_ratio_table(float table[BLOCKED_RATIOS]);

/* blocked_entries() returns the number of float4s of a lane's table for this number of rows: one for each
 * four rows and each of the letters A, C, T, G and N. */
enum { BLOCKED_LETTERS = 5 };
static inline unsigned blocked_entries(unsigned rows)
{
    return (rows + 3) / 4 * BLOCKED_LETTERS;
}

/* With blocks of BLOCKED_WARPS warps, and this number of blocks resident on a multiprocessor, each thread has
 * 168 registers. */
enum { BLOCKED_WARPS = 4, BLOCKED_BLOCKS_PER_SM = 3 };

/* Returns the number of bytes of shared memory of a block. */
static inline size_t blocked_shared_bytes(unsigned entries)
{
    return (size_t)entries * BLOCKED_WARPS * 32 * 16;
}

/*
 * Returns whether the kernel can compute this pair with an error of at most `tolerance` in the log10 of the
 * likelihood. It cannot if an insertion is less than 10^-5 times as probable as at the read's first letter,
 * or if rounding errors add up, as they do if insertion and deletion leave hardly any probability for a
 * match.
 */
bool blocked_can_do(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair, double tolerance);

/* Returns the smallest number of lanes for each pair in a batch of `pairs` pairs: few pairs are spread over
 * many lanes, because otherwise the device would be idle. */
unsigned blocked_lanes_for(size_t pairs, int sm_count);

/* A pair with its class; the caller chooses `number`, by which it knows the pair. */
struct blocked_item {
    size_t number;
    int read_length, haplotype_length;
    bool usual; /* whether all letters of the read have the launch's gap continuation */
    struct blocked_class class_;
};

/* Gives the item its class: the smallest number of lanes, at least `least_lanes`, that hold the read in at
 * most `most_rows` rows each. Returns false if there is none. */
bool blocked_class_of(struct blocked_item *item, unsigned least_lanes, unsigned most_rows);

/* Sorts items by rows and lanes, and then by length of the haplotype, longest first. */
void blocked_sort(struct blocked_item *items, size_t count);

/* Divides sorted items, the first of which is pair number `first` on the device, into warps; returns the
 * number of warps. `warps` has room for one warp for each item. */
size_t blocked_cut(const struct blocked_item *items, size_t count, unsigned first,
                   struct blocked_warp *warps);

#ifdef __cplusplus
}
#endif

#endif
