/* Makes the tables of tools/blind/README.md and docs/predict.md, which compare times that were predicted
 * before they were measured with the measured times. A folder has predicted/CARD.tsv, measured/CARD.tsv and,
 * if the card was measured twice, measured/CARD-again.tsv, with a name and nanoseconds in each row, and
 * perhaps what limits the time. One file because all tables read these points. */
#include "report/papers/papers.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "base/text.h"
#include "report/table.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the points of all batches: the points of a folder and of the folders in it ---- */

/* A point that was predicted before it was measured. */
struct blind_point {
    const char *name, *program, *kind;
    const char *bottleneck; /* what takes most of the predicted time, or "" where the batch does not say it */
    double ratio;           /* measured / predicted */
};

struct blind_points {
    struct blind_point *all;
    size_t count;
};

/* Finds the files of measurements of the folder's own batch and of the batches in its subfolders. */
static glob_t measured_of(const char *folder, const char *card)
{
    glob_t found = {0};
    const char *const batches[] = {"", "*/"};
    for (size_t b = 0; b < 2; b++)
        glob(made("%s/%smeasured/%s.tsv", folder, batches[b], card), b ? GLOB_APPEND : 0, NULL, &found);
    return found;
}

/* Returns the names of the measured cards, "h100" and so on, in order, and stores their number. The caller
 * frees the array and the names. */
static char **cards_of(const char *folder, size_t *count)
{
    glob_t found = measured_of(folder, "*");
    char **cards = allocate((found.gl_pathc + 1) * sizeof *cards);
    *count = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *file = strrchr(found.gl_pathv[i], '/') + 1,
                   *card = made("%.*s", (int)(strlen(file) - strlen(".tsv")), file);
        size_t same = 0;
        while (same < *count && strcmp(cards[same], card) != 0)
            same++;
        if (same == *count && !strstr(card, "-again"))
            cards[(*count)++] = copy_text(card);
    }
    globfree(&found);
    qsort(cards, *count, sizeof *cards, compare_texts);
    return cards;
}

static void free_cards(char **cards, size_t count)
{
    for (size_t c = 0; c < count; c++)
        free(cards[c]);
    free(cards);
}

/* Returns the time in the row of this name, in nanoseconds, or NaN if there is none. */
static double time_of(const struct tsv *times, const char *name)
{
    const struct tsv_row *row = tsv_find(times, name, 0);
    return row ? tsv_number(row, 1) : NAN;
}

/* Sets the point's program and kind. The table's row for the longest matching beginning of the point's name
 * counts; a beginning ends at a "-". */
static void classify(struct blind_point *point, const struct tsv *kinds)
{
    char *beginning = copy_text(point->name), *end = NULL;
    const struct tsv_row *row;
    while (!(row = tsv_find(kinds, beginning, 0)) && (end = strrchr(beginning, '-')))
        *end = '\0';
    point->program = row ? row->cells[1] : point->name;
    point->kind = row ? row->cells[2] : "other";
    free(beginning);
}

static int by_kind(const void *a, const void *b)
{
    const struct blind_point *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    order = order ? order : strcmp(x->program, y->program);
    return order ? order : strcmp(x->name, y->name);
}

static void add_batch(struct blind_points *points, const char *measured_file, const char *card,
                      const struct tsv *kinds)
{
    int batch = (int)(strlen(measured_file) - strlen("/measured/.tsv") - strlen(card));
    const struct tsv *predicted = tsv_need(made("%.*s/predicted/%s", batch, measured_file, card)),
                     *measured = tsv_need(made("%.*s/measured/%s", batch, measured_file, card));
    for (size_t i = 0; i < measured->count; i++) {
        const struct tsv_row *m = &measured->rows[i];
        const struct tsv_row *row = tsv_find(predicted, m->cells[0], 0);
        double time = time_of(predicted, m->cells[0]);
        if (!(time > 0))
            continue;
        points->all = with_room(points->all, sizeof *points->all, points->count, 1);
        struct blind_point *point = &points->all[points->count++];
        *point = (struct blind_point){
            .name = m->cells[0], .bottleneck = row->cells[2], .ratio = tsv_number(m, 1) / time};
        classify(point, kinds);
    }
}

