#include "report/data.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/methods.h"
#include "report/papers/best.h"
#include "report/papers/litmus.h"
#include "report/papers/shares.h"
#include "report/papers/study.h"
#include "report/styles.h"
#include "report/timing.h"

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

/* A variant that is nothing to rely on is dashed: by what the file says of it. */
static bool is_ordered(const struct result *r, const char *variant)
{
    const cJSON *point = r ? result_point(r, variant, -1, -1, -1) : NULL;
    return !is_false(point, "ordered");
}

static void add_methods(struct names *names, const struct result *r)
{
    for (int i = 0; i < SYNC_METHODS; i++) {
        const char *name = sync_variants[i].name;
        if (result_has(r, name))
            add_name(names, name, strlen(name), is_ordered(r, name), names->count);
    }
}

struct names names_of(const struct figure *figure, const struct result *r)
{
    struct names names = {0};
    size_t place = 0;
    if (!figure->variants)
        return names;
    if (strcmp(figure->variants, "*") == 0)
        add_methods(&names, r);
    else
        for (const char *at = figure->variants; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " "), bare = length - (at[length - 1] == '?');
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)bare, at);
            if (!r || result_has(r, name))
                add_name(&names, name, bare, is_ordered(r, name), place);
            else if (bare == length && !*names.lacking)
                snprintf(names.lacking, sizeof names.lacking, "%s", name);
            at += length;
            place++;
        }
    return names;
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

/* ---- curves ---- */

static double x_of(const struct figure *figure, const struct result *r, const cJSON *p)
{
    switch (figure->series) {
    case AGAINST_SIZE:
    case AGAINST_GPUS:
    case GAIN_BY_SIZE:
    case OPERATION_BY_SIZE:
        return number_of(p, "size");
    case OPERATION_BY_PARTNERS:
        return number_of(p, "blocks") - 1;
    case AGAINST_WARPS:
        return number_of(p, "threads") / 32;
    case AGAINST_WORK:
        if (number_of(p, "blocks") > r->sms)
            return NAN;
        return operation_time(r, result_point(r, "none", number_of(p, "blocks"), -1, number_of(p, "size")))
            .us;
    case AGAINST_BLOCKS:
        return number_of(p, "blocks") <= r->sms ? number_of(p, "blocks") : NAN;
    case AGAINST_9_TO_30:
    case SWAT_AND_BITONIC:
        return number_of(p, "blocks") >= 9 && number_of(p, "blocks") <= 30 ? number_of(p, "blocks") : NAN;
    default:
        return number_of(p, "blocks");
    }
}

static struct timing scaled(struct timing time, double factor)
{
    return (struct timing){factor * time.us, factor * time.low, factor * time.high};
}

/* What the figure shows of a point, and the ends of its interval. */
static struct timing y_of(const struct figure *figure, const struct result *r, const cJSON *p)
{
    const cJSON *none = result_point(r, "none", number_of(p, "blocks"), -1, number_of(p, "size"));
    struct timing each = operation_time(r, p), run = run_time(r, p);
    switch (figure->quantity) {
    case MILLISECONDS:
        return scaled(run, 1e-3);
    case MS_OF_SYNC:
        return scaled(time_beyond(run, run_time(r, none)), 1e-3);
    case MS_OF_10000:
        return scaled(each, 10);
    case MICROSECONDS:
        return figure->series == AGAINST_SIZE ? run : each;
    case US_COMPARED:
        return compared_time(r, p);
    case CYCLES:
        return scaled(run, 1e-6 * r->clock_hz);
    case CELLS: /* a rate falls where a time rises */
        return (struct timing){1e-3 / each.us, 1e-3 / each.high, 1e-3 / each.low};
    default:
        return (struct timing){NAN, NAN, NAN};
    }
}

static int compare_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of points that differ only in what the figure does not show, the first counts. */
static bool has_x(double (*rows)[4], size_t count, double x)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i][0] == x)
            return true;
    return false;
}

