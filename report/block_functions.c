/* Formula functions that compare points with several numbers of blocks. */
#include "report/formula.h"
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- formula functions that compare two variants ---- */

static struct value crossing(const struct call *call)
{
    const struct result *r = call->result;
    const char *a = call->argument[1], *b = call->argument[2];
    if (!result_has(r, a) || !result_has(r, b))
        return value_missing(result_has(r, a) ? b : a, call->argument[0]);
    FOR_EACH_POINT(p, r)
    if ((point_is(p, a) || point_is(p, b)) && number_of(p, "blocks") <= r->sms)
        sources_note(call->sources, r, p, true);
    return value_exactly(crossing_at(r, a, b));
}

/*
 * Compares each point of variant A (second argument of the call) with the point of variant B (third argument)
 * with as many blocks and the same size, if the number of blocks is in `fewest` to `most`. Calls `visit` for
 * each such pair, with the number of blocks and with whether A takes longer by more than the factor BETTER.
 * Returns whether there is any pair.
 */
static bool each_pair(const struct call *call, double fewest, double most,
                      void (*visit)(double blocks, bool longer, double *state), double *state)
{
    const struct result *r = call->result;
    bool any = false;
    FOR_EACH_POINT(p, r)
    {
        double blocks = number_of(p, "blocks");
        const cJSON *other = point_is(p, call->argument[1])
                                 ? result_point(r, call->argument[2], blocks, -1, number_of(p, "size"))
                                 : NULL;
        if (!other || blocks < fewest || blocks > most)
            continue;
        any = true;
        sources_note(call->sources, r, p, true);
        visit(blocks, !(compared_time(r, p).us <= BETTER * compared_time(r, other).us), state);
    }
    return any;
}

static struct value no_pair(const struct call *call)
{
    return value_missing(result_has(call->result, call->argument[1]) ? call->argument[2] : call->argument[1],
                         call->argument[0]);
}

static void count_longer(double blocks, bool longer, double *count)
{
    (void)blocks;
    *count += longer;
}

static struct value slower_between(const struct call *call, double fewest, double most)
{
    double count = 0;
    return each_pair(call, fewest, most, count_longer, &count) ? value_exactly(count) : no_pair(call);
}

FORMULA_FUNCTION(slower, slower_between(call, 0, INFINITY))
FORMULA_FUNCTION(slower_in_range, slower_between(call, call_number(call, 3), call_number(call, 4)))
static void note_last_not_longer(double blocks, bool longer, double *last)
{
    *last = longer ? *last : fmax(*last, blocks);
}

/* Called for each measured number of blocks, to find the smallest one from which on A always takes longer
 * than B. state[0] is the largest number of blocks at which A does not take longer. state[1] becomes the
 * smallest number of blocks above state[0]. */
static void note_first_after(double blocks, bool longer, double *state)
{
    if (longer && blocks > state[0])
        state[1] = fmin(state[1], blocks);
}

static struct value longer_from(const struct call *call)
{
    double state[2] = {0, INFINITY};
    if (!each_pair(call, 0, INFINITY, note_last_not_longer, state))
        return no_pair(call);
    each_pair(call, 0, INFINITY, note_first_after, state);
    return value_exactly(state[1]);
}

/* ---- formula functions over the numbers of blocks of one variant ---- */

/* The points of a variant that a function compares. The function's arguments FEWEST and MOST bound their
 * number of blocks. If `less` is not NULL, the time of this variant with as many blocks is subtracted. */
struct range {
    const struct result *result;
    const char *variant, *less;
    double fewest, most;
};

static struct range range_of(const struct call *call)
{
    int last = call->count - 1;
    return (struct range){call->result, call->argument[1], call->count == 5 ? call->argument[2] : NULL,
                          call_number(call, last - 1), call_number(call, last)};
}

static bool is_in(const struct range *range, const cJSON *point)
{
    double blocks = number_of(point, "blocks");
    return point_is(point, range->variant) && blocks >= range->fewest && blocks <= range->most;
}

static struct timing time_in(const struct range *range, const cJSON *point)
{
    const struct result *r = range->result;
    struct timing time = compared_time(r, point);
    if (!range->less)
        return time;
    const cJSON *less =
        result_point(r, range->less, number_of(point, "blocks"), -1, number_of(point, "size"));
    return time_beyond(time, compared_time(r, less));
}

/* Returns the largest quotient of two times of the range, among those pairs of points for which `counts` is
 * true. Returns at least 1. */
static struct value largest_quotient(const struct call *call, bool (*counts)(double blocks, double divisors))
{
    const struct result *r = call->result;
    struct timing largest = {1, 1, 1};
    bool any = false;
    const struct range range = range_of(call);
    FOR_EACH_POINT(p, r)
    {
        struct timing time = time_in(&range, p);
        if (!is_in(&range, p) || isnan(time.us))
            continue;
        any = true;
        sources_note(call->sources, r, p, true);
        FOR_EACH_POINT(q, r)
        {
            struct timing divisor = time_in(&range, q);
            if (!is_in(&range, q) || isnan(divisor.us) ||
                !counts(number_of(p, "blocks"), number_of(q, "blocks")))
                continue;
            if (divisor.us <= 0)
                return value_missing("a run that takes longer than without synchronization",
                                     call->argument[0]);
            struct timing quotient = time_ratio(time, divisor);
            if (quotient.us > largest.us)
                largest = quotient;
        }
    }
    return any ? value_of_timing(largest) : value_missing(range.variant, call->argument[0]);
}

