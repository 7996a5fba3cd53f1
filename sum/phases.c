#include "sum/phases.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>

static unsigned divided_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

/* Returns the offset of `words` new words at the end of the array. An array of more than UINT_MAX words has
 * UINT_MAX. */
static unsigned take(struct sum_plan *plan, unsigned words)
{
    unsigned at = plan->words;
    plan->words = words < UINT_MAX - at ? at + words : UINT_MAX;
    return at;
}

/* Returns the number of threads that have work in a phase. */
static unsigned active(const struct phase *p, unsigned width)
{
    switch (p->kind) {
    case ADD_HALVES:
    case PAIR_SUMS:
    case PAIR_SPREAD:
        return divided_up(p->count, 2);
    case GROUP_SUMS:
    case GROUP_PREFIX:
        return divided_up(p->count, width) * width;
    default:
        return p->columns;
    }
}

/*
 * Returns whether each warp reads in phase b only what it has written itself in phase a: both phases give
 * number i to the same thread, or to the warp of the group that contains i. Then no barrier is needed between
 * a and b. (Nakano 2013 has a barrier there all the same, for instance in Simple-Tree before the tree.)
 */
static bool stays_in_warp(const struct phase *a, const struct phase *b)
{
    bool number_by_number = a->kind == ADD_HALVES || a->kind == COLUMN_SUMS || a->kind == PAIR_SUMS;
    bool by_groups = b->kind == GROUP_SUMS || b->kind == GROUP_PREFIX;
    if (number_by_number && by_groups)
        return b->from == a->to && !(b->kind == GROUP_PREFIX && b->other);
    if (a->kind == COLUMN_PREFIX && by_groups)
        return b->from == a->other;
    return a->kind == GROUP_PREFIX && b->kind == PAIR_SPREAD && b->other == a->to;
}

/* Returns whether a barrier of all threads is needed between phases a and b. No barrier is needed if the
 * first warp does both phases alone. */
static bool needs_barrier(const struct phase *a, const struct phase *b, unsigned width)
{
    bool alone = active(a, width) <= width && active(b, width) <= width;
    return !alone && !stays_in_warp(a, b);
}

static void add(struct sum_plan *plan, unsigned width, struct phase phase)
{
    assert(plan->phase_count < MOST_PHASES);
    if (!plan->phase_count || needs_barrier(&plan->phases[plan->phase_count - 1], &phase, width))
        plan->starts[plan->steps++] = (unsigned char)plan->phase_count;
    plan->phases[plan->phase_count++] = phase;
    plan->starts[plan->steps] = (unsigned char)plan->phase_count;
}

/* ---- sums ---- */

/* Adds to the plan the halvings of Summing Algorithm Simple of Nakano 2013, until at most `least` of the
 * `count` numbers are left. Returns how many are left and sets *at to their offset. */
static unsigned add_halves(struct sum_plan *plan, unsigned width, unsigned *at, unsigned count,
                           unsigned least)
{
    unsigned to = count > least ? take(plan, divided_up(count, 2)) : *at;
    while (count > least) {
        add(plan, width, (struct phase){ADD_HALVES, count, 0, *at, to, 0});
        *at = to;
        count = divided_up(count, 2);
    }
    return count;
}

/* Adds to the plan Summing Algorithm Tree of Nakano 2013, for the numbers at offset `at`. */
static void add_tree(struct sum_plan *plan, unsigned width, unsigned at, unsigned count)
{
    do {
        unsigned groups = divided_up(count, width), scratch = take(plan, count), sums = take(plan, groups);
        add(plan, width, (struct phase){GROUP_SUMS, count, 0, at, scratch, sums});
        at = sums;
        count = groups;
    } while (count > 1);
    plan->result = at;
}

