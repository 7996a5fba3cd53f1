/* Decides which pairs the blocked kernel (pairhmm/blocked.cuh) takes, and in which order: pairs with reads of
 * similar length share a warp. */
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
 * A class of pairs: `lanes` lanes share a pair, and each has `rows` rows of the matrices. With 4 lanes the
 * least work is wasted, with 32 lanes a pair is finished soonest. With 32 lanes, or with up to
 * BLOCKED_ALL_OWN rows, each row has a separate gap continuation. Otherwise only a lane's first `lanes` rows
 * have, which include all padding, and the other rows share the gap continuation of the launch. Kernels are
 * compiled for these numbers of rows for each lane:
 */
enum {
    BLOCKED_ALL_OWN = 8,
    BLOCKED_LEAST_4 = 8,
    BLOCKED_MOST_4 = 25, /* with one more row, a lane's values would not fit in its registers */
    BLOCKED_LEAST_8 = 7,
    BLOCKED_MOST_8 = 19,
    BLOCKED_LEAST_32 = 1,
    BLOCKED_MOST_32 = 16
};
#define BLOCKED_KEEPS_ALL(lanes, rows) ((lanes) == 32 || (rows) <= BLOCKED_ALL_OWN)
struct blocked_class {
    unsigned char lanes, rows;
};

/* The pairs of a warp: `count` consecutive pairs from number `first` on, at most 32 / lanes. `turns` is the
 * number of turns, of four columns each, that the longest of these pairs needs. */
struct blocked_warp {
    unsigned first;
    unsigned short count;
    struct blocked_class class_;
    unsigned turns;
};

/* blocked_ratio_table() fills in the ratios of two probabilities, indexed by the difference of their
 * qualities, which is at most 93. Element BLOCKED_RATIO_1 is the ratio 1. From this element on, which is
 * aligned like the table's start, the table also has the probability of each quality. */
enum { BLOCKED_RATIO_1 = 128, BLOCKED_RATIOS = BLOCKED_RATIO_1 + PHRED_LEVELS };
void blocked_ratio_table(float table[BLOCKED_RATIOS]);

/* blocked_entries() returns the number of float4s of a lane's table for this number of rows: one for each
 * four rows and each of the letters A, C, T, G and N. */
enum { BLOCKED_LETTERS = 5 };
static inline unsigned blocked_entries(unsigned rows)
{
    return (rows + 3) / 4 * BLOCKED_LETTERS;
}

/* BLOCKED_WARPS is the number of warps of a block, BLOCKED_BLOCKS_PER_SM the number of blocks that are
 * resident on a multiprocessor. With these numbers each thread can have 168 registers. */
enum { BLOCKED_WARPS = 4, BLOCKED_BLOCKS_PER_SM = 3 };

/* Returns the number of bytes of shared memory of a block. */
static inline size_t blocked_shared_bytes(unsigned entries)
{
    return (size_t)entries * BLOCKED_WARPS * 32 * 16;
}

/*
 * Returns whether the blocked kernel can compute this pair with an error of at most `tolerance` in the log10
 * of the likelihood. It cannot if an insertion is less than 10^-5 times as probable as at the read's first
 * letter, or if rounding errors add up, as they do if insertion and deletion leave hardly any probability for
 * a match.
 */
bool blocked_can_do(const struct pairhmm_tasks *tasks, const struct pairhmm_pair *pair, double tolerance);

/* Returns the smallest number of lanes that a pair gets in a batch of `pairs` pairs: few pairs are spread
 * over many lanes, because otherwise the device would be idle. */
unsigned blocked_lanes_for(size_t pairs, int sm_count);

/* A pair and its class, for sorting; `number` identifies the pair and is chosen by the caller. */
struct blocked_item {
    size_t number;
    int read_length, haplotype_length;
    bool usual; /* whether all letters of the read have the same gap continuation, namely the launch's */
    struct blocked_class class_;
};

/* Gives the item its class: the smallest number of lanes, at least `least_lanes`, with which the read fits
 * into at most `most_rows` rows for each lane. Returns false if no class fits. */
bool blocked_class_of(struct blocked_item *item, unsigned least_lanes, unsigned most_rows);

/* Sorts items by number of rows for each lane, then by number of lanes, then by length of the haplotype; in
 * each the largest comes first. */
void blocked_sort(struct blocked_item *items, size_t count);

/* Divides sorted items into the pairs of warps, and returns the number of warps. The first item is pair
 * number `first` on the device. `warps` has room for as many warps as there are items. */
size_t blocked_cut(const struct blocked_item *items, size_t count, unsigned first,
                   struct blocked_warp *warps);

#ifdef __cplusplus
}
#endif

#endif
