#include "report/figures.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "report/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence that is being composed. */
struct says {
    const struct plot *plot;
    FILE *file;
};

#define say(s, ...) fprintf((s)->file, __VA_ARGS__)

/* ---- names, numbers and units ---- */

/* Returns a name in quotes, which show where it ends, and that it is one name ("launches" takes). */
static const char *quoted(const char *name)
{
    return made("\"%s\"", name);
}

/* Returns the label of variant number `i` of the figure, in quotes. */
static const char *label(const struct says *s, size_t i)
{
    return quoted(figure_label(s->plot->figure, &s->plot->names, i));
}

/* Returns the label of variant number `i` and, if it is unordered, says so. */
static const char *name(const struct says *s, size_t i)
{
    return made("%s%s", label(s, i), s->plot->names.ordered[i] ? "" : " (unordered)");
}

static const char *unit_said(enum quantity quantity)
{
    static const char *const units[] = {[MILLISECONDS] = " ms",
                                        [MS_OF_SYNC] = " ms",
                                        [MS_OF_10000] = " ms",
                                        [MICROSECONDS] = " us",
                                        [US_LATE] = " us",
                                        [US_COMPARED] = " us",
                                        [CYCLES] = " cycles",
                                        [CELLS] = " billion cells a second",
                                        [RATIO] = " times",
                                        [TIMES_AS_FAST] = " times as fast as ",
                                        [OVER_FLOOR] = " times the dotted level",
                                        [TIME_UNITS] = " time units"};
    return units[quantity];
}

static bool is_higher_better(enum quantity quantity)
{
    return quantity == CELLS || quantity == RATIO || quantity == TIMES_AS_FAST;
}

static const char *value(const struct says *s, double is)
{
    const struct figure *figure = s->plot->figure;
    return made("%s%s%s", fabs(is) >= 1000 ? grouped(is) : rounded(is),
                figure->series == STUDY_BARRIERS ? "" : unit_said(figure->quantity),
                figure->quantity == TIMES_AS_FAST ? name_in_figure(figure, figure->base) : "");
}

static const char *place_number(double x)
{
    return x == round(x) ? grouped(x) : rounded(x);
}

/* Returns the place x of the figure's axis: "30 thread blocks", "1 GPU", "n = 1,024". */
static const char *place(const struct says *s, double x)
{
    const char *of = x_label_of(s->plot);
    if (strcmp(of, "n") == 0 || strcmp(of, "size") == 0 || strcmp(of, "latency") == 0)
        return made("%s = %s", of, place_number(x));
    return made("%s %.*s", place_number(x), (int)strlen(of) - (x == 1 && of[strlen(of) - 1] == 's'), of);
}

/* ---- curves ---- */

/* Which curves a sentence compares. A figure's sentence must not recommend what is wrong: if curves are
 * ordered, it compares these, and names an unordered one that is better apart. In a figure of methods to
 * synchronize it also names apart what synchronizes by data and has no barrier. */
enum compared { ALL, ORDERED, UNORDERED, WITHOUT_BARRIER };

/* The best and the worst curve at some x, as numbers of their variants. */
struct ends {
    size_t best, last;
    double best_y, last_y;
    size_t count; /* number of curves that have a point at this x */
};

static double y_at(const struct data_set *set, double x)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->rows[i].values[0] == x)
            return set->rows[i].values[1];
    return NAN;
}

static enum compared kind_of(const struct plot *plot, size_t i)
{
    if (plot->figure->series == AGAINST_BLOCKS && is_dataflow(plot->names.items[i]))
        return WITHOUT_BARRIER;
    return plot->names.ordered[i] ? ORDERED : UNORDERED;
}

static bool is_compared(const struct plot *plot, size_t i, enum compared which)
{
    const char *name = plot->names.items[i], *base = plot->figure->base, *apart = plot->figure->apart;
    return (which == ALL || kind_of(plot, i) == which) && !is_baseline(name) &&
           !(base && strcmp(name, base) == 0) && !(apart && strncmp(name, apart, strlen(apart)) == 0);
}

static bool is_better(const struct plot *plot, double a, double b)
{
    return is_higher_better(plot->figure->quantity) ? a > b : a < b;
}

/* Returns the best and the worst of the compared curves at x. The curves are the data sets number 0, `step`,
 * 2 * step, ... counted from `first`, one for each of the plot's names. */
