/*
 * Compares the number of barriers in the plans of sum/phases.c with Nakano 2013: the plans have exactly the
 * barriers that its algorithms name, and no more than its Table 1 allows, for widths from 4 to 64, latencies
 * to 10,000 and far more numbers than fit into a run. tests/bounds checks that the runs have this number
 * of barriers.
 */
#include "sum/phases.h"
#include "tests/check.h"

#include <math.h>

static const char *const names[] = {"Simple", "Tree", "Simple-Tree", "Hybrid"};

static int barriers(bool prefix, enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns)
{
    return (prefix ? plan_prefix_sums : plan_sum)(algorithm, n, width, columns).steps - 1;
}

/* ---- as many as the algorithms name ---- */

/* Lemma 2: m - log w - 1 times, for n = 2^m; for any n, the halvings that leave more than w. */
static int named_by_simple(unsigned n, unsigned width)
{
    int times = 0;
    for (; n > 2 * width; n = (n + 1) / 2)
        times++;
    return times;
}

/* Lemma 3: k times, for n = w^k; here not behind the root, and for any n. */
static int named_by_tree(unsigned n, unsigned width)
{
    int times = 0;
    for (; n > width; n = (n + width - 1) / width)
        times++;
    return times;
}

/* Lemma 7 goes up the tree and down again, Lemma 6 through its two stages. */
static void check_named(void)
{
    int others[2] = {0, 0}, plans = 0;
    for (unsigned width = 4; width <= 64; width *= 2)
        for (unsigned n = 1; n < 1u << 24; n += 1 + n / 7, plans++)
            for (int prefix = 0; prefix < 2; prefix++) {
                others[0] +=
                    barriers(prefix, SUM_SIMPLE, n, width, 0) != (prefix + 1) * named_by_simple(n, width);
                others[1] +=
                    barriers(prefix, SUM_TREE, n, width, 0) != (prefix + 1) * named_by_tree(n, width);
            }
    for (int a = SUM_SIMPLE; a <= SUM_TREE; a++)
        check(others[a] == 0,
              "%s has the paper's number of barriers, its prefix sums twice that (%d plans, %d others)",
              names[a], plans, others[a]);
}

/* Lemma 5: log log w halvings before the tree; Hybrid has as many of its columns' sums. */
static int named_halvings(unsigned n, double width)
{
    double least = ceil(n / log2(width));
    int times = 0;
    for (; n > least; n = (n + 1) / 2)
        times++;
    return times;
}

static int phases_of(const struct sum_plan *plan, int kind)
{
    int count = 0;
    for (int p = 0; p < plan->phase_count; p++)
        count += plan->phases[p].kind == kind;
    return count;
}

static void check_halvings(void)
{
    int plans = 0, others = 0;
    for (unsigned width = 4; width <= 64; width *= 2)
        for (unsigned n = 1; n < 1u << 24; n += 1 + n / 7, plans++) {
            unsigned columns = 40 * width, left = n < columns ? n : columns;
            struct sum_plan sum = plan_sum(SUM_SIMPLE_TREE, n, width, 0),
                            prefix = plan_prefix_sums(SUM_SIMPLE_TREE, n, width, 0),
                            hybrid = plan_sum(SUM_HYBRID, n, width, columns),
                            prefix_hybrid = plan_prefix_sums(SUM_HYBRID, n, width, columns);
            others += phases_of(&sum, ADD_HALVES) != named_halvings(n, width) ||
                      phases_of(&prefix, PAIR_SUMS) != named_halvings(n, width) ||
                      phases_of(&prefix, PAIR_SPREAD) != named_halvings(n, width) ||
                      phases_of(&hybrid, ADD_HALVES) != named_halvings(left, width) ||
                      phases_of(&prefix_hybrid, PAIR_SUMS) != named_halvings(left, width) ||
                      phases_of(&hybrid, COLUMN_SUMS) != (n > columns) ||
                      phases_of(&prefix_hybrid, COLUMN_PREFIX) != (n > columns);
        }
    check(others == 0, "Simple-Tree and Hybrid halve log log w times before their tree (%d plans, %d others)",
          plans, others);
}

/* ---- no more than Table 1 says ---- */

static double table_1(enum sum_algorithm algorithm, double n, double w, double l)
{
    switch (algorithm) {
    case SUM_SIMPLE:
        return fmax(0, log2(n / w));
    case SUM_TREE:
        return log2(n) / log2(w);
    case SUM_SIMPLE_TREE:
        return log2(n) / log2(w) + log2(log2(w));
    default:
        return log2(l) / log2(w) + log2(log2(w));
    }
}

/* The constants before the bounds, of sums and of prefix sums: those of tests/bounds. */
static const double constants[2][4] = {{1, 1, 1, 1.4}, {2, 2, 2, 3.1}};

static void check_algorithm(bool prefix, enum sum_algorithm algorithm)
{
    double constant = constants[prefix][algorithm], most = 0;
    int plans = 0, over = 0;
    for (unsigned w = 4; w <= 64; w *= 2)
        for (unsigned l = 1; l <= 10000; l += 1 + l / 13)
            for (unsigned n = 1; n < 1u << 24; n += 1 + n / 9, plans++) {
                int has = barriers(prefix, algorithm, n, w, w * l);
                double bound = table_1(algorithm, n, w, l);
                over += has > constant * bound;
                most = has ? fmax(most, has / bound) : most;
            }
    check(over == 0, "%s by %s have no more barriers than %g times Table 1's (%d plans, up to %.3f times)",
          prefix ? "prefix sums" : "sums", names[algorithm], constant, plans, most);
}

/* ---- remarks ---- */

static void check_independence(bool prefix)
{
    int plans = 0, others = 0;
    for (unsigned w = 4; w <= 64; w *= 2)
        for (unsigned l = 1; l <= 1000; l += 1 + l / 3) {
            int first = barriers(prefix, SUM_HYBRID, w * l + 1, w, w * l);
            for (unsigned n = w * l + 1; n < 1u << 26; n += 1 + n / 9, plans++)
                others += barriers(prefix, SUM_HYBRID, n, w, w * l) != first;
        }
    check(others == 0, "%s by Hybrid have as many barriers for any n above w l (%d plans)",
          prefix ? "prefix sums" : "sums", plans);
}

/* Section 1: log l / log w + log log w "for l = 10000 and w = 32 is no more than 6". */
static void check_six(void)
{
    double value = table_1(SUM_HYBRID, 0, 32, 10000);
    int has = barriers(false, SUM_HYBRID, 1u << 24, 32, 32 * 10000);
    check(value <= 6 && has <= 6,
          "for l = 10,000 and w = 32 Hybrid's bound is no more than 6 (%.2f), nor are its barriers (%d)",
          value, has);
}

int main(void)
{
    check_named();
    for (int prefix = 0; prefix < 2; prefix++)
        for (int a = SUM_SIMPLE; a <= SUM_HYBRID; a++)
            check_algorithm(prefix, (enum sum_algorithm)a);
    check_independence(false);
    check_independence(true);
    check_six();
    check_halvings();
    return checks_done();
}
