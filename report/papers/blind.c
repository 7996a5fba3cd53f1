/* Makes the tables of blind/README.md and docs/predict.md, which compare times that were predicted before
 * they were measured with the measured times. A folder has predicted/CARD.tsv, measured/CARD.tsv and, if the
 * card was measured twice, measured/CARD-again.tsv, with a name and nanoseconds in each row. */
#include "report/papers/blind.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/papers/blind_points.h"
#include "report/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CARDS 2
static const char *const models[CARDS] = {"h100", "h200"};

static struct tsv read_card(const char *folder, const char *kind, const char *card, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "%s/%s%s", kind, card, ending);
    return tsv_read(folder, file);
}

/* Prints a table with a row for each program whose time was predicted and measured on all cards. */
void print_blind(const char *folder, enum form form, FILE *file)
{
    struct tsv predicted[CARDS], measured[CARDS];
    struct table t = {NULL, 0};
    table_add(&t, "program");
    for (size_t c = 0; c < CARDS; c++) {
        predicted[c] = read_card(folder, "predicted", models[c], "");
        measured[c] = read_card(folder, "measured", models[c], "");
        table_cells(&t, c ? "H200: predicted, ns" : "H100: predicted, ns");
        table_cells(&t, "measured, ns | ratio");
    }
    for (size_t i = 0; i < predicted[0].count; i++) {
        const char *name = predicted[0].rows[i].cells[0];
        const struct tsv_row *p[CARDS], *m[CARDS];
        bool is_whole = true;
        for (size_t c = 0; c < CARDS; c++) {
            p[c] = tsv_find(&predicted[c], name, 0);
            m[c] = tsv_find(&measured[c], name, 0);
            is_whole = is_whole && p[c] && m[c];
        }
        if (!is_whole)
            continue;
        table_add(&t, "`%s`", name);
        for (size_t c = 0; c < CARDS; c++) {
            table_cells(&t, "%s | %s | %.2f", p[c]->cells[1], m[c]->cells[1],
                        tsv_number(p[c], 1) / tsv_number(m[c], 1));
        }
    }
    for (size_t c = 0; c < CARDS; c++) {
        tsv_free(&predicted[c]);
        tsv_free(&measured[c]);
    }
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
        const struct tsv_row *m = &measured->rows[i], *o = tsv_find(other, m->cells[0], 0);
        if (!o)
            continue;
        double ratio = tsv_number(o, 1) / tsv_number(m, 1), factor = fmax(ratio, 1 / ratio);
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

/* Adds a row: by how much a second measurement differs. Adds none if the card was measured once. */
static void add_second_measurement(struct table *t, const char *folder, const char *card,
                                   const struct tsv *measured)
{
    char path[600];
    snprintf(path, sizeof path, "%.400s/measured/%.150s-again.tsv", folder, card);
    if (access(path, F_OK) != 0)
        return;
    struct tsv again = read_card(folder, "measured", card, "-again");
    add_errors(t, card, "measured again", measured, &again);
    tsv_free(&again);
}

/* Prints how far the predictions for each card are off and, for comparison, by how much two measurements on
 * one card differ. */
void print_blind_errors(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    table_add(
        &t,
        "%s | points | %s | its median, %% | within 1.25, %% | within 1.5, %% | worst, predicted / measured",
        "", form == FORM_MARKDOWN ? "mean of \\|p - m\\| / m, %" : "mean of |p - m| / m, %");
    size_t count;
    char **measured_cards = blind_cards(folder, &count);
    for (size_t c = 0; c < count; c++) {
        struct tsv measured = read_card(folder, "measured", measured_cards[c], "");
        struct tsv predicted = read_card(folder, "predicted", measured_cards[c], "");
        add_errors(&t, measured_cards[c], "predicted", &measured, &predicted);
        add_second_measurement(&t, folder, measured_cards[c], &measured);
        tsv_free(&measured);
        tsv_free(&predicted);
        free(measured_cards[c]);
    }
    free(measured_cards);
    table_end(&t, form, file);
}

/* Returns 1 if the first time is longer than the second, -1 if it is shorter, and 0 for a tie: they differ by
 * less than 5 %. */
static int which_is_longer(double first, double second)
{
    double ratio = first / second;
    return fabs(ratio - 1) < 0.05 ? 0 : ratio > 1 ? 1 : -1;
}

/* Numbers of pairs of points: all pairs; pairs whose measured times are a tie; pairs for which prediction and
 * measurement agree; and pairs for which only one of the two is a tie. */
struct pair_counts {
    int all, ties, same, one_tie;
};

static struct pair_counts count_pairs(const struct tsv *pairs, const struct tsv *predicted,
                                      const struct tsv *measured)
{
    struct pair_counts counts = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        char *const *names = pairs->rows[i].cells;
        const struct tsv_row *p[2], *m[2];
        for (int k = 0; k < 2; k++) {
            p[k] = tsv_find(predicted, names[k], 0);
            m[k] = tsv_find(measured, names[k], 0);
        }
        if (!p[0] || !p[1] || !m[0] || !m[1])
            continue;
        int said = which_is_longer(tsv_number(p[0], 1), tsv_number(p[1], 1));
        int is = which_is_longer(tsv_number(m[0], 1), tsv_number(m[1], 1));
        counts.all++;
        counts.ties += !is;
        counts.same += said == is;
        counts.one_tie += said != is && !(said && is);
    }
    return counts;
}

/* Prints for each measured card the number of pairs of points (FOLDER/pairs.tsv) for which the prediction
 * says correctly which point takes longer. */
