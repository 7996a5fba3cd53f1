#include "swat/batch/blocked.h"

#include <string.h>

static bool table_can_have(long long score)
{
    const long long limit = 1LL << (BLOCKED_TABLE_SCORE_BITS - 1);
    return score >= -limit && score < limit;
}

/* The scores of the blocked kernel, which are H'(i,j) = H(i,j) - (i + j) extend, fit into SCORE_BITS bits.
 * Each letter of a path adds at most one score of the table to H', and H' is never less than a few gap
 * openings, because gaps may begin at an edge. WARP_LANES is added because lanes continue beyond the last
 * column. */
_Static_assert((BLOCKED_MOST_ROWS + BLOCKED_MOST_COLUMNS + WARP_LANES) * (1LL << BLOCKED_TABLE_SCORE_BITS) <
                   1LL << (SCORE_BITS - 1),
               "sums of scores that fit the table fit beside a tag");

static bool scores_fit(const struct sw_scores *s)
{
    long long opening = (long long)s->open - s->extend;
    return opening <= 0 && s->extend <= 0 && table_can_have(opening) &&
           table_can_have(-(long long)s->extend) && table_can_have((long long)s->match - 2LL * s->extend) &&
           table_can_have((long long)s->mismatch - 2LL * s->extend);
}

static bool letters_known(const unsigned char *letters, int count)
{
    for (int i = 0; i < count; i++)
        switch (letters[i]) {
        case 'A':
        case 'C':
        case 'G':
        case 'T':
        case 'N':
            break;
        default:
            return false;
        }
    return true;
}

static bool has_n(const unsigned char *letters, int count)
{
    return memchr(letters, 'N', (size_t)count);
}

int blocked_letters(const struct sw_tasks *tasks, const struct sw_task *task)
{
    bool n = has_n(tasks->letters + task->reference_at, task->reference_length) ||
             has_n(tasks->letters + task->alternate_at, task->alternate_length);
    return n ? BLOCKED_LETTERS : BLOCKED_LETTERS - 1;
}

bool blocked_can_do(const struct sw_tasks *tasks, const struct sw_task *task)
{
    return task->reference_length <= BLOCKED_MOST_ROWS && task->alternate_length <= BLOCKED_MOST_COLUMNS &&
           scores_fit(&task->scores) &&
           letters_known(tasks->letters + task->reference_at, task->reference_length) &&
           letters_known(tasks->letters + task->alternate_at, task->alternate_length);
}