/* Reads kinds.tsv of the folder or, if it has none, of the nearest folder above that has one. */
static const struct tsv *kinds_of(const char *folder)
{
    const char *last;
    while (access(made("%s/kinds.tsv", folder), F_OK) != 0 && (last = strrchr(folder, '/')))
        folder = made("%.*s", (int)(last - folder), folder);
    return tsv_need(made("%s/kinds", folder));
}

/* Returns the points of a card in all batches of the folder, sorted by kind, program and name. A point
 * whose name kinds.tsv does not have is a program of its own, of the kind "other". */
static struct blind_points points_of(const char *folder, const char *card)
{
    struct blind_points points = {0};
    glob_t found = measured_of(folder, card);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_batch(&points, found.gl_pathv[i], card, kinds_of(folder));
    globfree(&found);
    qsort(points.all, points.count, sizeof *points.all, by_kind);
    return points;
}

/* ---- one batch ---- */

/* Prints a table with a row for each program whose time was predicted and measured on all of the folder's
 * cards. */
void print_blind(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count;
    char **cards = cards_of(folder, &count);
    const struct tsv **predicted = allocate((count + 1) * sizeof *predicted),
                     **measured = allocate((count + 1) * sizeof *measured);
    table_add(&t, "program");
    for (size_t c = 0; c < count; c++) {
        predicted[c] = tsv_need(made("%s/predicted/%s", folder, cards[c]));
        measured[c] = tsv_need(made("%s/measured/%s", folder, cards[c]));
        table_cells(&t, "%c%s: predicted, ns | measured, ns | ratio", toupper(*cards[c]), cards[c] + 1);
    }
    for (size_t i = 0; count && i < predicted[0]->count; i++) {
        const char *name = predicted[0]->rows[i].cells[0];
        size_t whole = 0;
        while (whole < count && tsv_find(predicted[whole], name, 0) && tsv_find(measured[whole], name, 0))
            whole++;
        if (whole < count)
            continue;
        table_add(&t, "`%s`", name);
        for (size_t c = 0; c < count; c++) {
            const struct tsv_row *p = tsv_find(predicted[c], name, 0), *m = tsv_find(measured[c], name, 0);
            table_cells(&t, "%s | %s | %.2f", p->cells[1], m->cells[1], tsv_number(p, 1) / tsv_number(m, 1));
        }
    }
    free(predicted);
    free(measured);
    free_cards(cards, count);
    table_end(&t, form, file);
}

/* Adds a row: the errors of the times in `other` against the times in `measured`. */
static void add_errors(struct table *t, const char *card, const char *how, const struct tsv *measured,
                       const struct tsv *other)
{
    double *errors = allocate((measured->count + 1) * sizeof *errors), sum = 0, most = 0, worst = 0;
    const char *name_of_worst = "";
    size_t count = 0, within_1_25 = 0, within_1_5 = 0;
    for (size_t i = 0; i < measured->count; i++) {
        const struct tsv_row *m = &measured->rows[i];
        double ratio = time_of(other, m->cells[0]) / tsv_number(m, 1), factor = fmax(ratio, 1 / ratio);
        if (isnan(ratio))
            continue;
        errors[count] = fabs(ratio - 1);
        sum += errors[count++];
        within_1_25 += factor <= 1.25;
        within_1_5 += factor <= 1.5;
        if (factor > most) {
            most = factor;
            worst = ratio;
            name_of_worst = m->cells[0];
        }
    }
    table_add(t, "the %s %s | %zu | %.1f | %.1f | %.0f | %.0f | %.2f (%s)", card, how, count,
              100 * sum / (double)count, 100 * quantile(errors, count, 0.5),
              100 * (double)within_1_25 / (double)count, 100 * (double)within_1_5 / (double)count, worst,
              name_of_worst);
    free(errors);
}

