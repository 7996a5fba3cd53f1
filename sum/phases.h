/*
 * Nakano 2013's algorithms for sums and prefix sums, as lists of data-parallel phases: a phase is a loop over
 * independent items, and between two phases there is a barrier of all threads. Phases between which the paper
 * has no barrier, because one warp executes both, belong to one step.
 */
#ifndef SUM_PHASES_H
#define SUM_PHASES_H

#ifdef __cplusplus
extern "C" {
#endif

enum sum_algorithm { SUM_SIMPLE, SUM_TREE, SUM_SIMPLE_TREE, SUM_HYBRID };

/* `from`, `to` and `other` are offsets in one array; w is the width of a warp. */
enum phase_kind {
    ADD_HALVES,    /* to[i] = from[i] + from[i + h], h = half of count: a level of Simple */
    GROUP_SUMS,    /* other[g] = the sum of from[g w .. g w + w - 1]; `to` is scratch: a level of Tree */
    COLUMN_SUMS,   /* to[i] = the sum of column i of `from`: Hybrid */
    PAIR_SUMS,     /* to[i] = from[2 i] + from[2 i + 1] */
    PAIR_SPREAD,   /* to[2 i + 1] = other[i], to[2 i + 2] = from[2 i + 2] + other[i], to[0] = from[0] */
    GROUP_PREFIX,  /* to = the prefix sums of each group of w in `from`, plus other[g - 1] for group g > 0 */
    TRANSPOSE,     /* to[t][i] = from[i][t] */
    COLUMN_PREFIX, /* the prefix sums of each column of to, in place; other[i] = the sum of column i */
    TRANSPOSE_ADD  /* to[i][t] = from[t][i] + other[i - 1] */
};

struct phase {
    int kind;
    unsigned count;   /* numbers that it reads */
    unsigned columns; /* of the phases on a matrix; TRANSPOSE's has so many rows */
    unsigned from, to, other;
};

#define MOST_PHASES 96
#define MOST_STEPS 96

struct sum_plan {
    struct phase phases[MOST_PHASES];
    unsigned char starts[MOST_STEPS + 1]; /* step s is the phases from starts[s] to starts[s + 1] */
    int phase_count, steps;
    unsigned result; /* where the sum, or the first prefix sum, will be */
    unsigned words;  /* of the array: the input comes first */
};

/*
 * The plan for the sum or the prefix sums of n numbers at the beginning of the array, for warps of `width`
 * threads. `columns` is Hybrid's wl in the paper. The number of barriers is steps - 1.
 */
struct sum_plan plan_sum(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns);
struct sum_plan plan_prefix_sums(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns);

#ifdef __cplusplus
}
#endif

#endif