void write_curve(const struct figure *figure, const struct result *r, const char *variant, FILE *file)
{
    double(*rows)[4] = NULL;
    size_t count = 0;
    FOR_EACH_POINT(p, r)
    {
        if (!point_is(p, variant))
            continue;
        rows = with_room(rows, sizeof *rows, count, 1);
        rows[count][0] = x_of(figure, r, p);
        struct timing y = y_of(figure, r, p);
        rows[count][1] = y.us;
        rows[count][2] = y.low;
        rows[count][3] = y.high;
        count += isfinite(rows[count][0]) && isfinite(rows[count][1]) && !has_x(rows, count, rows[count][0]);
    }
    if (rows)
        qsort(rows, count, sizeof *rows, compare_first);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
    fputs("\n\n", file);
    free(rows);
}

/* ---- bars: "name", value, second value, 1 if ordered, color as a number, the value's interval, third value ---- */

struct bar {
    char name[96];
    const char *variant; /* of which it is one point; NULL: of something else */
    double value, second;
    bool ordered;
    double low, high; /* NaN: none */
    double third;
};

static int by_falling_value(const void *a, const void *b)
{
    double x = ((const struct bar *)a)->value, y = ((const struct bar *)b)->value;
    return (x < y) - (x > y);
}

static struct bar *add_bar(struct bar *bars, size_t *count, const char *name, double value, double second,
                           bool ordered)
{
    bars = with_room(bars, sizeof *bars, *count, 1);
    struct bar *bar = &bars[(*count)++];
    *bar = (struct bar){.value = value, .second = second, .ordered = ordered, .low = value, .high = value};
    snprintf(bar->name, sizeof bar->name, "%s", name);
    return bars;
}

static struct bar *add_timed(struct bar *bars, size_t *count, const char *name, struct timing time,
                             bool ordered)
{
    bars = add_bar(bars, count, name, time.us, 0, ordered);
    bars[*count - 1].low = time.low;
    bars[*count - 1].high = time.high;
    return bars;
}

static bool is_part(const char *variant)
{
    const char *dash = strrchr(variant, '-');
    return is_baseline(variant) || (dash && strcmp(dash, "-part") == 0);
}

static struct bar *costs(const struct result *r, size_t *count)
{
    struct bar *bars = NULL;
    FOR_EACH_POINT(p, r)
    if (number_of(p, "blocks") == r->sms && !is_part(text_of(p, "variant")))
        bars = add_timed(bars, count, text_of(p, "variant"), barrier_time(r, p), is_true(p, "ordered"));
    if (bars)
        qsort(bars, *count, sizeof *bars, by_falling_value);
    return bars;
}

/* Percent of computation, of refilling caches, and of the rest; in the order of falling time. */
static struct bar *shares(const struct result *r, const char *folder, size_t *count)
{
    size_t names_count;
    const char **names = result_variants(r, &names_count);
    struct result *micro = result_open(folder, "micro-barrier");
    struct bar *bars = NULL;
    char name[96];
    for (size_t i = 0; i < names_count; i++) {
        if (is_baseline(names[i]) || is_library(names[i]) || strcmp(names[i], "cpu-explicit") == 0 ||
            is_dataflow(names[i])) /* which has no barriers to take time */
            continue;
        const cJSON *best = fastest_of(r, names[i], -1);
        snprintf(name, sizeof name, "%s (%g)", names[i], number_of(best, "blocks"));
        bars = add_bar(bars, count, name, run_time(r, best).us, 0, true);
        bars[*count - 1].variant = names[i];
    }
    if (bars)
        qsort(bars, *count, sizeof *bars, by_falling_value);
    for (size_t i = 0; i < *count; i++) {
        struct shares share = shares_of(r, micro, bars[i].variant);
        bars[i].value = share.computation;
        bars[i].second = share.rest;
        bars[i].third = share.refill;
    }
    result_close(micro);
    free(names);
    return bars;
}

static struct bar *latencies(const struct result *r, size_t *count)
{
    struct bar *bars = NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(r->json, "analysis")) bars =
        add_bar(bars, count, item->string, number_of(item, "latency"), 0, true);
    return bars;
}

static struct bar *rates(const struct result *r, size_t *count)
{
    struct bar *bars = NULL;
    double giga = r->machine ? r->clock_hz / 1e9 : 1;
    FOR_EACH_POINT(p, r)
    bars = add_bar(bars, count, text_of(p, "variant"), number_of(p, "rate_average") * giga,
                   number_of(p, "rate_maximum") * giga, true);
    return bars;
}