/* Prints how far the predictions for each card are off and, for comparison, by how much two measurements on
 * one card differ if it was measured twice. */
void print_blind_errors(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count;
    char **cards = cards_of(folder, &count);
    table_add(&t,
              " | points | %s | its median, %% | within 1.25, %% | within 1.5, %% | worst, predicted / "
              "measured",
              form == FORM_MARKDOWN ? "mean of \\|p - m\\| / m, %" : "mean of |p - m| / m, %");
    for (size_t c = 0; c < count; c++) {
        const struct tsv *measured = tsv_need(made("%s/measured/%s", folder, cards[c]));
        add_errors(&t, cards[c], "predicted", measured, tsv_need(made("%s/predicted/%s", folder, cards[c])));
        if (access(made("%s/measured/%s-again.tsv", folder, cards[c]), F_OK) == 0)
            add_errors(&t, cards[c], "measured again", measured,
                       tsv_need(made("%s/measured/%s-again", folder, cards[c])));
    }
    free_cards(cards, count);
    table_end(&t, form, file);
}

/* Returns 1 if the first time is longer than the second, -1 if it is shorter, and 0 for a tie: they differ by
 * less than 5 %. */
static int which_is_longer(double first, double second)
{
    double ratio = first / second;
    return fabs(ratio - 1) < 0.05 ? 0 : ratio > 1 ? 1 : -1;
}

/* Adds the row of a card: for how many pairs of points the prediction says correctly which point takes
 * longer. */
static void add_pairs(struct table *t, const char *folder, const char *card)
{
    const struct tsv *pairs = tsv_need(made("%s/pairs", folder)),
                     *measured = tsv_need(made("%s/measured/%s", folder, card)),
                     *predicted = tsv_need(made("%s/predicted/%s", folder, card));
    int all = 0, ties = 0, same = 0, one_tie = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        char *const *names = pairs->rows[i].cells;
        double p[2] = {time_of(predicted, names[0]), time_of(predicted, names[1])},
               m[2] = {time_of(measured, names[0]), time_of(measured, names[1])};
        if (isnan(p[0] + p[1] + m[0] + m[1]))
            continue;
        int said = which_is_longer(p[0], p[1]), is = which_is_longer(m[0], m[1]);
        all++;
        ties += !is;
        same += said == is;
        one_tie += said != is && !(said && is);
    }
    table_add(t, "the %s | %d | %d | %d | %.0f | %d | %.0f", card, all, ties, same, 100.0 * same / all,
              one_tie, 100.0 * (all - same - one_tie) / all);
}

void print_blind_pairs(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count;
    tsv_need(
        made("%s/pairs", folder)); /* a folder without pairs has no such table, even if it has no cards */
    char **cards = cards_of(folder, &count);
    table_add(&t, " | pairs | measured as a tie | said rightly | rightly, %% | one is a tie | the wrong one, "
                  "%%");
    for (size_t c = 0; c < count; c++)
        add_pairs(&t, folder, cards[c]);
    free_cards(cards, count);
    table_end(&t, form, file);
}

/* ---- by kind ---- */

/* Adds the cells for the points of this kind, or for all points if `kind` is NULL. */
static void add_kind(struct table *t, const struct blind_points *points, const char *kind)
{
    double *errors = allocate((points->count + 1) * sizeof *errors), most = 0;
    const struct blind_point *worst = NULL;
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct blind_point *p = &points->all[i];
        if (kind && strcmp(p->kind, kind) != 0)
            continue;
        errors[count++] = fabs(1 / p->ratio - 1);
        if (fabs(log(p->ratio)) >= most) {
            most = fabs(log(p->ratio));
            worst = p;
        }
    }
    if (worst)
        table_cells(t, "%zu | %.0f | %.2f (%s)", count, 100 * quantile(errors, count, 0.5), 1 / worst->ratio,
                    worst->name);
    else
        table_cells(t, "0 | - | -");
    free(errors);
}

