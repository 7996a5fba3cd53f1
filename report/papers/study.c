/*
 * Makes the table `bounds`: Nakano 2013, Table 1, beside what runs of the suite measured. The bounds are
 * those of results/papers/nakano-2013.json. A row has two kinds of measured columns.
 *
 * time / counted: the smallest and the largest ratio of a run's time units to the bound, over all runs of the
 * row. The constants of the bound are counted in the paper's listing.
 *
 * barriers: how many barriers the listing executes, less those that the suite leaves out, plus those that it
 * adds (report/papers/listing.h). These numbers are of the run with the most barriers. The table also says
 * how many runs have another number than this calculation gives.
 */
#include "report/papers/study.h"
#include "base/failure.h"
#include "base/memory.h"
#include "report/suite_path.h"
#include "report/papers/listing.h"
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const study_columns[STUDY_COLUMNS] = {"model", "width",   "latency", "schedule", "variant",
                                                  "n",     "threads", "time",    "barriers"};

/* ---- reading ---- */

static int column(const cJSON *json, const char *name)
{
    const cJSON *columns = cJSON_GetObjectItem(json, "columns");
    for (int i = 0; i < cJSON_GetArraySize(columns); i++) {
        const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(columns, i));
        if (text && strcmp(text, name) == 0)
            return i;
    }
    fail(EXIT_BAD_INPUT, "the study has no column %s", name);
}

struct study study_read(const char *folder)
{
    struct study s = {.json = json_need("%s/study.json", folder),
                      .paper = json_of_suite("results/papers/nakano-2013.json")};
    s.rows = cJSON_GetObjectItem(s.json, "rows");
    int *const columns[] = {&s.model, &s.width,   &s.latency, &s.schedule, &s.variant,
                            &s.n,     &s.threads, &s.time,    &s.barriers};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = column(s.json, study_columns[i]);
    return s;
}

double study_number(const cJSON *row, int at)
{
    return cJSON_GetNumberValue(cJSON_GetArrayItem(row, at));
}

const char *study_text(const cJSON *row, int at)
{
    const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(row, at));
    return text ? text : "";
}

/* ---- Table 1 ---- */

/* Returns what results/papers/nakano-2013.json has for the variant: its row of Table 1, or Lemma 1. */
static const cJSON *paper_row(const struct study *s, const char *variant)
{
    const char *dash = strchr(variant, '-');
    const cJSON *lemma = cJSON_GetObjectItem(s->paper, variant),
                *table = cJSON_GetObjectItem(s->paper, "table_1");
    const cJSON *found = lemma || !dash ? lemma : cJSON_GetObjectItem(table, dash + 1);
    if (!found)
        fail(EXIT_BAD_INPUT, "results/papers/nakano-2013.json has no bound for %s", variant);
    return found;
}

static const cJSON *paper_terms(const struct study *s, const char *variant, const char *of)
{
    return cJSON_GetObjectItem(paper_row(s, variant), of);
}

static struct bound_setting setting_of(const struct study *s, const cJSON *row)
{
    return (struct bound_setting){study_number(row, s->n), study_number(row, s->width),
                                  study_number(row, s->latency), study_number(row, s->threads)};
}

/* Returns the terms of the variant's time bound, with constants that are counted in the paper's listing. With
 * fewer than w l numbers, Hybrid has no columns and gets the terms of Simple-Tree. */
static const cJSON *counted_terms(const struct study *s, const char *variant, struct bound_setting is)
{
    bool prefix = strncmp(variant, "prefix-", 7) == 0, too_few = is.n < is.w * is.l;
    const char *row = !strstr(variant, "-hybrid") || !too_few ? variant : "sum-simple-tree";
    const cJSON *counted = cJSON_GetObjectItem(paper_row(s, row), "counted"), *of;
    of = cJSON_GetObjectItem(counted, prefix ? "prefix" : "sum");
    return cJSON_IsArray(counted) ? counted : cJSON_GetObjectItem(of, "time");
}

/* The largest number of threads that the suite gives to a block of another algorithm than Hybrid
 * (MOST_THREADS in sum/sum.cu). */
#define MOST_THREADS 32768

/* Returns the number of threads that Nakano 2013 gives to the algorithm of this run, rounded up to whole
 * warps. */
static double threads_of_paper(const struct study *s, const cJSON *row)
{
    struct bound_setting is = setting_of(s, row);
    const cJSON *threads = cJSON_GetObjectItem(paper_row(s, study_text(row, s->variant)), "threads");
    return ceil(bound_term(cJSON_GetStringValue(threads), is) / is.w) * is.w;
}

/* Returns the time bound for a run of the study. If the run has fewer threads than the paper's algorithm,
 * its accesses take several turns, and each term of the bound that grows with n adds a term n l/p, as in
 * Lemma 1. */