static struct ends ends_at(const struct plot *plot, enum compared which, const struct data_set *first,
                           size_t step, double x)
{
    struct ends ends = {0, 0, NAN, NAN, 0};
    for (size_t i = 0; i < plot->names.count; i++) {
        double y = is_compared(plot, i, which) ? y_at(&first[i * step], x) : NAN;
        if (!isfinite(y))
            continue;
        ends.count++;
        if (isnan(ends.best_y) || is_better(plot, y, ends.best_y)) {
            ends.best = i;
            ends.best_y = y;
        }
        if (isnan(ends.last_y) || is_better(plot, ends.last_y, y)) {
            ends.last = i;
            ends.last_y = y;
        }
    }
    return ends;
}

/* Returns the sorted x at which at least `fewest` of the compared curves have a point, and stores their
 * number in *count. The caller frees the array. */
static double *shared_places(const struct plot *plot, enum compared which, size_t fewest,
                             const struct data_set *first, size_t step, size_t *count)
{
    double *all = NULL;
    size_t found = 0;
    *count = 0;
    for (size_t i = 0; i < plot->names.count; i++)
        for (size_t row = 0; row < first[i * step].count; row++) {
            all = with_room(all, sizeof *all, found, 1);
            all[found++] = first[i * step].rows[row].values[0];
        }
    if (!found)
        return all;
    qsort(all, found, sizeof *all, compare_numbers);
    for (size_t i = 0; i < found; i++)
        if ((!*count || all[*count - 1] != all[i]) &&
            ends_at(plot, which, first, step, all[i]).count >= fewest)
            all[(*count)++] = all[i];
    return all;
}

static void say_behind(struct says *s, struct ends ends)
{
    bool higher = is_higher_better(s->plot->figure->quantity);
    double factor = higher ? ends.best_y / ends.last_y : ends.last_y / ends.best_y;
    if (!isfinite(factor) || factor < 1 || ends.best == ends.last)
        return;
    if (higher)
        say(s, ", and %s times as fast as %s", rounded(factor), name(s, ends.last));
    else
        say(s, "; %s %s %s times that", name(s, ends.last),
            s->plot->figure->series == STUDY_BARRIERS ? "needs" : "takes", rounded(factor));
}

static const char *verb_of(const struct plot *plot)
{
    return plot->figure->series == STUDY_BARRIERS     ? "needs the fewest barriers"
           : is_higher_better(plot->figure->quantity) ? "is fastest"
                                                      : "takes least";
}

static size_t count_compared(const struct plot *plot, enum compared which)
{
    size_t count = 0;
    for (size_t i = 0; i < plot->names.count; i++)
        count += is_compared(plot, i, which);
    return count;
}

static void say_curves(struct says *s, const struct data_set *first, size_t step)
{
    const struct plot *plot = s->plot;
    size_t count, ordered = count_compared(plot, ORDERED), unordered = count_compared(plot, UNORDERED);
    enum compared which = ordered && unordered ? ORDERED : ALL;
    double *places = shared_places(plot, which, which == ALL || ordered > 1 ? 2 : 1, first, step, &count);
    bool same = true;
    if (count) {
        double begin = places[0], end = places[count - 1];
        struct ends from = ends_at(plot, which, first, step, begin),
                    to = ends_at(plot, which, first, step, end),
                    apart = ends_at(plot, UNORDERED, first, step, end),
                    without = ends_at(plot, WITHOUT_BARRIER, first, step, end);
        for (size_t i = 0; i < count; i++)
            same = same && ends_at(plot, which, first, step, places[i]).best == to.best;
        if (which == ORDERED && ordered == 1)
            say(s, "%s, the only ordered one here: %s at %s", name(s, to.best), value(s, to.best_y),
                place(s, end));
        else if (same)
            say(s, "%s%s %s everywhere: %s at %s", which == ORDERED ? "Of the ordered ones " : "",
                name(s, to.best), verb_of(plot), value(s, to.best_y), place(s, end));
        else if (from.best == to.best)
            say(s, "%s%s %s at %s (%s), and at %s (%s), but not everywhere between",
                which == ORDERED ? "Of the ordered ones " : "", name(s, to.best), verb_of(plot),
                place(s, begin), value(s, from.best_y), place_number(end), value(s, to.best_y));
        else
            say(s, "At %s %s %s%s (%s), at %s %s: %s", place(s, begin), name(s, from.best), verb_of(plot),
                which == ORDERED ? " of the ordered ones" : "", value(s, from.best_y), place_number(end),
                name(s, to.best), value(s, to.best_y));
        say_behind(s, to);
        if (which == ORDERED && apart.count && (ordered == 1 || is_better(plot, apart.best_y, to.best_y)))
            say(s, "; unordered, so not to be used: %s, %s", label(s, apart.best), value(s, apart.best_y));
        if (without.count && is_better(plot, without.best_y, to.best_y))
            say(s, "; without a barrier: %s, %s", label(s, without.best), value(s, without.best_y));
        say(s, ".");
    }
    free(places);
}