static struct bar *chain_of_16(const struct result *r, const struct names *names, size_t *count)
{
    struct bar *bars = NULL;
    for (size_t i = 0; i < names->count; i++)
        bars = add_bar(bars, count, names->items[i],
                       run_in_units(result_point(r, names->items[i], -1, 16 * 32, -1)), 0, names->ordered[i]);
    return bars;
}

/* In percent: loads, which `no-order` has alone; and the rest, of one kernel (second) or of many (third). */
static struct bar *shares_of_token(const struct result *r, const struct names *names, size_t *count)
{
    double loads = operation_time(r, result_point(r, "no-order", -1, -1, -1)).us;
    struct bar *bars = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const cJSON *p = result_point(r, names->items[i], -1, -1, -1);
        double share = 100 * fmin(1, loads / operation_time(r, p).us);
        bool launches = number_of(p, "launches_per_run") > 1;
        bars = add_bar(bars, count, names->items[i], share, launches ? 0 : 100 - share, true);
        bars[*count - 1].third = launches ? 100 - share : 0;
    }
    return bars;
}

static struct bar *operations(const struct result *r, const struct names *names, size_t *count)
{
    struct bar *bars = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const cJSON *p = result_point(r, names->items[i], -1, -1, -1);
        bars = add_timed(bars, count, names->items[i], operation_time(r, p), names->ordered[i]);
    }
    return bars;
}

/* Every pair of multiprocessors on every line of memory: X percent of them take at most Y. */
static void write_spread(const struct result *r, const char *variant, FILE *file)
{
    const cJSON *hops = cJSON_GetObjectItem(result_point(r, variant, -1, -1, -1), "hops"), *pair, *time;
    double *times = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(hops, "times")) cJSON_ArrayForEach(time, pair)
    {
        times = with_room(times, sizeof *times, count, 1);
        times[count++] = time->valuedouble * r->us;
    }
    for (int percent = 0; percent <= 100 && count; percent++) {
        double us = quantile(times, count, 0.01 * percent);
        fprintf(file, "%d\t%.9g\t%.9g\t%.9g\n", percent, us, us, us);
    }
    fputs("\n\n", file);
    free(times);
}

static bool write_bars(struct bar *bars, size_t count, FILE *file)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(bars[i].value)) {
            fprintf(file, "\"%s\"\t%.9g\t%.9g\t%d\t%ld\t%.9g\t%.9g\t%.9g\n", bars[i].name, bars[i].value,
                    bars[i].second, bars[i].ordered, strtol(style_of(bars[i].name).color + 1, NULL, 16),
                    bars[i].low, bars[i].high, bars[i].third);
            written++;
        }
    free(bars);
    return written;
}

/* ---- gains by size ---- */

static bool is_graph(const cJSON *p)
{
    return strncmp(text_of(p, "variant"), "cpu-graph", 9) == 0;
}
static bool has_no_barrier(const cJSON *p)
{
    return is_dataflow(text_of(p, "variant"));
}
static bool is_implicit(const cJSON *p)
{
    return point_is(p, "cpu-implicit");
}

struct gain {
    double size, of[3], low[3], high[3];
    char barrier[48]; /* the fastest ordered one */
};

static void add_gains(struct gain **gains, size_t *count, const struct result *r)
{
    bool (*const kinds[])(const cJSON *) = {is_ordered_barrier, is_graph, has_no_barrier};
    FOR_EACH_POINT(p, r)
    {
        if (!is_implicit(p))
            continue;
        *gains = with_room(*gains, sizeof **gains, *count, 1);
        struct gain *gain = &(*gains)[(*count)++];
        gain->size = number_of(p, "size");
        for (int k = 0; k < 3; k++) {
            const cJSON *best = fastest_point(r, -1, gain->size, kinds[k]);
            struct timing ratio = time_ratio(run_time(r, p), run_time(r, best));
            gain->of[k] = ratio.us;
            gain->low[k] = ratio.low;
            gain->high[k] = ratio.high;
        }
        snprintf(gain->barrier, sizeof gain->barrier, "%s",
                 text_of(fastest_point(r, -1, gain->size, is_ordered_barrier), "variant"));
    }
}

