/*
 * The algorithms of Nakano 2013 (sections 4 and 5) for sums and prefix sums, as lists of data-parallel
 * phases. A phase is a loop over independent items; all threads synchronize between two steps. Phases that
 * one warp executes one after the other belong to one step, because Nakano 2013 has no barrier between them.
 */
#ifndef SUM_PHASES_H
#define SUM_PHASES_H

#ifdef __cplusplus
extern "C" {
#endif

enum sum_algorithm { SUM_SIMPLE, SUM_TREE, SUM_SIMPLE_TREE, SUM_HYBRID };

/* The kinds of phases. `from`, `to` and `other` are arrays, given by their offsets in one array; w is the
 * width of a warp. */
enum phase_kind {
    ADD_HALVES,    /* a level of Simple: to[i] = from[i] + from[i + h], h = half of count */
    GROUP_SUMS,    /* a level of Tree: other[g] = from[g w] + ... + from[g w + w - 1]; `to` is scratch */
    COLUMN_SUMS,   /* the first step of Hybrid: to[i] = the sum of column i of `from` */
    PAIR_SUMS,     /* to[i] = from[2 i] + from[2 i + 1] */
    PAIR_SPREAD,   /* to[2 i + 1] = other[i], to[2 i + 2] = from[2 i + 2] + other[i], to[0] = from[0] */
    GROUP_PREFIX,  /* to = the prefix sums of each group of w numbers of `from`, plus other[g - 1] if g > 0 */
    TRANSPOSE,     /* to[t][i] = from[i][t] */
    COLUMN_PREFIX, /* makes each column of `to` its prefix sums; other[i] = the sum of column i */
    TRANSPOSE_ADD  /* to[i][t] = from[t][i] + other[i - 1] */
};

struct phase {
    int kind;
    unsigned count;   /* how many numbers the phase reads */
    unsigned columns; /* number of columns of the matrix, in phases that work on a matrix */
    unsigned from, to, other;
};

#define MOST_PHASES 96
#define MOST_STEPS 96

struct sum_plan {
    struct phase phases[MOST_PHASES];
    unsigned char starts[MOST_STEPS + 1]; /* step s consists of the phases starts[s] .. starts[s + 1] - 1 */
    int phase_count, steps;
    unsigned result; /* offset of the result in the array: of the sum, or of the first prefix sum */
    /* Length of the array that the plan works on; the array begins with the input. UINT_MAX means that the
     * array would be longer, so that the plan cannot be used. */
    unsigned words;
};

/*
 * Returns the plan for the sum or the prefix sums of the n numbers at the beginning of the array, for warps
 * of `width` threads. `columns` is the number of threads w l of Hybrid in Nakano 2013. The plan has steps - 1
 * barriers.
 */
struct sum_plan plan_sum(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns);
struct sum_plan plan_prefix_sums(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns);

#ifdef __cplusplus
}
#endif

#endif