static double time_bound(const struct study *s, const cJSON *row)
{
    struct bound_setting is = setting_of(s, row);
    const cJSON *terms = counted_terms(s, study_text(row, s->variant), is), *term;
    double bound = bound_value(terms, is), turns = 0;
    cJSON_ArrayForEach(term, terms) turns +=
        bound_of_n(term->valuestring) ? bound_term(term->valuestring, is) : 0;
    return bound + (is.p < threads_of_paper(s, row) ? turns * is.w * is.l / is.p : 0);
}

static double other_threads(const struct study *s, const cJSON *row)
{
    double most = strstr(study_text(row, s->variant), "-hybrid") ? INFINITY : MOST_THREADS;
    return fabs(study_number(row, s->threads) - fmin(threads_of_paper(s, row), most));
}

/* Returns the difference between the run's number of barriers and the number that the listing and the suite's
 * changes to it give. */
static double other_barriers(const struct study *s, const cJSON *row)
{
    struct bound_setting is = setting_of(s, row);
    int expected =
        expected_barriers(study_text(row, s->variant), (unsigned)is.n, (unsigned)is.w, (unsigned)is.l);
    return fabs(study_number(row, s->barriers) - expected);
}

const char *const study_schedule_names[STUDY_SCHEDULES] = {"round-robin", "random", "adversarial"};

struct range {
    double low, high;
};

static void widen(struct range *range, double value)
{
    if (isnan(range->low) || value < range->low)
        range->low = value;
    if (isnan(range->high) || value > range->high)
        range->high = value;
}

static void add_range(struct table *t, struct range range)
{
    char low[32], high[32];
    table_cells(t, "%s to %s", fixed(low, range.low, 2), fixed(high, range.high, 2));
}

static void add_barriers(struct table *t, const struct study *s, const char *variant, const cJSON *most)
{
    struct bound_setting is = setting_of(s, most);
    struct listed_barriers b = listed_barriers(variant, (unsigned)is.n, (unsigned)is.w, (unsigned)is.l);
    table_cells(t, "%d - %d + %d | %.0F", b.listing, b.left_out, b.added, study_number(most, s->barriers));
}

static void add_algorithm(struct table *t, const struct study *s, const char *variant)
{
    struct range umm[STUDY_SCHEDULES] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}}, dmm = {NAN, NAN};
    const cJSON *row, *most = NULL;
    int others = 0;
    cJSON_ArrayForEach(row, s->rows)
    {
        if (strcmp(study_text(row, s->variant), variant) != 0)
            continue;
        double time = study_number(row, s->time) / time_bound(s, row);
        if (strcmp(study_text(row, s->model), "dmm") == 0)
            widen(&dmm, time);
        for (int i = 0; i < STUDY_SCHEDULES; i++)
            if (strcmp(study_text(row, s->model), "umm") == 0 &&
                strcmp(study_text(row, s->schedule), study_schedule_names[i]) == 0)
                widen(&umm[i], time);
        most = !most || study_number(row, s->barriers) > study_number(most, s->barriers) ? row : most;
        others += other_barriers(s, row) > 0;
    }
    if (!most)
        return;
    char time[128], needed[64];
    /* a setting with n > w l, as the paper assumes */
    const struct bound_setting many = {.n = 2, .w = 1, .l = 1, .p = 1};
    table_add(t, "%s | %s", variant, bound_text(counted_terms(s, variant, many), time, sizeof time));
    for (int i = 0; i < STUDY_SCHEDULES; i++)
        add_range(t, umm[i]);
    add_range(t, dmm);
    table_cells(t, "%s", bound_text(paper_terms(s, variant, "barriers"), needed, sizeof needed));
    add_barriers(t, s, variant, most);
    table_cells(t, "%d", others);
}

static const char *const algorithms[] = {"contiguous-access",  "contiguous-access-warp",
                                         "prefix-hybrid",      "prefix-simple",
                                         "prefix-simple-tree", "prefix-tree",
                                         "sum-hybrid",         "sum-simple",
                                         "sum-simple-tree",    "sum-tree"};
#define ALGORITHMS (sizeof algorithms / sizeof *algorithms)

void print_bounds(const char *folder, enum form form, FILE *file)
{
    struct study s = study_read(folder);
    struct table t = {NULL, 0};
    table_add(&t, "algorithm | time, with constants counted in the listing | time / counted: UMM, in turn | "
                  "UMM, random | UMM, adversarial | DMM, any | the paper: barriers | most: listing - left "
                  "out + added | measured | runs with another number");
    for (size_t i = 0; i < ALGORITHMS; i++)
        add_algorithm(&t, &s, algorithms[i]);
    table_end(&t, form, file);
}

