#include "report/compare.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/cards.h"
#include "report/figures.h"
#include "report/questions.h"
#include "report/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs of points: one from each device's result ---- */

enum verdict_of_b { FASTER, SLOWER, SAME, UNCLEAR, AS_CARDS, VERDICTS };
static const char *const verdict_names[] = {"faster", "slower", "same", "unclear", "as cards differ"};

/* A ratio of two times between 1 / ALIKE and ALIKE counts as no difference, because the times of a single
 * card differ by as much when its clock drifts. */
#define ALIKE 1.02

struct match {
    const char *variant;
    double blocks_a, blocks_b;
    struct timing ratio; /* device B's time divided by device A's */
    enum verdict_of_b verdict;
};

/* The results of one experiment on both compared devices, A and B. */
struct pair {
    const char *name;
    struct result *a, *b;
    /* the factors by which two cards of one model differ in a point, and in the mean of all points; NaN if
     * unknown */
    double cards, mean_cards;
    struct match *points;
    size_t count;
    size_t wrong; /* number of points that are left out because their results are wrong on A or B */
    const char *question;
};

static enum verdict_of_b verdict_on(struct timing ratio, double cards)
{
    if (ratio.low >= 1 / ALIKE && ratio.high <= ALIKE)
        return SAME;
    if (ratio.low <= ALIKE && ratio.high >= 1 / ALIKE)
        return UNCLEAR;
    if (ratio.us < cards && ratio.us > 1 / cards)
        return AS_CARDS;
    return ratio.us < 1 ? FASTER : SLOWER;
}

static struct match compare_points(const struct pair *pair, const cJSON *x, const cJSON *y)
{
    struct match m = {.variant = text_of(x, "variant"),
                      .blocks_a = number_of(x, "blocks"),
                      .blocks_b = number_of(y, "blocks"),
                      .ratio = time_ratio(compared_time(pair->b, y), compared_time(pair->a, x))};
    m.verdict = verdict_on(m.ratio, pair->cards);
    return m;
}

/* Returns whether the point's time is meaningless because its result is wrong. An unordered variant's time
 * keeps its meaning even then: it is the time that the variant takes without the order. */
static bool was_wrong(const cJSON *point)
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

/* Compares all points that the results of both devices have. If the times are in different units, says so in
 * `file` and returns false. */
static bool match_points(struct pair *pair, FILE *file)
{
    FOR_EACH_POINT(x, pair->a)
    {
        const cJSON *y = counterpart(pair, x);
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
        pair->points = with_room(pair->points, sizeof *pair->points, pair->count, 1);
        pair->points[pair->count++] = compare_points(pair, x, y);
    }
    return true;
}

/* The sums from which geometric means are computed: the logarithms of ratios, and of the ends of the ratios'
 * intervals. */
struct mean {
    struct timing logs;
    size_t count;
};

static void add_to_mean(struct mean *mean, struct timing ratio)
{
    mean->logs.us += log(ratio.us);
    mean->logs.low += log(ratio.low);
    mean->logs.high += log(ratio.high);
    mean->count++;
}

static struct timing mean_of(const struct mean *mean)
{
    double n = (double)mean->count;
    return (struct timing){exp(mean->logs.us / n), exp(mean->logs.low / n), exp(mean->logs.high / n)};
}

/* ---- the table of one experiment: its points and its best variants ---- */

static void add_match(struct table *t, const struct match *m)
{
    char low[32], high[32];
    table_row(t);
    table_text(t, "  %s", m->variant);
    if (m->blocks_a == m->blocks_b)
        table_text(t, "%g blocks", m->blocks_a);
    else
        table_text(t, "%g and %g blocks", m->blocks_a, m->blocks_b);
    table_number(t, m->ratio.us, 3);
    table_text(t, "[%s, %s]", fixed(low, m->ratio.low, 3), fixed(high, m->ratio.high, 3));
    table_text(t, "%s", verdict_names[m->verdict]);
}

static double largest_size(const struct result *r)
{
    double most = 0;
    FOR_EACH_POINT(p, r) most = fmax(most, number_of(p, "size"));
    return most;
}

static const cJSON *best_point(const struct result *r, const char *variant, double size, double sms)
{
    bool micro = strncmp(r->experiment, "micro-", strlen("micro-")) == 0;
    return micro ? result_point(r, variant, sms, -1, size) : fastest_of(r, variant, size);
}

/* Adds a row for each variant: the ratio of its best point on device B to its best point on device A. In a
 * micro-benchmark, the best point is the one with as many blocks as A has multiprocessors. */
