#include "swat/batch/blocked.h"

#include <string.h>

static bool table_can_have(long long score)
{
    const long long limit = 1LL << (BLOCKED_TABLE_SCORE_BITS - 1);
    return score >= -limit && score < limit;
}

/* The kernel's scores are H(i,j) - (i + j) extend. Gaps from an edge keep them above a few openings; a score
 * gains at most what matches alone would gain. Lanes continue beyond the last column. */
static bool scores_fit(const struct sw_task *task)
{
    const struct sw_scores *s = &task->scores;
    long long rows = task->reference_length, columns = task->alternate_length + WARP_LANES;
    long long opening = (long long)s->open - s->extend;
    if (opening > 0 || s->extend > 0)
        return false;
    if (!table_can_have(opening) || !table_can_have(-(long long)s->extend) ||
        !table_can_have((long long)s->match - 2LL * s->extend) ||
        !table_can_have((long long)s->mismatch - 2LL * s->extend))
        return false;
    long long best = s->match > s->mismatch ? s->match : s->mismatch,
              worst = s->match < s->mismatch ? s->match : s->mismatch;
    best = best > 0 ? best : 0;
    worst = worst < 0 ? worst : 0;
    long long most = best * (rows < columns ? rows : columns) - (rows + columns + 2) * s->extend,
              least = 4 * opening + worst, limit = 1LL << (SCORE_BITS - 1);
    return most < limit && least > -limit;
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
           scores_fit(task) && letters_known(tasks->letters + task->reference_at, task->reference_length) &&
           letters_known(tasks->letters + task->alternate_at, task->alternate_length);
}
