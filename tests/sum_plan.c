/*
 * Compares the number of barriers in the plans of sum/phases.c with Nakano 2013. A plan must have the
 * barriers that the paper's listing executes, minus the barriers that the plan leaves out, plus the barriers
 * that it adds (report/papers/listing.h). The plans are for widths from 4 to 64, latencies up to 10,000, and
 * far more numbers than fit into a run. tests/bounds checks that the runs have this number of barriers.
 */
#include "report/papers/listing.h"
#include "sum/phases.h"
#include "tests/check.h"

#include <math.h>

static const char *const names[] = {"simple", "tree", "simple-tree", "hybrid"};

static int barriers(bool prefix, enum sum_algorithm algorithm, unsigned n, unsigned width, unsigned columns)
{
    return (prefix ? plan_prefix_sums : plan_sum)(algorithm, n, width, columns).steps - 1;
}

/* ---- numbers of barriers that the listings of Nakano 2013 execute ---- */

/* Checks the numbers of barriers of the listings in Nakano 2013 for n = w^k numbers. Lemma 2: log n - log w -
 * 1. Lemma 3: log n / log w. Theorem 4: log log w more than Lemma 3 for n / log w numbers. Theorem 5: as many
 * as Theorem 4 for w l numbers. */
static void check_listings(void)
{
    int simple = listed_barriers("sum-simple", 1u << 20, 32, 100).listing,
        tree = listed_barriers("sum-tree", 1u << 20, 32, 100).listing,
        simple_tree = listed_barriers("sum-simple-tree", 1u << 20, 16, 100).listing,
        hybrid = listed_barriers("sum-hybrid", 1u << 20, 16, 256).listing;
    check(simple == 20 - 5 - 1 && tree == 4 && simple_tree == 2 + 5 && hybrid == 2 + 3,
          "the listings of Lemmas 2 and 3 and Theorems 4 and 5 have the paper's barriers (%d, %d, %d, %d)",
          simple, tree, simple_tree, hybrid);
    simple = listed_barriers("prefix-simple", 1u << 20, 32, 100).listing;
    tree = listed_barriers("prefix-tree", 1u << 20, 32, 100).listing;
    simple_tree = listed_barriers("prefix-simple-tree", 1u << 20, 16, 100).listing;
    hybrid = listed_barriers("prefix-hybrid", 1u << 20, 16, 256).listing;
    check(simple == 2 * (20 - 5 - 1) && tree == 4 + 3 && simple_tree == 2 * 2 + 5 + 4 &&
              hybrid == 1 + 2 * 2 + 3 + 2,
          "so have those of Lemmas 6 and 7 and Theorems 8 and 9 (%d, %d, %d, %d)", simple, tree, simple_tree,
          hybrid);
}

static void check_algorithm(bool prefix, enum sum_algorithm algorithm)
{
    char variant[32];
    int plans = 0, others = 0;
    snprintf(variant, sizeof variant, "%s-%s", prefix ? "prefix" : "sum", names[algorithm]);
    for (unsigned w = 4; w <= 64; w *= 2)
        for (unsigned l = 1; l <= 10000; l += 1 + l / 13)
            for (unsigned n = w; n < 1u << 24; n += 1 + n / 9, plans++)
                others += barriers(prefix, algorithm, n, w, w * l) != expected_barriers(variant, n, w, l);
    check(others == 0, "%s has the barriers of its listing, less those left out, plus those added (%d plans)",
          variant, plans);
}

/* Returns how many times Lemma 5 of Nakano 2013 halves the numbers before the tree, which is about log log w
 * times. Hybrid must halve the sums of its columns just as often. */
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

/* Checks a remark in section 1 of Nakano 2013: log l / log w + log log w "for l = 10000 and w = 32 is no
 * more than 6". */
static void check_six(void)
{
    double value = log2(10000) / log2(32) + log2(log2(32));
    int listing = listed_barriers("sum-hybrid", 1u << 24, 32, 10000).listing,
        has = barriers(false, SUM_HYBRID, 1u << 24, 32, 32 * 10000);
    check(value <= 6 && listing == 7 && has == 6,
          "for l = 10,000 and w = 32 Hybrid's formula is no more than 6 (%.2f), its listing has %d barriers, "
          "here %d",
          value, listing, has);
}

int main(void)
{
    check_listings();
    for (int prefix = 0; prefix < 2; prefix++)
        for (int a = SUM_SIMPLE; a <= SUM_HYBRID; a++)
            check_algorithm(prefix, (enum sum_algorithm)a);
    check_independence(false);
    check_independence(true);
    check_six();
    check_halvings();
    return checks_done();
}