static unsigned log_2(unsigned n)
{
    unsigned log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* Adds to the plan Summing Algorithm Simple-Tree of Nakano 2013: log log w halvings, then a tree. */
static void add_simple_tree(struct sum_plan *plan, unsigned width, unsigned at, unsigned count)
{
    unsigned least = divided_up(count, log_2(width) ? log_2(width) : 1);
    count = add_halves(plan, width, &at, count, least);
    add_tree(plan, width, at, count);
}

struct sum_plan plan_sum(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns)
{
    struct sum_plan plan = {.words = n};
    unsigned at = 0, left = n;
    switch (algorithm) {
    case SUM_SIMPLE:
        left = add_halves(&plan, width, &at, n, 1);
        plan.result = at;
        if (left == n)
            add_tree(&plan, width, at, left);
        break;
    case SUM_TREE:
        add_tree(&plan, width, 0, n);
        break;
    case SUM_SIMPLE_TREE:
        add_simple_tree(&plan, width, 0, n);
        break;
    case SUM_HYBRID:
        if (n > columns) {
            at = take(&plan, columns);
            add(&plan, width, (struct phase){COLUMN_SUMS, n, columns, 0, at, 0});
            left = columns;
        }
        add_simple_tree(&plan, width, at, left);
        break;
    }
    return plan;
}

/* ---- prefix sums ---- */

/* Adds to the plan Prefix-summing Algorithm Tree of Nakano 2013: sums from the leaves up, prefix sums from
 * the root down. Returns the offset of the prefix sums. */
static unsigned add_prefix_tree(struct sum_plan *plan, unsigned width, unsigned at, unsigned count)
{
    unsigned to = take(plan, count);
    if (count <= width) {
        add(plan, width, (struct phase){GROUP_PREFIX, count, 0, at, to, 0});
        return to;
    }
    unsigned groups = divided_up(count, width), sums = take(plan, groups);
    add(plan, width, (struct phase){GROUP_SUMS, count, 0, at, to, sums});
    unsigned carries = add_prefix_tree(plan, width, sums, groups);
    add(plan, width, (struct phase){GROUP_PREFIX, count, 0, at, to, carries});
    return to;
}

/* Adds to the plan Prefix-summing Algorithm Simple of Nakano 2013: sums of pairs until at most `least`
 * numbers are left, then their prefix sums by a tree, then the way back to n prefix sums. Returns the offset
 * of the prefix sums. */
static unsigned add_prefix_pairs(struct sum_plan *plan, unsigned width, unsigned at, unsigned count,
                                 unsigned least)
{
    if (count <= least)
        return add_prefix_tree(plan, width, at, count);
    unsigned pairs = divided_up(count, 2), sums = take(plan, pairs);
    add(plan, width, (struct phase){PAIR_SUMS, count, 0, at, sums, 0});
    unsigned parents = add_prefix_pairs(plan, width, sums, pairs, least), to = take(plan, count);
    add(plan, width, (struct phase){PAIR_SPREAD, count, 0, at, to, parents});
    return to;
}

static unsigned add_prefix_simple_tree(struct sum_plan *plan, unsigned width, unsigned at, unsigned count)
{
    unsigned logarithm = log_2(width) ? log_2(width) : 1;
    return add_prefix_pairs(plan, width, at, count, divided_up(count, logarithm));
}

/* Adds to the plan Prefix-summing Algorithm Hybrid of Nakano 2013. The matrix is transposed first, so that
 * row i of the input, which thread i scans, becomes a column. Returns the offset of the prefix sums. */
static unsigned add_prefix_hybrid(struct sum_plan *plan, unsigned width, unsigned n, unsigned columns)
{
    unsigned rows = divided_up(n, columns), matrix = take(plan, rows * columns), sums = take(plan, columns);
    add(plan, width, (struct phase){TRANSPOSE, n, columns, 0, matrix, 0});
    add(plan, width, (struct phase){COLUMN_PREFIX, n, columns, 0, matrix, sums});
    unsigned carries = add_prefix_simple_tree(plan, width, sums, columns), to = take(plan, n);
    add(plan, width, (struct phase){TRANSPOSE_ADD, n, columns, matrix, to, carries});
    return to;
}

struct sum_plan plan_prefix_sums(enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns)
{
    struct sum_plan plan = {.words = n};
    switch (algorithm) {
    case SUM_SIMPLE:
        plan.result = add_prefix_pairs(&plan, width, 0, n, 1);
        break;
    case SUM_TREE:
        plan.result = add_prefix_tree(&plan, width, 0, n);
        break;
    case SUM_SIMPLE_TREE:
        plan.result = add_prefix_simple_tree(&plan, width, 0, n);
        break;
    case SUM_HYBRID:
        plan.result = n > columns ? add_prefix_hybrid(&plan, width, n, columns)
                                  : add_prefix_simple_tree(&plan, width, 0, n);
        break;
    }
    return plan;
}