void print_blind_pairs(const char *folder, enum form form, FILE *file)
{
    struct tsv pairs = tsv_read(folder, "pairs");
    struct table t = {NULL, 0};
    size_t count;
    char **measured_cards = blind_cards(folder, &count);
    table_row(&t);
    static const char *const titles[] = {"",           "pairs",        "measured as a tie", "said rightly",
                                         "rightly, %", "one is a tie", "the wrong one, %"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_cells(&t, "%s", titles[i]);
    for (size_t c = 0; c < count; c++) {
        struct tsv measured = read_card(folder, "measured", measured_cards[c], "");
        struct tsv predicted = read_card(folder, "predicted", measured_cards[c], "");
        struct pair_counts of = count_pairs(&pairs, &predicted, &measured);
        table_add(&t, "the %s | %d | %d | %d | %.0f | %d | %.0f", measured_cards[c], of.all, of.ties, of.same,
                  100.0 * of.same / of.all, of.one_tie, 100.0 * (of.all - of.same - of.one_tie) / of.all);
        tsv_free(&measured);
        tsv_free(&predicted);
        free(measured_cards[c]);
    }
    free(measured_cards);
    tsv_free(&pairs);
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
    table_cells(t, "%zu | %.0f", count, 100 * quantile(errors, count, 0.5));
    if (worst)
        table_cells(t, "%.2f (%s)", 1 / worst->ratio, worst->name);
    else
        table_cells(t, "-");
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
    char **cards = blind_cards(folder, &count);
    struct blind_points *of = allocate((count + 1) * sizeof *of);
    table_add(&t, "kind of program");
    for (size_t c = 0; c < count; c++) {
        of[c] = blind_points_of(folder, cards[c]);
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

#define OUTSIDE 0.1 /* share of the points below an interval, and share above it */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The intervals of predictions, computed without one program. 80 % of the points were measured between `low`
 * and `high` times their predictions. 80 % of the ratios of two points of a program were between 1 / `factor`
 * and `factor` times the predicted ratio. scripts/embed-errors computes the same intervals from all
 * programs. */
struct intervals {
    double low, high, factor;
    size_t points, pairs;
};

static double log_ratio(const struct blind_point *a, const struct blind_point *b)
{
    return fabs(log(a->ratio / b->ratio));
}

/* Returns the intervals computed from all points except those of the program `without`, which may be NULL. A
 * pair consists of two points of one program or, if `of_two` is true, of points of two different programs. */
static struct intervals intervals_of(const struct blind_points *points, const char *without, bool of_two)
{
    size_t n = points->count;
    double *ratios = allocate((n + 1) * sizeof *ratios), *pairs = allocate((n * n + 1) * sizeof *pairs);
    struct intervals of = {0};
    for (size_t i = 0; i < n; i++) {
        const struct blind_point *a = &points->all[i];
        if (without && strcmp(a->program, without) == 0)
            continue;
        ratios[of.points++] = a->ratio;
        for (size_t j = 0; j < i; j++) {
            const struct blind_point *b = &points->all[j];
            if ((strcmp(a->program, b->program) != 0) == of_two)
                pairs[of.pairs++] = log_ratio(a, b);
        }
    }
    qsort(ratios, of.points, sizeof *ratios, ascending);
    qsort(pairs, of.pairs, sizeof *pairs, ascending);
    if (of.points) {
        of.low = ratios[(size_t)(OUTSIDE * (double)of.points)];
        of.high = ratios[(size_t)((1 - OUTSIDE) * (double)of.points)];
    }
    of.factor = of.pairs ? exp(pairs[(size_t)((1 - 2 * OUTSIDE) * (double)of.pairs)]) : NAN;
    free(ratios);
    free(pairs);
    return of;
}

/* Results of leaving out each program in turn: the number of programs, and the numbers of their points and
 * pairs that are inside the intervals computed from the other programs. */
struct inside {
    size_t programs, points, pairs;
};

static struct inside inside_of(const struct blind_points *points)
{
    struct inside inside = {0};
    const char **seen = allocate((points->count + 1) * sizeof *seen);
    for (size_t i = 0; i < points->count; i++) {
        const char *program = points->all[i].program;
        size_t before = 0;
        while (before < inside.programs && strcmp(seen[before], program) != 0)
            before++;
        if (before < inside.programs)
            continue;
        seen[inside.programs++] = program;
        struct intervals others = intervals_of(points, program, false);
        for (size_t a = 0; a < points->count; a++) {
            const struct blind_point *p = &points->all[a];
            if (strcmp(p->program, program) != 0)
                continue;
            inside.points += p->ratio >= others.low && p->ratio <= others.high;
            for (size_t b = 0; b < a; b++)
                inside.pairs += strcmp(points->all[b].program, program) == 0 &&
                                log_ratio(p, &points->all[b]) <= log(others.factor);
        }
    }
    free((void *)seen);
    return inside;
}

void print_blind_intervals(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    size_t count;
    char **cards = blind_cards(folder, &count);
    table_add(
        &t,
        "device | programs | points | interval of a time | inside without their program, %% | pairs | a "
        "ratio within a factor of | pairs inside without their program, %% | the factor for two programs");
    for (size_t c = 0; c < count; c++) {
        struct blind_points points = blind_points_of(folder, cards[c]);
        struct intervals all = intervals_of(&points, NULL, false), two = intervals_of(&points, NULL, true);
        struct inside inside = inside_of(&points);
        table_add(&t, "%s | %zu | %zu | %.2f to %.2f times | %.0f | %zu | %.2f | %.0f | %.2f", cards[c],
                  inside.programs, all.points, all.low, all.high,
                  100 * (double)inside.points / (double)all.points, all.pairs, all.factor,
                  100 * (double)inside.pairs / (double)all.pairs, two.factor);
    }
    table_end(&t, form, file);
}
