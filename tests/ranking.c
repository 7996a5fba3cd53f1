/* Tests the ranking of a search (swat/scores/ranking.h) with the order of qsort: scores of every number of
 * bits, equal ones among them. Also tests that any other order of the indices is noticed. */
#include "base/memory.h"
#include "base/random.h"
#include "swat/scores/ranking.h"
#include "tests/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const int *ranked; /* the scores that by_score() compares */

static int by_score(const void *a, const void *b)
{
    unsigned i = *(const unsigned *)a, j = *(const unsigned *)b;
    return ranked[i] != ranked[j] ? (ranked[i] < ranked[j] ? 1 : -1) : i < j ? -1 : 1;
}

static void check_ranking(const int *scores, size_t count, const char *sentence)
{
    unsigned *found = rank_scores(scores, count), *expected = allocate(count * sizeof *expected);
    for (size_t i = 0; i < count; i++)
        expected[i] = (unsigned)i;
    ranked = scores;
    qsort(expected, count, sizeof *expected, by_score);
    check(memcmp(found, expected, count * sizeof *expected) == 0, "%s are ranked as by qsort", sentence);
    check(is_ranking(expected, scores, count), "this order is a ranking");
    bool noticed = true;
    for (size_t i = 1; i < count; i++) {
        unsigned kept = expected[i - 1];
        expected[i - 1] = expected[i];
        noticed &= !is_ranking(expected, scores, count);
        expected[i] = kept;
        noticed &= !is_ranking(expected, scores, count);
        expected[i] = expected[i - 1];
        expected[i - 1] = kept;
    }
    check(noticed, "no order with two neighbours exchanged, or with an index twice, is one");
    free(expected);
    free(found);
}

int main(void)
{
    enum { COUNT = 310 };
    static const int edges[] = {0,      1,      65535, 65536, 65537,       131072, 65536,
                                131071, 131073, 7,     0,     INT_MAX - 1, 65535,  INT_MAX};
    int scores[COUNT];
    struct random random = {1};
    check_ranking(edges, sizeof edges / sizeof *edges, "scores around the largest of 16 bits");
    for (int i = 0; i < COUNT; i++) /* ten scores of each number of bits from 1 to 31 */
        scores[i] = (int)(random_next(&random) >> (63 - i % 31));
    check_ranking(scores, COUNT, "scores of 1 to 31 bits");
    for (int i = 0; i < COUNT; i++)
        scores[i] = i % 3 << 16 | i % 2;
    check_ranking(scores, COUNT, "scores of which many are equal");
    check_ranking(edges, 1, "scores of one pair");
    return checks_done();
}
