#include "swat/scores/ranking.h"
#include "base/memory.h"

#include <stdlib.h>

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

/* Returns digit number `digit` of a score's sort key, which is smaller for a larger score. */
static unsigned digit_of(int score, int digit)
{
    return ~(unsigned)score >> digit * DIGIT_BITS & (DIGITS - 1);
}

/* Sorts by one digit of the scores, as a pass of a radix sort, which keeps the order of equal digits. `from`
 * and `to` are the order before and after the pass; if `from` is NULL, the order before is 0, 1, 2, ... */
static void sort_by_digit(const int *scores, size_t count, int digit, const unsigned *from, unsigned *to)
{
    size_t *begin = allocate(((size_t)DIGITS + 1) * sizeof *begin);
    for (size_t i = 0; i < count; i++)
        begin[digit_of(scores[i], digit) + 1]++;
    for (size_t d = 0; d < DIGITS; d++)
        begin[d + 1] += begin[d];
    for (size_t i = 0; i < count; i++) {
        unsigned number = from ? from[i] : (unsigned)i;
        to[begin[digit_of(scores[number], digit)]++] = number;
    }
    free(begin);
}

unsigned *rank_scores(const int *scores, size_t count)
{
    unsigned *by_low = allocate(count * sizeof *by_low), *by_all = allocate(count * sizeof *by_all);
    sort_by_digit(scores, count, 0, NULL, by_low);
    sort_by_digit(scores, count, 1, by_low, by_all);
    free(by_low);
    return by_all;
}

bool is_ranking(const unsigned *ranking, const int *scores, size_t count)
{
    bool *seen = allocate(count * sizeof *seen), right = true;
    for (size_t i = 0; i < count; i++) {
        right = right && ranking[i] < count && !seen[ranking[i]];
        if (right)
            seen[ranking[i]] = true;
        if (right && i)
            right = scores[ranking[i - 1]] > scores[ranking[i]] ||
                    (scores[ranking[i - 1]] == scores[ranking[i]] && ranking[i - 1] < ranking[i]);
    }
    free(seen);
    return right;
}