/* ---- the largest or smallest value over the rows of the study ---- */

static double above_listing(const struct study *s, const cJSON *row)
{
    struct bound_setting is = setting_of(s, row);
    struct listed_barriers listed =
        listed_barriers(study_text(row, s->variant), (unsigned)is.n, (unsigned)is.w, (unsigned)is.l);
    return study_number(row, s->barriers) - listed.listing;
}

static double over_lower_bound(const struct study *s, const cJSON *row)
{
    struct bound_setting is = setting_of(s, row);
    return study_number(row, s->time) / (bound_term("n/w", is) + bound_term("l log n", is));
}

/* Returns whether the row is a run of this algorithm itself. With fewer than w l numbers Hybrid is the same
 * as Simple-Tree, whose rows contain such runs. */
static bool is_of(const struct study *s, const cJSON *row, const char *variant)
{
    struct bound_setting is = setting_of(s, row);
    return strcmp(study_text(row, s->variant), variant) == 0 &&
           !(strstr(variant, "-hybrid") && is.n < is.w * is.l);
}

double study_most(const struct study *s, const char *variant, enum study_ratio what)
{
    struct range range = {NAN, NAN};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows) if (is_of(s, row, variant))
        widen(&range, what == STUDY_TIME             ? study_number(row, s->time) / time_bound(s, row)
                      : what == STUDY_OTHER_BARRIERS ? other_barriers(s, row)
                      : what == STUDY_ABOVE_LISTING  ? above_listing(s, row)
                      : what == STUDY_OPTIMALITY     ? over_lower_bound(s, row)
                                                     : other_threads(s, row));
    return range.high;
}

double study_barriers_at(const struct study *s, const char *variant, double width, double latency)
{
    struct range range = {NAN, NAN};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows) if (strcmp(study_text(row, s->variant), variant) == 0 &&
                                         study_number(row, s->width) == width &&
                                         study_number(row, s->latency) == latency)
        widen(&range, study_number(row, s->barriers));
    return range.high;
}

static double time_in_turn(const struct study *s, const char *variant, struct bound_setting is)
{
    const cJSON *row;
    cJSON_ArrayForEach(row,
                       s->rows) if (strcmp(study_text(row, s->variant), variant) == 0 &&
                                    strcmp(study_text(row, s->model), "umm") == 0 &&
                                    strcmp(study_text(row, s->schedule), study_schedule_names[0]) == 0 &&
                                    study_number(row, s->n) == is.n && study_number(row, s->width) == is.w &&
                                    study_number(row, s->latency) == is.l) return study_number(row, s->time);
    return NAN;
}

double study_times(const struct study *s, const char *variant, const char *other, struct bound_setting is)
{
    return time_in_turn(s, variant, is) / time_in_turn(s, other, is);
}

/* The lower bounds are those of sums. Contiguous access computes no sum, so its rows are left out. */
double study_least(const struct study *s, const char *term)
{
    struct range range = {NAN, NAN};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows)
    {
        if (strncmp(study_text(row, s->variant), "contiguous-access", 17) != 0)
            widen(&range, study_number(row, s->time) / bound_term(term, setting_of(s, row)));
    }
    return range.low;
}

double study_barriers_by_n(const struct study *s, const char *variant)
{
    double most = NAN;
    const cJSON *a, *b;
    cJSON_ArrayForEach(a, s->rows)
    {
        struct bound_setting is = setting_of(s, a);
        if (strcmp(study_text(a, s->variant), variant) != 0 || is.n <= is.w * is.l)
            continue;
        cJSON_ArrayForEach(b, s->rows)
        {
            struct bound_setting other = setting_of(s, b);
            if (strcmp(study_text(b, s->variant), variant) == 0 && other.w == is.w && other.l == is.l &&
                other.n > is.w * is.l)
                most = fmax(most, study_number(a, s->barriers) - study_number(b, s->barriers));
        }
    }
    return most;
}

static bool is_in_series(const struct study *s, const cJSON *row, const char *variant, const char *schedule,
                         bool against_n)
{
    return strcmp(study_text(row, s->variant), variant) == 0 &&
           strcmp(study_text(row, s->model), "umm") == 0 &&
           strcmp(study_text(row, s->schedule), schedule) == 0 && study_number(row, s->width) == 32 &&
           study_number(row, against_n ? s->latency : s->n) == (against_n ? 100 : 16384);
}

static bool differ_in_schedule_alone(const struct study *s, const cJSON *a, const cJSON *b)
{
    return study_number(a, s->n) == study_number(b, s->n) &&
           study_number(a, s->width) == study_number(b, s->width) &&
           study_number(a, s->latency) == study_number(b, s->latency) &&
           strcmp(study_text(a, s->variant), study_text(b, s->variant)) == 0 &&
           strcmp(study_text(a, s->model), "umm") == 0 && strcmp(study_text(b, s->model), "umm") == 0;
}

