#include "report/figures.h"
#include "base/memory.h"
#include "harness/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void add_name(struct names *names, const char *text, size_t length, bool ordered, size_t place)
{
    names->items = with_room(names->items, sizeof *names->items, names->count, 1);
    names->ordered = with_room(names->ordered, sizeof *names->ordered, names->count, 1);
    names->places = with_room(names->places, sizeof *names->places, names->count, 1);
    names->ordered[names->count] = ordered;
    names->places[names->count] = place;
    names->items[names->count++] = copy_text(made("%.*s", (int)length, text));
}

static bool is_ordered_or_unknown(const cJSON *p)
{
    return !is_false(p, "ordered");
}

/* Adds the name of every method of harness/methods.def that was measured and is ordered, except cpu-explicit,
 * whose time is mostly spent by the host. */
static void add_methods(struct names *names, const struct result *r)
{
    for (int i = 0; i < SYNC_METHODS; i++) {
        const char *name = sync_variants[i].name;
        const cJSON *p = result_point(r, name, -1, -1, -1);
        if (p && is_ordered_or_unknown(p) && strcmp(name, "cpu-explicit") != 0)
            add_name(names, name, strlen(name), true, names->count);
    }
}

/* Adds the name of every variant that was measured, in the order of their first points. */
static void add_measured(struct names *names, const struct result *r)
{
    for (size_t i = 0; i < r->variant_count; i++) {
        const struct points_of_variant *of = &r->variants[i];
        add_name(names, of->variant, strlen(of->variant), is_ordered_or_unknown(of->points[0]), names->count);
    }
}

/* Adds the figure's variants that were measured. If the figure shows the study of the abstract machines, adds
 * all of the figure's variants. */
static void add_listed(struct names *names, const struct plot *s)
{
    size_t place = 0;
    for (const char *at = s->figure->variants; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), bare = length - (at[length - 1] == '?');
        const char *name = made("%.*s", (int)bare, at);
        const cJSON *p = s->result ? result_point(s->result, name, -1, -1, -1) : NULL;
        if (!s->result || p)
            add_name(names, name, bare, is_ordered_or_unknown(p), place);
        else if (bare == length && !names->lacking)
            names->lacking = copy_text(name);
        at += length;
        place++;
    }
}

struct names names_of_list(const char *const *list, size_t count)
{
    struct names names = {0};
    for (size_t i = 0; i < count; i++)
        add_name(&names, list[i], strlen(list[i]), true, i);
    return names;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    free(names->ordered);
    free(names->places);
    free(names->lacking);
}

/* ---- a series ---- */

struct plot plot_of(const struct figure *figure, const struct result *r, const char *folder)
{
    struct plot s = {.figure = figure, .result = r, .folder = folder};
    if (figure->variants && strcmp(figure->variants, "*") == 0)
        add_methods(&s.names, r);
    else if (figure->variants && strcmp(figure->variants, "**") == 0)
        add_measured(&s.names, r);
    else if (figure->variants)
        add_listed(&s.names, &s);
    return s;
}

/* ---- curves ---- */

/* Returns the x at which the figure shows a point, or NaN if it does not show the point. */
static double x_of(const struct plot *s, const cJSON *p)
{
    const struct result *r = s->result;
    double blocks = number_of(p, "blocks");
    unsigned least;
    switch (s->figure->series) {
    case AGAINST_SIZE:
    case AGAINST_GPUS:
    case GAIN_BY_SIZE:
    case OPERATION_BY_SIZE:
    case LAUNCHES_BY_SIZE:
        return number_of(p, "size");
    case OPERATION_BY_PARTNERS:
        return blocks - 1;
    case AGAINST_WARPS:
        return number_of(p, "threads") / 32;
    case AGAINST_WORK:
        return blocks <= r->sms
                   ? operation_time(r, result_point(r, "none", blocks, -1, number_of(p, "size"))).us
                   : NAN;
    case AGAINST_BLOCKS:
        return blocks <= r->sms ? blocks : NAN;
    case AGAINST_9_TO_30:
    case SWAT_AND_BITONIC:
        /* with fences, barriers on the GPU become slower than launches at fewer blocks than in the paper
         * */
        least = s->figure->variants && strstr(s->figure->variants, "fence") ? 4 : 9;
        return blocks >= least && blocks <= 30 ? blocks : NAN;
    default:
        return blocks;
    }
}