static void add_best(struct table *t, const struct pair *pair)
{
    size_t count;
    const char **names = result_variants(pair->a, &count);
    bool repetitions = size_counts_repetitions(pair->a);
    double size = repetitions ? -1 : largest_size(pair->a);
    for (size_t i = 0; i < count && (repetitions || size == largest_size(pair->b)); i++) {
        const cJSON *x = best_point(pair->a, names[i], size, pair->a->sms),
                    *y = best_point(pair->b, names[i], size, pair->a->sms);
        if (!x || !y || was_wrong(x) || was_wrong(y))
            continue;
        struct match m = compare_points(pair, x, y);
        add_match(t, &m);
    }
    free(names);
}

static void print_details(const struct pair *pair, bool all_points, FILE *file)
{
    size_t of[VERDICTS] = {0};
    struct mean mean = {0};
    char text[32];
    struct table t = {NULL, 0};
    for (size_t i = 0; i < pair->count; i++) {
        of[pair->points[i].verdict]++;
        add_to_mean(&mean, pair->points[i].ratio);
    }
    fprintf(file, "\n%s: %zu points in common: B is", pair->name, pair->count);
    for (int v = 0; v < AS_CARDS; v++)
        fprintf(file, "%s %s at %zu", v ? "," : "", verdict_names[v], of[v]);
    if (!isnan(pair->cards))
        fprintf(file, ", and differs as cards of one model do (within %s) at %zu",
                fixed(text, pair->cards, 2), of[AS_CARDS]);
    fprintf(file, "; geometric mean of the ratios %s\n", fixed(text, mean_of(&mean).us, 3));
    if (pair->wrong)
        fprintf(file, "  %zu points whose results were wrong are left out\n", pair->wrong);
    if (!strstr(pair->name, "@sizes"))
        add_best(&t, pair);
    for (size_t i = 0; all_points && i < pair->count; i++)
        add_match(&t, &pair->points[i]);
    table_print(&t, FORM_TEXT, file);
    table_free(&t);
}

/* ---- the summary of the comparison: a line for each question ---- */

/* Returns the question that the experiment's first figure helps to answer, or "" if the experiment has no
 * figure. *place becomes the figure's place in the list of figures. */
static const char *question_of(const struct result *r, const char *name, size_t *place)
{
    for (*place = 0; *place < figures_count; (*place)++) {
        const struct figure *f = &figures[*place];
        bool family = *f->result == '*' && strncmp(f->result + 1, r->family, strlen(r->family)) == 0;
        if (strcmp(f->result, name) == 0 || strcmp(f->result, r->experiment) == 0 || family)
            return f->question;
    }
    return "";
}

/* Prints the summary's line of one question: the mean ratio with its interval and, if known, the factor
 * `cards` by which cards of one model differ. */
static void print_line(const char *label, const struct mean *mean, double cards, FILE *file)
{
    struct timing ratio = mean_of(mean);
    char is[32], low[32], high[32];
    static const char *const words[] = {"B is %s times as fast", "B takes %s times as long", "alike (%s)",
                                        "unclear (%s)", "as cards of one model differ (%s)"};
    enum verdict_of_b verdict = verdict_on(ratio, cards);
    fprintf(file, "  %-46s ", label);
    fprintf(file, words[verdict], fixed(is, verdict == FASTER ? 1 / ratio.us : ratio.us, 2));
    fprintf(file, ", %zu points, ratio %s to %s", mean->count, fixed(low, ratio.low, 3),
            fixed(high, ratio.high, 3));
    if (!isnan(cards))
        fprintf(file, "; cards differ by %s", fixed(is, cards, 2));
    fputc('\n', file);
}

static void print_summary(const struct pair *pairs, size_t count, FILE *file)
{
    fputs("\nIn short, geometric means of B's time over A's:\n", file);
    for (size_t i = 0; i < count; i++) {
        struct mean mean = {0};
        double cards = NAN;
        bool first = true;
        for (size_t j = 0; j < count; j++) {
            if (strcmp(pairs[j].question, pairs[i].question) != 0)
                continue;
            first = first && j >= i;
            /* the largest factor between two cards of one model; fmax ignores an unknown factor, NaN */
            cards = fmax(cards, pairs[j].mean_cards);
            for (size_t p = 0; p < pairs[j].count; p++)
                add_to_mean(&mean, pairs[j].points[p].ratio);
        }
        if (first)
            print_line(question_text(pairs[i].question), &mean, cards, file);
    }
}

/* ---- conditions ---- */