static bool is_of_more_blocks(double blocks, double divisors)
{
    return blocks > divisors;
}

static bool is_of_fewer_blocks(double blocks, double divisors)
{
    return blocks < divisors;
}

static bool is_of_others(double blocks, double divisors)
{
    return blocks != divisors;
}

FORMULA_FUNCTION(rise, largest_quotient(call, is_of_more_blocks))
FORMULA_FUNCTION(fall, largest_quotient(call, is_of_fewer_blocks))
FORMULA_FUNCTION(spread, largest_quotient(call, is_of_others))
static struct value flat(const struct call *call)
{
    struct call from_9_to_30 = *call;
    snprintf(from_9_to_30.argument[2], sizeof from_9_to_30.argument[2], "9");
    snprintf(from_9_to_30.argument[3], sizeof from_9_to_30.argument[3], "30");
    from_9_to_30.count = 4;
    return spread(&from_9_to_30);
}

static struct value least_at(const struct call *call)
{
    const struct result *r = call->result;
    const cJSON *least = NULL;
    const struct range range = range_of(call);
    FOR_EACH_POINT(p, r)
    {
        if (!is_in(&range, p))
            continue;
        sources_note(call->sources, r, p, true);
        if (!least || time_in(&range, p).us < time_in(&range, least).us)
            least = p;
    }
    return least ? value_exactly(number_of(least, "blocks"))
                 : value_missing(range.variant, call->argument[0]);
}

/* Returns whether one of the variants in `others`, which blanks separate, is faster than the point with as
 * many blocks. */
static bool is_beaten(const struct result *r, const cJSON *point, const char *others)
{
    char names[96], *rest;
    snprintf(names, sizeof names, "%s", others);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const cJSON *other = result_point(r, name, number_of(point, "blocks"), -1, number_of(point, "size"));
        if (compared_time(r, point).us > BETTER * compared_time(r, other).us)
            return true;
    }
    return false;
}

static struct value beaten(const struct call *call)
{
    const struct result *r = call->result;
    double count = 0, all = 0;
    const struct range range = {r, call->argument[1], NULL, call_number(call, 3), call_number(call, 4)};
    FOR_EACH_POINT(p, r)
    {
        if (!is_in(&range, p))
            continue;
        sources_note(call->sources, r, p, true);
        all++;
        count += is_beaten(r, p, call->argument[2]);
    }
    return all ? value_exactly(count) : value_missing(range.variant, call->argument[0]);
}

const struct formula_function block_functions[] = {
    {"crossing", "FILE, A, B", NULL, crossing,
     "the number of blocks from which on A takes longer than B (by more than 1 %), after it took less with "
     "fewer blocks; infinite if A never takes longer, minus infinite if it always does"},
    {"from", "FILE, A, B", NULL, longer_from,
     "the number of blocks from which on A always takes longer than B (by more than 1 %); infinite if there "
     "is none"},
    {"slower", "FILE, A, B", NULL, slower,
     "at how many points (blocks and size) A takes longer than B, by more than 1 %"},
    {"slower", "FILE, A, B, FEWEST, MOST", NULL, slower_in_range,
     "at how many points with FEWEST to MOST blocks it does"},
    {"flat", "FILE, VARIANT", NULL, flat,
     "the longest over the shortest time of an operation among the variant's points with 9 to 30 blocks"},
    {"rise", "FILE, VARIANT, FEWEST, MOST", NULL, rise,
     "by what factor the time grows at most from a number of blocks to a larger one, of all numbers from "
     "FEWEST to MOST; 1 if it only falls"},
    {"rise", "FILE, VARIANT, LESS, FEWEST, MOST", NULL, rise,
     "likewise, of the time beyond that of the variant LESS with as many blocks"},
    {"fall", "FILE, VARIANT, FEWEST, MOST", NULL, fall,
     "by what factor the time falls at most from a number of blocks to a larger one; 1 if it only grows"},
    {"fall", "FILE, VARIANT, LESS, FEWEST, MOST", NULL, fall,
     "likewise, of the time beyond that of the variant LESS with as many blocks"},
    {"spread", "FILE, VARIANT, FEWEST, MOST", NULL, spread,
     "the longest over the shortest time with FEWEST to MOST blocks"},
    {"spread", "FILE, VARIANT, LESS, FEWEST, MOST", NULL, spread,
     "likewise, of the time beyond that of the variant LESS with as many blocks"},
    {"least_at", "FILE, VARIANT, FEWEST, MOST", NULL, least_at,
     "the number of blocks, from FEWEST to MOST, with which the variant is fastest"},
    {"beaten", "FILE, VARIANT, OTHERS, FEWEST, MOST", NULL, beaten,
     "at how many numbers of blocks one of the variants OTHERS, which blanks separate, is faster by more "
     "than 1 %"},
};
const size_t block_functions_count = sizeof block_functions / sizeof *block_functions;