/* Prints every curve's value at the last place that at least two of them share. The curves are parts of a
 * program's time. */
static void say_list(struct says *s, const struct data_set *first)
{
    size_t count;
    double *places = shared_places(s->plot, ALL, 2, first, 1, &count);
    if (count) {
        say(s, "At %s", place(s, places[count - 1]));
        for (size_t i = 0; i < s->plot->names.count; i++) {
            double y = y_at(&first[i], places[count - 1]);
            if (isfinite(y))
                say(s, "%s%s %s", i ? ", " : ": ", label(s, i), value(s, y));
        }
        say(s, ".");
    }
    free(places);
}

static void say_panels(struct says *s, const struct figure_data *data)
{
    say(s, "Smith-Waterman: ");
    say_curves(s, data->sets, 1);
    say(s, " Bitonic sort: ");
    say_curves(s, data->sets + s->plot->names.count, 1);
}

static void say_gains(struct says *s, const struct figure_data *data)
{
    const struct data_set *set = &data->sets[0];
    const double *first = set->rows[0].values, *last = set->rows[set->count - 1].values;
    say(s,
        "The fastest ordered grid barrier is %s times as fast as back-to-back launches at %s, and %s times "
        "at %s.",
        rounded(first[1]), place(s, first[0]), rounded(last[1]), place(s, last[0]));
}

/* The curves are those of the last run. The median is the one of all runs, which tables have, too. */
static void say_spread(struct says *s, const struct figure_data *data)
{
    const struct result *r = s->plot->result;
    for (size_t i = 0; i < data->count; i++) {
        const char *variant = s->plot->names.items[i];
        say(s, "%s%s, and the slowest %s (%s)", i ? "; " : "Half of the hops take at most ",
            value(s, operation_time(r, result_point(r, variant, -1, -1, -1)).us),
            value(s, y_at(&data->sets[i], 100)), quoted(variant));
    }
    say(s, ".");
}

/* ---- bars ---- */

/* Returns the row with the lowest (or highest) second number among the ordered (or unordered) bars, or NULL
 * if there is none. The fourth number tells which bars are ordered. */
static const struct data_row *extreme(const struct data_set *set, bool highest, bool ordered)
{
    const struct data_row *found = NULL;
    for (const struct data_row *row = set->rows; row < set->rows + set->count; row++)
        if ((row->values[3] > 0) == ordered &&
            (!found || (highest ? row->values[1] > found->values[1] : row->values[1] < found->values[1])))
            found = row;
    return found;
}

static void say_bars(struct says *s, const struct data_set *set)
{
    const struct data_row *low = extreme(set, false, true), *high = extreme(set, true, true),
                          *wrong = extreme(set, false, false);
    if (!low || low == high)
        return;
    say(s, "Of the ordered ones %s takes least, %s, and %s %s times as long", quoted(low->name),
        value(s, low->values[1]), quoted(high->name), rounded(high->values[1] / low->values[1]));
    if (wrong)
        say(s, "; unordered, so not to be used: %s, %s", quoted(wrong->name), value(s, wrong->values[1]));
    say(s, ".");
}

static void say_latencies(struct says *s, const struct data_set *set)
{
    bool any = false;
    for (size_t i = 0; i < set->count; i++) {
        const struct data_row *row = &set->rows[i];
        if (strncmp(row->name, "shuffle", 7) != 0 && strcmp(row->name, "shared") != 0 &&
            strcmp(row->name, "syncthreads-8") != 0)
            continue;
        say(s, "%s%s takes %s", any ? ", " : "", quoted(row->name), value(s, row->values[1]));
        any = true;
    }
    say(s, any ? "." : "");
}