double study_schedules(const struct study *s, const char *variant)
{
    double most = NAN;
    const cJSON *a, *b;
    cJSON_ArrayForEach(a, s->rows)
    {
        if (strcmp(study_text(a, s->variant), variant) != 0)
            continue;
        cJSON_ArrayForEach(b, s->rows) if (differ_in_schedule_alone(s, a, b)) most =
            fmax(most, study_number(a, s->time) / study_number(b, s->time));
    }
    return most;
}

/* ---- series ---- */

void study_trace(const struct study *s, const char *what, FILE *file)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(s->json, what))
        fprintf(file, "%g\t%g\t%g\t%g\n", study_number(row, 1), study_number(row, 3), study_number(row, 4),
                study_number(row, 5));
}

double study_complete(const struct study *s, const char *what)
{
    double last = NAN;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(s->json, what)) last = fmax(last, study_number(row, 5));
    return last;
}

/* The points of a curve, each with x and y. */
struct curve {
    double (*points)[2];
    size_t count;
};

static void add_point(struct curve *curve, double x, double y)
{
    curve->points = with_room(curve->points, sizeof *curve->points, curve->count, 1);
    curve->points[curve->count][0] = x;
    curve->points[curve->count++][1] = y;
}

/* Prints the curve's points in the order of x, and frees them. */
static void print_curve(FILE *file, struct curve curve)
{
    if (curve.points)
        qsort(curve.points, curve.count, sizeof *curve.points, compare_numbers);
    for (size_t k = 0; k < curve.count; k++) {
        const double *at = curve.points[k];
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", at[0], at[1], at[1], at[1]);
    }
    fputs("\n\n", file);
    free(curve.points);
}

void study_curve(const struct study *s, const char *variant, const char *schedule, bool against_n,
                 enum study_quantity what, FILE *file)
{
    struct curve curve = {NULL, 0};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows) if (is_in_series(s, row, variant, schedule, against_n))
        add_point(&curve, study_number(row, against_n ? s->n : s->latency),
                  what == STUDY_BOUND    ? time_bound(s, row)
                  : what == STUDY_NEEDED ? study_number(row, s->barriers)
                                         : study_number(row, s->time));
    print_curve(file, curve);
}

/* Splits a term into its factor and the rest, which it returns. The factor is 1 if the term does not begin
 * with one. */
static const char *without_factor(const char *term, double *factor)
{
    char *end;
    double number = strtod(term, &end);
    *factor = end == term ? 1 : number;
    return end + strspn(end, " ");
}

bool bound_of_n(const char *term)
{
    double factor;
    return *without_factor(term, &factor) == 'n';
}

double bound_term(const char *with_factor, struct bound_setting s)
{
    double factor;
    const char *term = without_factor(with_factor, &factor);
    const struct {
        const char *term;
        double value;
    } terms[] = {
        {"n/w", s.n / s.w},
        {"n/w log w", s.n / s.w * log2(s.w)},
        {"n l/p", s.n * s.l / s.p},
        {"n/(w-1)", s.n / (s.w - 1)},
        {"n/(w-1) log w", s.n / (s.w - 1) * log2(s.w)},
        {"l", s.l},
        {"l log n", s.l * log2(s.n)},
        {"l ceil(log n / log w)", s.l * ceil(log2(s.n) / log2(s.w))},
        {"log (n/w)", log2(s.n / s.w)},
        {"log n / log w", log2(s.n) / log2(s.w)},
        {"log l / log w", log2(s.l) / log2(s.w)},
        {"log log w", log2(log2(s.w))},
        {"n", s.n},
        {"n/2", s.n / 2},
        {"w", s.w},
        {"w l", s.w * s.l},
        {"p", s.p},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strcmp(terms[i].term, term) == 0)
            return factor * terms[i].value;
    fail(EXIT_BAD_INPUT, "a bound has the term \"%s\", which is not known", with_factor);
}

double bound_value(const cJSON *terms, struct bound_setting setting)
{
    double sum = 0;
    const cJSON *term;
    cJSON_ArrayForEach(term, terms) sum += bound_term(cJSON_IsString(term) ? term->valuestring : "", setting);
    return sum;
}

const char *bound_text(const cJSON *terms, char *text, size_t bytes)
{
    size_t length = 0;
    const cJSON *term;
    snprintf(text, bytes, "0");
    cJSON_ArrayForEach(term, terms) if (cJSON_IsString(term) && length < bytes) length +=
        (size_t)snprintf(text + length, bytes - length, "%s%s", length ? " + " : "", term->valuestring);
    return text;
}