/* Returns whether a figure in microseconds shows the time of a run, and not the time of one operation. */
static bool is_by_run(enum series series)
{
    return series == AGAINST_SIZE || series == LAUNCHES_BY_SIZE;
}

/* Returns the least time in which memory moves what a point must move: the time of the copy of the largest
 * size that was measured, scaled to the size of the point. */
static struct timing floor_of(const struct plot *s, const cJSON *p)
{
    const cJSON *largest = largest_of(s->result, s->figure->base);
    const char *read_only = s->figure->read_only;
    bool reads = read_only && strncmp(text_of(p, "variant"), read_only, strlen(read_only)) == 0;
    return time_scaled(run_time(s->result, largest),
                       number_of(p, "size") / number_of(largest, "size") * (reads ? 0.5 : 1));
}

/* Returns the y at which the figure shows a point, and the ends of the interval of y. */
static struct timing y_of(const struct plot *s, const cJSON *p)
{
    const struct result *r = s->result;
    struct timing run = run_time(r, p), operation = operation_time(r, p);
    double size = number_of(p, "size"), us = size / 1000;
    switch (s->figure->quantity) {
    case MILLISECONDS:
        return time_scaled(run, 1e-3);
    case MS_OF_SYNC:
        return time_scaled(
            time_beyond(run, run_time(r, result_point(r, "none", number_of(p, "blocks"), -1, size))), 1e-3);
    case MS_OF_10000:
        return time_scaled(operation, 10);
    case MICROSECONDS:
        return is_by_run(s->figure->series) ? run : operation;
    case US_COMPARED:
        return compared_time(r, p);
    case US_LATE:
        return time_beyond(operation, (struct timing){us, us, us});
    case TIMES_AS_FAST:
        return time_ratio(compared_time(r, result_point(r, s->figure->base, -1, -1, size)),
                          compared_time(r, p));
    case OVER_FLOOR:
        return time_ratio(run, floor_of(s, p));
    case CYCLES:
        return time_scaled(run, 1e-6 * r->clock_hz);
    case CELLS: /* A rate is the inverse of a time, so the ends of the interval change places. */
        return (struct timing){1e-3 / operation.us, 1e-3 / operation.high, 1e-3 / operation.low};
    default:
        return (struct timing){NAN, NAN, NAN};
    }
}

/* A point of a curve, which sorts by x. */
struct xy {
    double x;
    struct timing y;
};

static bool has_x(const struct xy *rows, size_t count, double x)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].x == x)
            return true;
    return false;
}

/* Writes the curve of a variant. Several points can have the same x, because they differ in a property that
 * the figure does not show; then only the first of them is drawn. */
static void write_curve(const struct plot *s, const char *variant, FILE *file)
{
    struct xy *rows = allocate(((size_t)cJSON_GetArraySize(s->result->points) + 1) * sizeof *rows);
    size_t count = 0;
    FOR_EACH_POINT(p, s->result)
    {
        if (!point_is(p, variant))
            continue;
        rows[count] = (struct xy){x_of(s, p), y_of(s, p)};
        count += isfinite(rows[count].x) && isfinite(rows[count].y.us) && !has_x(rows, count, rows[count].x);
    }
    qsort(rows, count, sizeof *rows, compare_numbers);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.10g\t%.9g\t%.9g\t%.9g\n", rows[i].x, rows[i].y.us, rows[i].y.low, rows[i].y.high);
    fputs("\n\n", file);
    free(rows);
}

void write_curves(const struct plot *s, const struct names *names, FILE *file)
{
    for (size_t i = 0; i < names->count; i++)
        write_curve(s, names->items[i], file);
}

const char *name_in_figure(const struct figure *figure, const char *variant)
{
    return strcmp(figure->place, "ours") == 0 ? named_plainly(variant) : variant;
}

const char *figure_label(const struct figure *figure, const struct names *names, size_t i)
{
    const char *at = figure->labels;
    if (!at)
        return name_in_figure(figure, names->items[i]);
    for (size_t place = 0; place < names->places[i]; place++)
        at += strcspn(at, "|") + 1;
    return made("%.*s", (int)strcspn(at, "|"), at);
}
