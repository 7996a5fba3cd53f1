/* Writes the data of figures that serve one paper or one program. */
#include "report/figures.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/papers/papers.h"
#include "report/papers/shuffle.h"
#include "report/papers/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bars ---- */

/* Returns whether the variant has barriers whose share of its time can be shown. */
static bool has_shares(const char *variant)
{
    return !is_baseline(variant) && !is_library(variant) && !is_dataflow(variant) &&
           strcmp(variant, "cpu-explicit") != 0;
}

/* Writes a bar for each variant with its best number of blocks. The three parts of a bar are percentages of
 * the variant's time: computation, the rest (waiting), and refilling caches. The bars have the order of the
 * result's points, so that each program's figure has the same. */
static bool write_shares(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    struct result *micro = result_open(s->folder, "micro-barrier");
    for (size_t i = 0; i < s->result->variant_count; i++) {
        const char *variant = s->result->variants[i].variant;
        if (!has_shares(variant))
            continue;
        const cJSON *best = fastest_of(s->result, variant, -1);
        struct shares share = shares_of(s->result, micro, variant);
        struct bar *bar = bars_add(&bars, made("%s (%g)", variant, number_of(best, "blocks")),
                                   run_time(s->result, best).us, true);
        bar->value = share.computation;
        bar->second = share.rest;
        bar->third = share.refill;
    }
    return bars_write(s, &bars, file);
}

/* Returns whether a latency needs no bar of its own, because it differs by at most 1 % from the previous
 * bar's latency and both belong to the same kind of instruction. The first word of a name is its kind. */
static bool is_alike(const struct bar *bar, const char *name, double latency)
{
    size_t length = strcspn(bar->name, "- ");
    return strncmp(name, bar->name, length) == 0 && name[length] == '-' &&
           fabs(latency - bar->value) <= 0.01 * bar->value;
}

static bool write_latencies(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    const cJSON *item;
    size_t alike = 1; /* number of latencies that the last bar stands for */
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(s->result->json, "analysis"))
    {
        struct bar *last = bars.count ? &bars.items[bars.count - 1] : NULL;
        double latency = number_of(item, "latency");
        alike = last && is_alike(last, item->string, latency) ? alike + 1 : 1;
        if (alike > 1)
            snprintf(last->name + strcspn(last->name, " "), sizeof last->name - strcspn(last->name, " "),
                     " (%zu kinds)", alike);
        else
            bars_add(&bars, item->string, latency, true);
    }
    return bars_write(s, &bars, file);
}

/* Writes a row for each variant with its average rate and its maximum rate, in giga-cells per second. A
 * result of the memory machine has rates in cells per time unit; the clock rate converts them. */
static bool write_rates(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    double giga = s->result->machine ? s->result->clock_hz / 1e9 : 1;
    FOR_EACH_POINT(p, s->result)
    bars_add(&bars, text_of(p, "variant"), number_of(p, "rate_average") * giga, true)->second =
        number_of(p, "rate_maximum") * giga;
    return bars_write(s, &bars, file);
}

/* Writes a bar for each scheme: the cycles of a chain of 16 warps, with the interval of its median. */
static bool write_chains_of_16(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    double cycles = 1e-6 * s->result->clock_hz;
    for (size_t i = 0; i < s->names.count; i++) {
        struct timing run = run_time(s->result, result_point(s->result, s->names.items[i], -1, 16 * 32, -1));
        bars_add_time(&bars, s->names.items[i], time_scaled(run, cycles), s->names.ordered[i]);
    }
    return bars_write(s, &bars, file);
}

/* Opens a sweep of the plot's experiment as a plot of its own. Its `figure` is NULL without the sweep. */
static struct plot open_sweep(const struct plot *s, const char *sweep, struct result **opened)
{
    *opened = result_open(s->folder, made("%s@%s", s->result->experiment, sweep));
    return *opened ? plot_of(s->figure, *opened, s->folder) : (struct plot){.figure = NULL};
}

/* Writes the columns of Table 3 of Li 2015 as curves: the widest launch alone, and for atom-lock, whose
 * column of the paper is a total, all launches. The paper's times contain a launch for which the host
 * waits. Where the sweeps with such launches are (nw/sweeps.txt), only these are drawn, because curves with
 * and without that launch cannot be compared. A GPU has all launches in its main sweep. */
static bool write_launches(const struct plot *s, FILE *file)
{
    struct result *total = NULL, *waited = NULL;
    struct plot of_all = open_sweep(s, "atom", &total), of_widest = open_sweep(s, "waited", &waited);
    if (!total && (total = result_open(s->folder, s->result->experiment)))
        of_all = plot_of(s->figure, total, s->folder);
    for (size_t i = 0; i < s->names.count; i++) {
        char *name = s->names.items[i];
        struct names one = {.items = s->names.items + i, .count = 1};
        const struct plot *from = total && strcmp(name, "atom-lock") == 0 ? &of_all
                                  : waited && result_has(waited, name)    ? &of_widest
                                                                          : s;
        write_curves(from, &one, file);
    }
    if (total)
        names_free(&of_all.names);
    if (waited)
        names_free(&of_widest.names);
    return true;
}

/* Writes a bar for each variant of micro-decode. The first part is the percentage of the variant's time that
 * loads alone would take: the time of the variant `no-order`. The remaining percentage is the second part if
 * a run has one launch, otherwise the third part. */
