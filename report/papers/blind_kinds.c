#include "report/papers/blind_kinds.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/papers/blind_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    table_text(t, "%zu", count);
    table_text(t, "%.0f", 100 * quantile(errors, count, 0.5));
    if (worst)
        table_text(t, "%.2f (%s)", 1 / worst->ratio, worst->name);
    else
        table_text(t, "-");
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
    table_row(&t);
    table_text(&t, "kind of program");
    for (size_t c = 0; c < count; c++) {
        of[c] = blind_points_of(folder, cards[c]);
        most = of[c].count > of[most].count ? c : most;
        table_text(&t, "%s: points", cards[c]);
        table_text(&t, "median error, %%");
        table_text(&t, "worst, predicted / measured");
    }
    for (size_t i = 0; i <= of[most].count; i++) {
        bool is_all = i == of[most].count;
        if (!is_all && !is_first_of_kind(&of[most], i))
            continue;
        table_row(&t);
        table_text(&t, "%s", is_all ? "all" : of[most].all[i].kind);
        for (size_t c = 0; c < count; c++)
            add_kind(&t, &of[c], is_all ? NULL : of[most].all[i].kind);
    }
    table_print(&t, form, file);
    table_free(&t);
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
    table_row(&t);
    table_text(&t, "device");
    table_text(&t, "programs");
    table_text(&t, "points");
    table_text(&t, "interval of a time");
    table_text(&t, "inside without their program, %%");
    table_text(&t, "pairs");
    table_text(&t, "a ratio within a factor of");
    table_text(&t, "pairs inside without their program, %%");
    table_text(&t, "the factor for two programs");
    for (size_t c = 0; c < count; c++) {
        struct blind_points points = blind_points_of(folder, cards[c]);
        struct intervals all = intervals_of(&points, NULL, false), two = intervals_of(&points, NULL, true);
        struct inside inside = inside_of(&points);
        table_row(&t);
        table_text(&t, "%s", cards[c]);
        table_text(&t, "%zu", inside.programs);
        table_text(&t, "%zu", all.points);
        table_text(&t, "%.2f to %.2f times", all.low, all.high);
        table_text(&t, "%.0f", 100 * (double)inside.points / (double)all.points);
        table_text(&t, "%zu", all.pairs);
        table_text(&t, "%.2f", all.factor);
        table_text(&t, "%.0f", 100 * (double)inside.pairs / (double)all.pairs);
        table_text(&t, "%.2f", two.factor);
    }
    table_print(&t, form, file);
    table_free(&t);
}