static void say_shares(struct says *s, const struct data_set *set, const char *what)
{
    const struct data_row *low = extreme(set, false, true), *high = extreme(set, true, true);
    if (low && high)
        say(s, "%s %.0f %% of the time with %s, and %.0f %% with %s.", what, low->values[1],
            quoted(low->name), high->values[1], quoted(high->name));
}

static void say_rates(struct says *s, const struct data_set *set)
{
    const struct data_row *low = extreme(set, false, true), *high = extreme(set, true, true);
    if (low && low != high)
        say(s, "On average %s computes most, %s billion cells a second, %s times as many as %s.",
            quoted(high->name), rounded(high->values[1]), rounded(high->values[1] / low->values[1]),
            quoted(low->name));
}

/* ---- cells, dots and requests ---- */

static void say_outcomes(struct says *s, const struct data_set *set)
{
    int allowed = 0, came = 0, shown = 0, wrong = 0;
    for (const struct data_row *row = set->rows; row < set->rows + set->count; row++) {
        bool may = row->values[4] > 0, here = row->values[5] > 0;
        allowed += may;
        came += may && here;
        shown += may && (row->values[6] > 0 || row->values[7] > 0);
        wrong += !may && here;
    }
    say(s,
        "Of %d outcomes that PTX allows %d came here, and the memory machine shows %d; of those that PTX "
        "forbids %d came.",
        allowed, came, shown, wrong);
}

static void say_predictions(struct says *s, const struct figure_data *data)
{
    double *errors = NULL;
    size_t count = 0;
    for (size_t i = 0; i < data->count; i++)
        for (size_t row = 0; row < data->sets[i].count; row++) {
            const double *values = data->sets[i].rows[row].values;
            errors = with_room(errors, sizeof *errors, count, 1);
            errors[count++] = 100 * fabs(values[1] / values[0] - 1);
        }
    if (count)
        say(s,
            "Half of the %zu predictions are within %.0f %% of what was measured, nine of ten within %.0f "
            "%%.",
            count, quantile(errors, count, 0.5), quantile(errors, count, 0.9));
    free(errors);
}

static void say_requests(struct says *s, const struct data_set *set)
{
    double last = 0;
    for (size_t i = 0; i < set->count; i++)
        last = fmax(last, set->rows[i].values[3]);
    say(s, "The last of %zu requests is complete after %g time units.", set->count, last);
}

/* ---- the sentence ---- */

/* Composes the sentence; writes nothing if the number of data sets differs from the plot's number of names.
 * */
static void say_all(struct says s, const struct figure_data *data)
{
    const struct plot *plot = s.plot;
    size_t names = plot->names.count;
    if (!data->count)
        return;
    switch (plot->figure->series) {
    case COST_OF_BARRIERS:
    case OPERATIONS:
    case CHAIN_OF_16:
        say_bars(&s, data->sets);
        break;
    case LATENCIES:
        say_latencies(&s, data->sets);
        break;
    case SHARES:
        say_shares(&s, data->sets, "Computation is");
        break;
    case SHARES_OF_TOKEN:
        say_shares(&s, data->sets, "Loads are");
        break;
    case RATES_OF_BATCHES:
        say_rates(&s, data->sets);
        break;
    case OUTCOMES:
        say_outcomes(&s, data->sets);
        break;
    case MEASURED_AND_PREDICTED:
        say_predictions(&s, data);
        break;
    case STUDY_FIGURE_2:
    case STUDY_FIGURE_3:
        say_requests(&s, data->sets);
        break;
    case STUDY_N:
    case STUDY_BARRIERS:
    case STUDY_LATENCY:
        if (data->count >= 3 * names)
            say_curves(&s, data->sets, 3);
        break;
    case SWAT_AND_BITONIC:
        if (data->count == 2 * names)
            say_panels(&s, data);
        break;
    case GAIN_BY_SIZE:
        say_gains(&s, data);
        break;
    case SPREAD_OF_HOPS:
        if (data->count == names)
            say_spread(&s, data);
        break;
    default:
        if (data->count == names && plot->figure->axes & LISTED)
            say_list(&s, data->sets);
        else if (data->count == names)
            say_curves(&s, data->sets, 1);
    }
}

char *figure_says(const struct plot *plot, const struct figure_data *data)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        fail(EXIT_CANNOT, "no memory");
    say_all((struct says){plot, file}, data);
    fclose(file);
    return text;
}