static bool write_shares_of_token(const struct plot *s, FILE *file)
{
    struct bars bars = {NULL, 0};
    double loads_us = operation_us(s->result, "no-order", -1);
    for (size_t i = 0; i < s->names.count; i++) {
        const cJSON *p = result_point(s->result, s->names.items[i], -1, -1, -1);
        double share = 100 * fmin(1, loads_us / operation_time(s->result, p).us);
        struct bar *bar = bars_add(&bars, text_of(p, "variant"), share, true);
        if (number_of(p, "launches_per_run") > 1)
            bar->third = 100 - share;
        else
            bar->second = 100 - share;
    }
    return bars_write(s, &bars, file);
}

/* ---- curves ---- */

/* Writes the curve of a variant's hops: x percent of them, over all pairs of multiprocessors and all lines of
 * memory, take at most y microseconds. */
static void write_spread(const struct plot *s, const char *variant, FILE *file)
{
    const cJSON *hops = cJSON_GetObjectItem(result_point(s->result, variant, -1, -1, -1), "hops"), *pair,
                *time;
    double *times = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(hops, "times")) cJSON_ArrayForEach(time, pair)
    {
        times = with_room(times, sizeof *times, count, 1);
        times[count++] = time->valuedouble * s->result->us;
    }
    for (int percent = 0; percent <= 100 && count; percent++) {
        double us = quantile(times, count, 0.01 * percent);
        fprintf(file, "%d\t%.9g\t%.9g\t%.9g\n", percent, us, us, us);
    }
    fputs("\n\n", file);
    free(times);
}

static bool write_spreads(const struct plot *s, FILE *file)
{
    for (size_t i = 0; i < s->names.count; i++)
        write_spread(s, s->names.items[i], file);
    return true;
}

static bool write_swat_and_bitonic(const struct plot *s, FILE *file)
{
    struct result *bitonic =
        result_open(s->folder, made("bitonic%s", s->figure->result + strcspn(s->figure->result, "@")));
    if (!bitonic)
        return false;
    struct plot other = plot_of(s->figure, bitonic, s->folder);
    write_curves(s, &s->names, file);
    write_curves(&other, &s->names, file);
    names_free(&other.names);
    return true;
}

static bool write_beside_library(const struct plot *s, FILE *file)
{
    return write_best_curves(s->folder, s->result->experiment, file);
}

static bool write_outcomes(const struct plot *s, FILE *file)
{
    return write_litmus(s->result, file);
}

/* ---- the figure GAIN_BY_SIZE: speedups over cpu-implicit ---- */

static bool is_graph(const cJSON *p)
{
    return strncmp(text_of(p, "variant"), "cpu-graph", 9) == 0;
}
static bool is_without_barriers(const cJSON *p)
{
    return is_dataflow(text_of(p, "variant"));
}

/* Writes the curve of the variants of one kind, of barriers, graphs or dataflow. A row has the size, the
 * speedup over cpu-implicit of the kind's fastest variant, the ends of the speedup's interval and, for
 * barriers, the name of this variant in quotes. */
static void write_gain(const struct result *r, const double *sizes, size_t count,
                       bool (*wanted)(const cJSON *), FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        const cJSON *best = fastest_point(r, -1, sizes[i], wanted);
        struct timing gain =
            time_ratio(run_time(r, result_point(r, "cpu-implicit", -1, -1, sizes[i])), run_time(r, best));
        if (best && isfinite(gain.us))
            fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\t\"%s\"\n", sizes[i], gain.us, gain.low, gain.high,
                    wanted == is_ordered_barrier ? text_of(best, "variant") : "");
    }
    fputs("\n\n", file);
}

static bool write_gains(const struct plot *s, FILE *file)
{
    const struct result *r = result_open(s->folder, made("%s@sizes", s->result->experiment));
    double *sizes = NULL;
    size_t count = 0;
    if (r)
        FOR_EACH_POINT(p, r)
    if (point_is(p, "cpu-implicit")) {
        sizes = with_room(sizes, sizeof *sizes, count, 1);
        sizes[count++] = number_of(p, "size");
    }
    if (sizes)
        qsort(sizes, count, sizeof *sizes, compare_numbers);
    for (size_t n = 0; n < s->names.count; n++) {
        const cJSON *p = result_point(s->result, s->names.items[n], -1, -1, -1);
        write_gain(r, sizes, count,
                   is_graph(p)              ? is_graph
                   : is_without_barriers(p) ? is_without_barriers
                                            : is_ordered_barrier,
                   file);
    }
    free(sizes);
    return count;
}

const struct series_kind paper_series[] = {
    {SHARES, write_shares},
    {SHARES_OF_TOKEN, write_shares_of_token},
    {LATENCIES, write_latencies},
    {RATES_OF_BATCHES, write_rates},
    {CHAIN_OF_16, write_chains_of_16},
    {LAUNCHES_BY_SIZE, write_launches},
    {SPREAD_OF_HOPS, write_spreads},
    {OUTCOMES, write_outcomes},
    {BESIDE_LIBRARY, write_beside_library},
    {GAIN_BY_SIZE, write_gains},
    {SWAT_AND_BITONIC, write_swat_and_bitonic},
    {STUDY_N, write_study_curves},
    {STUDY_BARRIERS, write_study_curves},
    {STUDY_LATENCY, write_study_curves},
    {STUDY_FIGURE_2, write_study_trace},
    {STUDY_FIGURE_3, write_study_trace},
};
const size_t paper_series_count = sizeof paper_series / sizeof *paper_series;
