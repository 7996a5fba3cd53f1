#include "report/papers/listing.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static unsigned divided_up(unsigned a, unsigned b)
{
    return (a + b - 1) / b;
}

static void count(struct listed_barriers *b, bool listed, bool here)
{
    b->listing += listed;
    b->left_out += listed && !here;
    b->added += here && !listed;
}

/* Returns log log w, rounded up: the number of halvings that Nakano 2013's Simple-Tree makes before its
 * tree. */
static unsigned halvings_before_tree(unsigned w)
{
    return (unsigned)ceil(log2(log2(w)));
}

/* ---- sums ---- */

/* Counts the barriers of Simple (Nakano 2013, Lemma 2): one after each halving that leaves more than w
 * numbers, as the listing has "if (2^t > w) syncthreads". */
static void sum_simple(struct listed_barriers *b, unsigned n, unsigned w)
{
    for (; n > 1; n = divided_up(n, 2))
        count(b, divided_up(n, 2) > w, divided_up(n, 2) > w);
}

/* Counts the barriers of Tree (Nakano 2013, Lemma 3): one for each level of the tree. The suite leaves out
 * the barrier after the root, because the kernel ends there. */
static void sum_tree(struct listed_barriers *b, unsigned n, unsigned w)
{
    do {
        n = divided_up(n, w);
        count(b, true, n > 1);
    } while (n > 1);
}

/* Counts the barriers of Simple-Tree (Nakano 2013, Theorem 4): one after each halving, then the barriers of
 * Tree. The suite leaves out barriers within one warp, as Simple does, and the barrier before the tree,
 * because its warps read what they wrote themselves. */
static void sum_simple_tree(struct listed_barriers *b, unsigned n, unsigned w)
{
    for (unsigned left = halvings_before_tree(w); left; left--) {
        n = divided_up(n, 2);
        count(b, true, n > w && left > 1);
    }
    sum_tree(b, n, w);
}

/* Counts the barriers of Hybrid (Nakano 2013, Theorem 5): the barriers of Simple-Tree over the sums of w l
 * columns. The suite adds a barrier between the columns and Simple-Tree, which the listing lacks. With fewer
 * than w l numbers Hybrid is Simple-Tree alone. */
static void sum_hybrid(struct listed_barriers *b, unsigned n, unsigned w, unsigned l)
{
    if (n > w * l)
        count(b, false, l > 1);
    sum_simple_tree(b, n < w * l ? n : w * l, w);
}

/* ---- prefix sums ---- */

/* Counts the barriers of the prefix sums by Tree (Nakano 2013, Lemma 7): one after the sums of each level
 * except the root's, and one after the prefix sums of each level. The suite leaves out the last one, because
 * no other warp reads those prefix sums. */
static void prefix_tree(struct listed_barriers *b, unsigned n, unsigned w)
{
    for (unsigned left = divided_up(n, w); left > 1; left = divided_up(left, w)) {
        count(b, true, true);
        count(b, true, true);
    }
    count(b, true, false);
}

/*
 * Counts the barriers of the prefix sums by halving: Nakano 2013, Lemma 6, where the halvings end at one
 * number, and Theorem 8, part A, where they end at a tree. Sums of pairs are computed on the way down, and
 * prefix sums are spread to pairs on the way back. The listing has "if (2^t > w) syncthreads" after each
 * halving and each spreading. The suite leaves out the barrier before the tree, as in the sums by
 * Simple-Tree. On the way back the listing's condition comes one step late, so the suite adds a barrier where
 * 2^t = w. It leaves out the last barrier unless another part of the algorithm `follows`.
 */
static void prefix_pairs(struct listed_barriers *b, unsigned n, unsigned w, unsigned steps, bool follows)
{
    unsigned half = divided_up(n, 2);
    if (!steps)
        return prefix_tree(b, n, w);
    if (n == 1)
        return;
    count(b, half > w, half > w && steps > 1);
    prefix_pairs(b, half, w, steps - 1, true);
    count(b, half > w, n > w && follows);
}

/* Counts the barriers of the prefix sums by Hybrid (Nakano 2013, Theorem 9): one after the transposition,
 * then the barriers of the algorithm on the columns' sums. As for sums, the suite adds a barrier between the
 * columns and that algorithm. */
static void prefix_hybrid(struct listed_barriers *b, unsigned n, unsigned w, unsigned l)
{
    bool columns = n > w * l;
    if (columns) {
        count(b, true, l > 1);
        count(b, false, l > 1);
    }
    prefix_pairs(b, columns ? w * l : n, w, halvings_before_tree(w), columns);
}

/* ---- all ---- */

struct listed_barriers listed_barriers(const char *variant, unsigned n, unsigned w, unsigned l)
{
    struct listed_barriers b = {0, 0, 0};
    if (strcmp(variant, "sum-simple") == 0)
        sum_simple(&b, n, w);
    else if (strcmp(variant, "sum-tree") == 0)
        sum_tree(&b, n, w);
    else if (strcmp(variant, "sum-simple-tree") == 0)
        sum_simple_tree(&b, n, w);
    else if (strcmp(variant, "sum-hybrid") == 0)
        sum_hybrid(&b, n, w, l);
    else if (strcmp(variant, "prefix-simple") == 0)
        prefix_pairs(&b, n, w, UINT_MAX, false);
    else if (strcmp(variant, "prefix-tree") == 0)
        prefix_tree(&b, n, w);
    else if (strcmp(variant, "prefix-simple-tree") == 0)
        prefix_pairs(&b, n, w, halvings_before_tree(w), false);
    else if (strcmp(variant, "prefix-hybrid") == 0)
        prefix_hybrid(&b, n, w, l);
    return b;
}

int expected_barriers(const char *variant, unsigned n, unsigned w, unsigned l)
{
    struct listed_barriers b = listed_barriers(variant, n, w, l);
    return b.listing - b.left_out + b.added;
}