static bool is_first_of_kind(const struct blind_points *points, size_t i)
{
    return !i || strcmp(points->all[i].kind, points->all[i - 1].kind) != 0;
}

/* Has a row for each kind of the card with the most points. */
void print_blind_kinds(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count, most = 0;
    char **cards = cards_of(folder, &count);
    struct blind_points *of = allocate((count + 1) * sizeof *of);
    table_add(&t, "kind of program");
    for (size_t c = 0; c < count; c++) {
        of[c] = points_of(folder, cards[c]);
        most = of[c].count > of[most].count ? c : most;
        table_cells(&t, "%s: points | median error, %% | worst, predicted / measured", cards[c]);
    }
    for (size_t i = 0; i <= of[most].count; i++) {
        bool is_all = i == of[most].count;
        if (!is_all && !is_first_of_kind(&of[most], i))
            continue;
        table_add(&t, "%s", is_all ? "all" : of[most].all[i].kind);
        for (size_t c = 0; c < count; c++)
            add_kind(&t, &of[c], is_all ? NULL : of[most].all[i].kind);
    }
    table_end(&t, form, file);
}

/* ---- intervals ---- */

/* scripts/embed-errors computes the same intervals for the tool. */

static int by_program(const void *a, const void *b)
{
    return strcmp(((const struct blind_point *)a)->program, ((const struct blind_point *)b)->program);
}

static struct blind_points sorted_by_program(const char *folder, const char *card)
{
    struct blind_points points = points_of(folder, card);
    qsort(points.all, points.count, sizeof *points.all, by_program);
    return points;
}

static bool is_limited_by(const struct blind_point *point, const char *bottleneck)
{
    return !bottleneck || strcmp(point->bottleneck, bottleneck) == 0;
}

/* The points with a bottleneck (NULL: all points) without those of the program `without` (NULL: no
 * program), and the interval of their ratios that leaves out the share `outside` on each side. */
struct interval {
    double low, high;
    size_t points;
};

static struct interval interval_of(const struct blind_points *points, const char *bottleneck,
                                   const char *without, double outside)
{
    double *ratios = allocate((points->count + 1) * sizeof *ratios);
    struct interval of = {0};
    for (size_t i = 0; i < points->count; i++) {
        const struct blind_point *p = &points->all[i];
        if (is_limited_by(p, bottleneck) && !(without && strcmp(p->program, without) == 0))
            ratios[of.points++] = p->ratio;
    }
    qsort(ratios, of.points, sizeof *ratios, compare_numbers);
    if (of.points) {
        size_t left_out = (size_t)(outside * (double)of.points + 1e-9);
        of.low = ratios[left_out];
        of.high = ratios[of.points - 1 - left_out];
    }
    free(ratios);
    return of;
}

/* Returns how many of the points with this bottleneck are inside the interval of all other programs'
 * points. */
static size_t inside_without(const struct blind_points *points, const char *bottleneck, double outside,
                             size_t *programs)
{
    size_t inside = 0;
    const char *program = "";
    struct interval others = {0};
    *programs = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct blind_point *p = &points->all[i];
        if (!is_limited_by(p, bottleneck))
            continue;
        if (strcmp(p->program, program) != 0) { /* the points are sorted by program */
            others = interval_of(points, bottleneck, p->program, outside);
            ++*programs;
        }
        program = p->program;
        inside += p->ratio >= others.low && p->ratio <= others.high;
    }
    return inside;
}

#define INSIDE 0.8  /* share of the points that should be inside an interval */
#define OUTSIDE 0.1 /* largest share of the points that an interval leaves out on each side */

/* Adds a row: the interval that leaves out at most OUTSIDE on each side, of which most nearly INSIDE of
 * the points are inside an interval without their own program. */