static void print_conditions(const struct pair *pair, FILE *file)
{
    const char *const texts[] = {"device.name", "device.uuid", "revision"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(text_of(pair->a->json, texts[i]), text_of(pair->b->json, texts[i])) != 0)
            fprintf(file, "note: %s: %s differs: %s, %s\n", pair->name, texts[i],
                    text_of(pair->a->json, texts[i]), text_of(pair->b->json, texts[i]));
    if (is_true(pair->a->json, "dirty") || is_true(pair->b->json, "dirty"))
        fprintf(file, "note: %s: built from changed sources\n", pair->name);
    const cJSON *parameter;
    cJSON_ArrayForEach(parameter, pair->a->parameters)
    {
        const cJSON *other = cJSON_GetObjectItem(pair->b->parameters, parameter->string);
        if (!cJSON_Compare(parameter, other, true) && strcmp(parameter->string, "blocks") != 0 &&
            strcmp(parameter->string, "variants") != 0)
            fprintf(file, "note: %s: the parameter %s differs\n", pair->name, parameter->string);
    }
}

/* ---- folders ---- */

static void close_pair(struct pair *pair)
{
    result_close(pair->a);
    result_close(pair->b);
    free(pair->points);
}

/* Returns whether the file is not itself a result but describes the folder's results: cards.json or
 * robustness.json. */
static bool is_beside_results(const char *folder, const char *name)
{
    return (strcmp(name, "cards") == 0 || strcmp(name, "robustness") == 0) && has_file(folder, name);
}

/* Opens the results of an experiment in the folders `a` and `b` and compares their points. Returns false if
 * nothing can be compared. */
static bool open_pair(struct pair *pair, const char *a, const char *b, const char *name, const cJSON *cards,
                      FILE *file)
{
    *pair = (struct pair){.name = name,
                          .cards = cards_factor(cards, name, "factor"),
                          .mean_cards = cards_factor(cards, name, "mean_factor")};
    if (!result_is_one(a, name) || !result_is_one(b, name)) {
        if (has_file(b, name) && !is_beside_results(b, name))
            fprintf(file, "left out: %s.json is no result\n", name);
        return false;
    }
    pair->a = result_open(a, name);
    pair->b = result_open(b, name);
    if (pair->a && pair->b && pair->a->machine != pair->b->machine)
        fail(EXIT_BAD_INPUT, "%s: one is measured, the other predicted: not comparable", name);
    if (pair->a && pair->b && match_points(pair, file) && pair->count)
        return true;
    close_pair(pair);
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    size_t at_x, at_y;
    question_of(x->a, x->name, &at_x);
    question_of(y->a, y->name, &at_y);
    return at_x != at_y ? (at_x > at_y) - (at_x < at_y) : strcmp(x->name, y->name);
}

void compare_folders(const char *a, const char *b, bool all_points, FILE *file)
{
    size_t count, compared = 0, place;
    check_folder(a);
    check_folder(b);
    char **names = result_names(a, &count);
    cJSON *cards = cards_of_either(a, b);
    struct pair *pairs = allocate((count + 1) * sizeof *pairs);
    fprintf(file, "A: %s\nB: %s\nratio: time of B over time of A; below 1, B is faster\n", a, b);
    for (size_t i = 0; i < count; i++)
        compared += open_pair(&pairs[compared], a, b, names[i], cards, file);
    if (!compared)
        fail(EXIT_BAD_INPUT, "%s and %s have no experiment or no point in common", a, b);
    for (size_t i = 0; i < compared; i++)
        pairs[i].question = question_of(pairs[i].a, pairs[i].name, &place);
    qsort(pairs, compared, sizeof *pairs, by_place);
    print_summary(pairs, compared, file);
    for (size_t i = 0; i < compared; i++)
        print_details(&pairs[i], all_points, file);
    fputc('\n', file);
    for (size_t i = 0; i < compared; i++) {
        print_conditions(&pairs[i], file);
        close_pair(&pairs[i]);
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(pairs);
    cJSON_Delete(cards);
}

void print_best_ratios(const char *a, const char *b, enum form form, FILE *file)
{
    static const char *const programs[] = {"micro-barrier", "fft",        "swat",
                                           "bitonic",       "swat-batch", "pairhmm"};
    struct table t = {NULL, 0};
    cJSON *cards = cards_of_either(a, b);
    table_row(&t);
    table_text(&t, "program, variant");
    table_text(&t, "where");
    table_text(&t, "time of %s over %s", check_folder(b), check_folder(a));
    table_text(&t, "interval");
    table_text(&t, "verdict");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct pair pair = {.name = programs[i],
                            .a = result_open(a, programs[i]),
                            .b = result_open(b, programs[i]),
                            .cards = cards_factor(cards, programs[i], "factor")};
        if (pair.a && pair.b) {
            table_row(&t);
            table_text(&t, "%s", programs[i]);
            add_best(&t, &pair);
        }
        close_pair(&pair);
    }
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(cards);
}
