#include "report/compare.h"
#include "base/memory.h"
#include "report/figures.h"
#include "harness/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {"faster", "slower", "same", "unclear", "as cards differ"};

/* A ratio of two times between 1 / ALIKE and ALIKE counts as no difference, because the times of a single
 * card differ by as much when its clock drifts. */
#define ALIKE 1.02

enum verdict_of_b verdict_on(struct timing ratio, double cards)
{
    if (ratio.low >= 1 / ALIKE && ratio.high <= ALIKE)
        return SAME;
    if (ratio.low <= ALIKE && ratio.high >= 1 / ALIKE)
        return UNCLEAR;
    if (ratio.us < cards && ratio.us > 1 / cards)
        return AS_CARDS;
    return ratio.us < 1 ? FASTER : SLOWER;
}

struct match compare_points(const struct pair *pair, const cJSON *x, const cJSON *y)
{
    struct match m = {.variant = text_of(x, "variant"),
                      .a = x,
                      .b = y,
                      .blocks_a = number_of(x, "blocks"),
                      .blocks_b = number_of(y, "blocks"),
                      .ratio = time_ratio(compared_time(pair->b, y), compared_time(pair->a, x))};
    m.verdict = verdict_on(m.ratio, pair->cards);
    return m;
}

bool was_wrong(const cJSON *point)
{
    return is_true(point, "ordered") && is_false(point, "verified");
}

/* Returns device B's point with the same variant, blocks, threads and size as device A's point x, or NULL.
 * Sizes that are numbers of repetitions may differ. */
static const cJSON *counterpart(const struct pair *pair, const cJSON *x)
{
    const char *variant = text_of(x, "variant");
    double blocks = number_of(x, "blocks"), threads = number_of(x, "threads");
    const cJSON *y = result_point(pair->b, variant, blocks, threads, number_of(x, "size"));
    return y || !size_counts_repetitions(pair->a) ? y : result_point(pair->b, variant, blocks, threads, -1);
}

bool is_chosen(const char *only, const char *result, const char *variant)
{
    if (!only)
        return true;
    const char *plain = named_plainly(variant);
    return place_in(only, ',', result, strcspn(result, "@")) >= 0 ||
           place_in(only, ',', variant, strlen(variant)) >= 0 ||
           place_in(only, ',', plain, strlen(plain)) >= 0;
}

bool match_points(struct pair *pair, FILE *file)
{
    FOR_EACH_POINT(x, pair->a)
    {
        const cJSON *y =
            is_chosen(pair->options->only, pair->name, text_of(x, "variant")) ? counterpart(pair, x) : NULL;
        if (!y)
            continue;
        if (strcmp(text_of(x, "unit"), text_of(y, "unit")) != 0) {
            fprintf(file, "left out: %s: %s is in %s there and in %s here: not comparable\n", pair->name,
                    text_of(x, "variant"), text_of(x, "unit"), text_of(y, "unit"));
            return false;
        }
        if (was_wrong(x) || was_wrong(y)) {
            pair->wrong++;
            continue;
        }
        struct match m = compare_points(pair, x, y);
        if (!isfinite(m.ratio.us))
            continue; /* the point has no time, because it counts outcomes, for example */
        pair->points = with_room(pair->points, sizeof *pair->points, pair->count, 1);
        pair->points[pair->count++] = m;
    }
    return true;
}

void add_to_mean(struct mean *mean, struct timing ratio)
{
    mean->logs.us += log(ratio.us);
    mean->logs.low += log(ratio.low);
    mean->logs.high += log(ratio.high);
    mean->count++;
}

struct timing mean_of(const struct mean *mean)
{
    double n = (double)mean->count;
    return (struct timing){exp(mean->logs.us / n), exp(mean->logs.low / n), exp(mean->logs.high / n)};
}

struct summary_line *summary_of(const struct pair *pairs, size_t count, size_t *lines_count)
{
    struct summary_line *lines = allocate((count + 1) * sizeof *lines);
    *lines_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct summary_line line = {.label = question_text(pairs[i].question), .cards = NAN};
        bool first = true;
        for (size_t j = 0; j < count; j++) {
            if (strcmp(pairs[j].question, pairs[i].question) != 0)
                continue;
            first = first && j >= i;
            /* the largest factor between two cards of one model; fmax ignores an unknown factor, NaN */
            line.cards = fmax(line.cards, pairs[j].mean_cards);
            /* what a litmus test is about is its outcome */
            if (strcmp(pairs[j].a->experiment, "micro-litmus") == 0)
                continue;
            for (size_t p = 0; p < pairs[j].count; p++)
                add_to_mean(&line.mean, pairs[j].points[p].ratio);
        }
        if (first && line.mean.count)
            lines[(*lines_count)++] = line;
    }
    return lines;
}