static void add_interval(struct table *t, const char *card, const struct blind_points *points,
                         const char *bottleneck)
{
    size_t n = interval_of(points, bottleneck, NULL, 0).points, programs = 0, best = 0, inside = 0;
    double far = 2;
    if (!n)
        return;
    for (size_t k = (size_t)(OUTSIDE * (double)n + 1e-9) + 1; k-- > 0;) {
        size_t held = inside_without(points, bottleneck, (double)k / (double)n, &programs);
        double distance = fabs((double)held / (double)n - INSIDE);
        if (distance < far - 1e-9) {
            far = distance;
            best = k;
            inside = held;
        }
    }
    struct interval of = interval_of(points, bottleneck, NULL, (double)best / (double)n);
    table_add(t, "%s | %s | %zu | %zu | %.2f to %.2f times | %.0f", card, bottleneck ? bottleneck : "all",
              programs, n, of.low, of.high, 100 * (double)inside / (double)n);
}

void print_blind_intervals(const char *folder, enum form form, FILE *file)
{
    static const char *const bottlenecks[] = {"computing", "memory", "hand-over", "launch", NULL};
    struct table t = {NULL, 0};
    size_t count;
    char **cards = cards_of(folder, &count);
    table_add(
        &t,
        "device | limited by | programs | points | interval of a time | inside without their program, %%");
    for (size_t c = 0; c < count; c++) {
        struct blind_points points = sorted_by_program(folder, cards[c]);
        for (size_t b = 0; b < sizeof bottlenecks / sizeof *bottlenecks; b++)
            add_interval(&t, cards[c], &points, bottlenecks[b]);
        free(points.all);
    }
    free_cards(cards, count);
    table_end(&t, form, file);
}

/* ---- ratios of two times ---- */

static double log_ratio(const struct blind_point *a, const struct blind_point *b)
{
    return fabs(log(a->ratio / b->ratio));
}

/* INSIDE of the ratios of two points were between 1 / `factor` and `factor` times the predicted ratio. */
struct ratios {
    double factor;
    size_t pairs;
};

/* Returns the ratios of all points except the points of the program `without`, which may be NULL. A pair
 * consists of two points of one program or, if `of_two` is true, of points of two different programs. */
static struct ratios ratios_of(const struct blind_points *points, const char *without, bool of_two)
{
    size_t n = points->count;
    double *pairs = allocate((n * n + 1) * sizeof *pairs);
    struct ratios of = {0};
    for (size_t i = 0; i < n; i++) {
        const struct blind_point *a = &points->all[i];
        if (without && strcmp(a->program, without) == 0)
            continue;
        for (size_t j = 0; j < i; j++)
            if ((strcmp(a->program, points->all[j].program) != 0) == of_two)
                pairs[of.pairs++] = log_ratio(a, &points->all[j]);
    }
    qsort(pairs, of.pairs, sizeof *pairs, compare_numbers);
    of.factor = of.pairs ? exp(pairs[(size_t)(INSIDE * (double)of.pairs)]) : NAN;
    free(pairs);
    return of;
}

/* Returns how many pairs of points of one program are inside the factor of all other programs. */
static size_t pairs_inside(const struct blind_points *points)
{
    size_t inside = 0;
    const char *program = "";
    double factor = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct blind_point *p = &points->all[i];
        if (strcmp(p->program, program) != 0)
            factor = ratios_of(points, p->program, false).factor;
        program = p->program;
        for (size_t j = 0; j < i; j++)
            inside +=
                strcmp(points->all[j].program, program) == 0 && log_ratio(p, &points->all[j]) <= log(factor);
    }
    return inside;
}

void print_blind_ratios(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count;
    char **cards = cards_of(folder, &count);
    table_add(
        &t,
        "device | pairs | a ratio within a factor of | pairs inside without their program, %% | the factor "
        "for two programs");
    for (size_t c = 0; c < count; c++) {
        struct blind_points points = sorted_by_program(folder, cards[c]);
        struct ratios own = ratios_of(&points, NULL, false), two = ratios_of(&points, NULL, true);
        table_add(&t, "%s | %zu | %.2f | %.0f | %.2f", cards[c], own.pairs, own.factor,
                  100 * (double)pairs_inside(&points) / (double)own.pairs, two.factor);
    }
    free_cards(cards, count);
    table_end(&t, form, file);
}
