#include "report/plot.h"
#include "base/memory.h"
#include "harness/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void add_name(struct names *names, const char *text, size_t length, bool ordered, size_t place)
{
    char *name = allocate(length + 1);
    memcpy(name, text, length);
    names->items = with_room(names->items, sizeof *names->items, names->count, 1);
    names->ordered = with_room(names->ordered, sizeof *names->ordered, names->count, 1);
    names->places = with_room(names->places, sizeof *names->places, names->count, 1);
    names->ordered[names->count] = ordered;
    names->places[names->count] = place;
    names->items[names->count++] = name;
}

/* Adds the name of every method of harness/methods.def that was measured and is ordered, but for
 * cpu-explicit, whose time is mostly that of the host. */
static void add_methods(struct names *names, const struct points *points)
{
    for (int i = 0; i < SYNC_METHODS; i++) {
        const char *name = sync_variants[i].name;
        const struct point *p = point_at(points, name, -1, -1);
        if (p && !p->unordered && strcmp(name, "cpu-explicit") != 0)
            add_name(names, name, strlen(name), true, names->count);
    }
}

/* Adds the name of every variant that was measured, in the order of their first points. */
static void add_measured(struct names *names, const struct points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct point *p = &points->items[i];
        if (point_at(points, p->variant, -1, -1) == p)
            add_name(names, p->variant, strlen(p->variant), !p->unordered, names->count);
    }
}

/* Adds those of the figure's variants that were measured. If the figure shows the study of the abstract
 * machines, adds all of the figure's variants. */
static void add_listed(struct names *names, const struct plot *s)
{
    size_t place = 0;
    for (const char *at = s->figure->variants; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), bare = length - (at[length - 1] == '?');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)bare, at);
        const struct point *p = point_at(&s->points, name, -1, -1);
        if (!s->result || p)
            add_name(names, name, bare, !p || !p->unordered, place);
        else if (bare == length && !*names->lacking)
            snprintf(names->lacking, sizeof names->lacking, "%s", name);
        at += length;
        place++;
    }
}

struct names names_of_list(char **list, size_t count)
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
}

/* ---- a series ---- */

struct plot plot_of(const struct figure *figure, const struct result *r, const char *folder)
{
    struct plot s = {.figure = figure, .result = r, .folder = folder};
    if (r)
        s.points = points_of(r);
    if (figure->variants && strcmp(figure->variants, "*") == 0)
        add_methods(&s.names, &s.points);
    else if (figure->variants && strcmp(figure->variants, "**") == 0)
        add_measured(&s.names, &s.points);
    else if (figure->variants)
        add_listed(&s.names, &s);
    return s;
}

void plot_free(struct plot *s)
{
    points_free(&s->points);
    names_free(&s->names);
}

/* ---- curves ---- */

static const struct timing no_time = {NAN, NAN, NAN};

/* Returns the x at which the figure shows a point, or NaN if it does not show the point. */
static double x_of(const struct plot *s, const struct point *p)
{
    const struct point *none;
    unsigned least;
    switch (s->figure->series) {
    case AGAINST_SIZE:
    case AGAINST_GPUS:
    case GAIN_BY_SIZE:
    case OPERATION_BY_SIZE:
    case LAUNCHES_BY_SIZE:
        return p->size;
    case OPERATION_BY_PARTNERS:
        return p->blocks - 1;
    case AGAINST_WARPS:
        return p->threads / 32;
    case AGAINST_WORK:
        none = p->blocks <= s->result->sms ? point_at(&s->points, "none", p->blocks, p->size) : NULL;
        return none ? none->operation.us : NAN;
    case AGAINST_BLOCKS:
        return p->blocks <= s->result->sms ? p->blocks : NAN;
    case AGAINST_9_TO_30:
    case SWAT_AND_BITONIC:
        /* with fences barriers of the GPU are slower than launches from fewer blocks on than the paper draws
         * */
        least = s->figure->variants && strstr(s->figure->variants, "fence") ? 4 : 9;
        return p->blocks >= least && p->blocks <= 30 ? p->blocks : NAN;
    default:
        return p->blocks;
    }
}

static struct timing scaled(struct timing time, double factor)
{
    return (struct timing){factor * time.us, factor * time.low, factor * time.high};
}

/* Returns whether a figure in microseconds shows the time of a run, and not the time of one operation. */
static bool is_by_run(enum series series)
{
    return series == AGAINST_SIZE || series == LAUNCHES_BY_SIZE;
}

/* Returns the least time in which memory moves what a point must move: the time of the copy of the largest
 * size that was measured, scaled to the size of the point. */
static struct timing floor_of(const struct plot *s, const struct point *p)
{
    const struct point *largest = NULL;
    const char *read_only = s->figure->read_only;
    for (const struct point *q = s->points.items; q < s->points.items + s->points.count; q++)
        if (strcmp(q->variant, s->figure->base) == 0 && (!largest || q->size > largest->size))
            largest = q;
    if (!largest)
        return no_time;
    bool reads = read_only && strncmp(p->variant, read_only, strlen(read_only)) == 0;
    return scaled(largest->run, p->size / largest->size * (reads ? 0.5 : 1));
}

/* Returns the y at which the figure shows a point, and the ends of the interval of y. */
static struct timing y_of(const struct plot *s, const struct point *p)
{
    const struct point *none, *base;
    switch (s->figure->quantity) {
    case MILLISECONDS:
        return scaled(p->run, 1e-3);
    case MS_OF_SYNC:
        none = point_at(&s->points, "none", p->blocks, p->size);
        return scaled(time_beyond(p->run, none ? none->run : no_time), 1e-3);
    case MS_OF_10000:
        return scaled(p->operation, 10);
    case MICROSECONDS:
        return is_by_run(s->figure->series) ? p->run : p->operation;
    case US_COMPARED:
        return p->compared;
    case US_LATE:
        return time_beyond(p->operation, (struct timing){p->size / 1000, p->size / 1000, p->size / 1000});
    case TIMES_AS_FAST:
        base = point_at(&s->points, s->figure->base, -1, p->size);
        return base ? time_ratio(base->compared, p->compared) : no_time;
    case OVER_FLOOR:
        return time_ratio(p->run, floor_of(s, p));
    case CYCLES:
        return scaled(p->run, 1e-6 * s->result->clock_hz);
    case CELLS: /* A rate is the inverse of a time, so the ends of the interval change places. */
        return (struct timing){1e-3 / p->operation.us, 1e-3 / p->operation.high, 1e-3 / p->operation.low};
    default:
        return no_time;
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
    struct xy *rows = allocate((s->points.count + 1) * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        const struct point *p = &s->points.items[i];
        if (strcmp(p->variant, variant) != 0)
            continue;
        rows[count] = (struct xy){x_of(s, p), y_of(s, p)};
        count += isfinite(rows[count].x) && isfinite(rows[count].y.us) && !has_x(rows, count, rows[count].x);
    }
    qsort(rows, count, sizeof *rows, compare_numbers);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", rows[i].x, rows[i].y.us, rows[i].y.low, rows[i].y.high);
    fputs("\n\n", file);
    free(rows);
}

void write_curves(const struct plot *s, const struct names *names, FILE *file)
{
    for (size_t i = 0; i < names->count; i++)
        write_curve(s, names->items[i], file);
}
