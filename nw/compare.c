#include "nw/compare.h"
#include "base/parallel.h"

#include <stdatomic.h>

static struct {
    const int *s, *expected;
    const size_t *columns;
    size_t pitch;
    atomic_ullong wrong;
} comparison;

static void compare_row(size_t number)
{
    size_t first = (number + 1) * comparison.pitch + 1;
    unsigned long long wrong = 0;
    for (size_t at = first; at < first + comparison.columns[number]; at++)
        wrong += comparison.s[at] != comparison.expected[at];
    atomic_fetch_add(&comparison.wrong, wrong);
}

unsigned long long nw_count_wrong(const struct nw_problem *problem, const int *s, const int *expected,
                                  const size_t *columns)
{
    comparison.s = s;
    comparison.expected = expected;
    comparison.columns = columns;
    comparison.pitch = problem->n + 1;
    atomic_store(&comparison.wrong, 0);
    parallel_for(problem->m, compare_row);
    return atomic_load(&comparison.wrong);
}