static bool write_gains(const struct result *r, const char *folder, const struct names *names, FILE *file)
{
    struct gain *gains = NULL;
    size_t count = 0;
    char name[128];
    snprintf(name, sizeof name, "%.100s@sizes", r->experiment);
    struct result *sizes = result_open(folder, name);
    if (sizes)
        add_gains(&gains, &count, sizes);
    result_close(sizes);
    if (gains)
        qsort(gains, count, sizeof *gains, compare_first);
    for (size_t n = 0; n < names->count; n++) {
        int kind = is_graph(result_point(r, names->items[n], -1, -1, -1)) ? 1
                   : is_dataflow(names->items[n])                         ? 2
                                                                          : 0;
        for (size_t i = 0; i < count; i++)
            if (isfinite(gains[i].of[kind]))
                fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\t\"%s\"\n", gains[i].size, gains[i].of[kind],
                        gains[i].low[kind], gains[i].high[kind], kind ? "" : gains[i].barrier);
        fputs("\n\n", file);
    }
    free(gains);
    return count;
}

/* ---- all together ---- */

static bool has_several_sizes(const struct result *r)
{
    FOR_EACH_POINT(p, r)
    if (number_of(p, "size") != number_of(r->points->child, "size"))
        return true;
    return false;
}

static bool write_pair(const struct figure *figure, const struct result *swat, const char *folder,
                       const struct names *names, FILE *file)
{
    char name[64];
    snprintf(name, sizeof name, "bitonic%s", figure->result + strcspn(figure->result, "@"));
    struct result *bitonic = result_open(folder, name);
    bool is_there = bitonic != NULL;
    for (int half = 0; is_there && half < 2; half++)
        for (size_t i = 0; i < names->count; i++)
            write_curve(figure, half ? bitonic : swat, names->items[i], file);
    result_close(bitonic);
    return is_there;
}

bool write_data(const struct figure *figure, const struct result *r, const char *folder,
                const struct names *names, FILE *file)
{
    size_t count = 0;
    struct bar *bars;
    switch (figure->series) {
    case COST_OF_BARRIERS:
        bars = costs(r, &count);
        return write_bars(bars, count, file);
    case SHARES:
        bars = shares(r, folder, &count);
        return write_bars(bars, count, file);
    case SHARES_OF_TOKEN:
        bars = shares_of_token(r, names, &count);
        return write_bars(bars, count, file);
    case LATENCIES:
        bars = latencies(r, &count);
        return write_bars(bars, count, file);
    case RATES_OF_BATCHES:
        bars = rates(r, &count);
        return write_bars(bars, count, file);
    case CHAIN_OF_16:
        bars = chain_of_16(r, names, &count);
        return write_bars(bars, count, file);
    case OPERATIONS:
        bars = operations(r, names, &count);
        return write_bars(bars, count, file);
    case SPREAD_OF_HOPS:
        for (size_t i = 0; i < names->count; i++)
            write_spread(r, names->items[i], file);
        return true;
    case OUTCOMES:
        return write_litmus(r, file);
    case BESIDE_LIBRARY:
        return write_best_curves(folder, r->experiment, file);
    case GAIN_BY_SIZE:
        return write_gains(r, folder, names, file);
    case SWAT_AND_BITONIC:
        return write_pair(figure, r, folder, names, file);
    case AGAINST_GPUS:
    case AGAINST_SIZE:
        if (!has_several_sizes(r))
            return false;
        /* fall through */
    default:
        for (size_t i = 0; i < names->count; i++)
            write_curve(figure, r, names->items[i], file);
        return true;
    }
}

static void write_study_curves(const struct study *study, const struct figure *figure,
                               const struct names *names, FILE *file)
{
    bool against_n = figure->series != STUDY_LATENCY, barriers = figure->series == STUDY_BARRIERS;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], "bound") == 0)
            study_bound(study, file);
        else
            for (int k = 0; k < STUDY_SCHEDULES; k++)
                study_curve(study, names->items[i], study_schedule_names[k], against_n, barriers, file);
}

void write_study(const struct figure *figure, const char *folder, const struct names *names, FILE *file)
{
    struct study study = study_read(folder);
    if (figure->series == STUDY_FIGURE_2 || figure->series == STUDY_FIGURE_3)
        study_trace(&study, figure->series == STUDY_FIGURE_2 ? "figure_2" : "figure_3", file);
    else
        write_study_curves(&study, figure, names, file);
    study_close(&study);
}
