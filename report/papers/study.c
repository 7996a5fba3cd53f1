/*
 * Makes the table `bounds`: Nakano 2013, Table 1, beside what runs of the suite measured. The bounds are in
 * results/papers/nakano-2013.json. A row has two kinds of measured columns.
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
    for (size_t i = 0; i < STUDY_COLUMNS; i++)
        s.columns[i] = column(s.json, study_columns[i]);
    return s;
}

static double number_at(const cJSON *row, int at)
{
    return cJSON_GetNumberValue(cJSON_GetArrayItem(row, at));
}

/* A run of the study: a row of study.json. */
struct run {
    const cJSON *row; /* NULL after the last run */
    const char *model, *schedule, *variant;
    struct bound_setting is;
    double time, barriers;
};

static struct run run_of(const struct study *s, const cJSON *row)
{
    const char *texts[STUDY_COLUMNS];
    double numbers[STUDY_COLUMNS];
    for (size_t i = 0; i < STUDY_COLUMNS; i++) {
        const cJSON *cell = cJSON_GetArrayItem(row, s->columns[i]);
        const char *text = cJSON_GetStringValue(cell);
        texts[i] = text ? text : "";
        numbers[i] = cJSON_GetNumberValue(cell);
    }
    return (struct run){.row = row,
                        .model = texts[0],
                        .schedule = texts[3],
                        .variant = texts[4],
                        .is = {.n = numbers[5], .w = numbers[1], .l = numbers[2], .p = numbers[6]},
                        .time = numbers[7],
                        .barriers = numbers[8]};
}

static const cJSON *rows_of(const struct study *s)
{
    const cJSON *rows = cJSON_GetObjectItem(s->json, "rows");
    return rows ? rows->child : NULL;
}

#define FOR_EACH_RUN(r, s) for (struct run r = run_of(s, rows_of(s)); r.row; r = run_of(s, r.row->next))

static bool is_of(const struct run *r, const char *variant)
{
    return strcmp(r->variant, variant) == 0;
}

static bool is_umm(const struct run *r, const char *schedule)
{
    return strcmp(r->model, "umm") == 0 && (!schedule || strcmp(r->schedule, schedule) == 0);
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
static double threads_of_paper(const struct study *s, const struct run *r)
{
    const cJSON *threads = cJSON_GetObjectItem(paper_row(s, r->variant), "threads");
    return ceil(bound_term(cJSON_GetStringValue(threads), r->is) / r->is.w) * r->is.w;
}

/* Returns the time bound for a run of the study. If the run has fewer threads than the paper's algorithm,
 * its accesses take several turns, and each term of the bound that grows with n adds a term n l/p, as in
 * Lemma 1. */
static double time_bound(const struct study *s, const struct run *r)
{
    const cJSON *terms = counted_terms(s, r->variant, r->is), *term;
    double bound = bound_value(terms, r->is), turns = 0;
    cJSON_ArrayForEach(term, terms) turns +=
        bound_of_n(term->valuestring) ? bound_term(term->valuestring, r->is) : 0;
    return bound + (r->is.p < threads_of_paper(s, r) ? turns * r->is.w * r->is.l / r->is.p : 0);
}

static double other_threads(const struct study *s, const struct run *r)
{
    double most = strstr(r->variant, "-hybrid") ? INFINITY : MOST_THREADS;
    return fabs(r->is.p - fmin(threads_of_paper(s, r), most));
}

static struct listed_barriers listed(const struct run *r)
{
    return listed_barriers(r->variant, (unsigned)r->is.n, (unsigned)r->is.w, (unsigned)r->is.l);
}

/* Returns the difference between the run's number of barriers and the number that the listing and the suite's
 * changes to it give. */
static double other_barriers(const struct run *r)
{
    return fabs(r->barriers -
                expected_barriers(r->variant, (unsigned)r->is.n, (unsigned)r->is.w, (unsigned)r->is.l));
}

const char *const study_schedule_names[STUDY_SCHEDULES] = {"round-robin", "random", "adversarial"};

struct range {
    double low, high;
};

/* fmin and fmax ignore the NaN with which a range begins. */
static void widen(struct range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static void add_algorithm(struct table *t, const struct study *s, const char *variant)
{
    struct range umm[STUDY_SCHEDULES] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}}, dmm = {NAN, NAN};
    struct run most = {.row = NULL};
    int others = 0;
    FOR_EACH_RUN(r, s)
    {
        if (!is_of(&r, variant))
            continue;
        double time = r.time / time_bound(s, &r);
        if (strcmp(r.model, "dmm") == 0)
            widen(&dmm, time);
        for (int i = 0; i < STUDY_SCHEDULES; i++)
            if (is_umm(&r, study_schedule_names[i]))
                widen(&umm[i], time);
        most = !most.row || r.barriers > most.barriers ? r : most;
        others += other_barriers(&r) > 0;
    }
    if (!most.row)
        return;
    char time[128], needed[64];
    /* a setting with n > w l, as the paper assumes */
    const struct bound_setting many = {.n = 2, .w = 1, .l = 1, .p = 1};
    struct listed_barriers b = listed(&most);
    table_add(t, "%s | %s", variant, bound_text(counted_terms(s, variant, many), time, sizeof time));
    for (int i = 0; i < STUDY_SCHEDULES; i++)
        table_cells(t, "%.2F to %.2F", umm[i].low, umm[i].high);
    table_cells(t, "%.2F to %.2F | %s | %d - %d + %d | %.0F | %d", dmm.low, dmm.high,
                bound_text(cJSON_GetObjectItem(paper_row(s, variant), "barriers"), needed, sizeof needed),
                b.listing, b.left_out, b.added, most.barriers, others);
}

void print_bounds(const char *folder, enum form form, FILE *file)
{
    static const char *const algorithms[] = {"contiguous-access",  "contiguous-access-warp",
                                             "prefix-hybrid",      "prefix-simple",
                                             "prefix-simple-tree", "prefix-tree",
                                             "sum-hybrid",         "sum-simple",
                                             "sum-simple-tree",    "sum-tree"};
    struct study s = study_read(folder);
    struct table t = {NULL, 0};
    table_add(&t,
              "algorithm | time, with constants counted in the listing | time / counted: UMM, in turn | UMM, "
              "random | UMM, adversarial | DMM, any | the paper: barriers | most: listing - left out + "
              "added | measured | runs with another number");
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        add_algorithm(&t, &s, algorithms[i]);
    table_end(&t, form, file);
}

/* ---- the largest or smallest value over the rows of the study ---- */

static double value_of(const struct study *s, const struct run *r, enum study_ratio what)
{
    switch (what) {
    case STUDY_TIME:
        return r->time / time_bound(s, r);
    case STUDY_OTHER_BARRIERS:
        return other_barriers(r);
    case STUDY_ABOVE_LISTING:
        return r->barriers - listed(r).listing;
    case STUDY_OPTIMALITY:
        return r->time / (bound_term("n/w", r->is) + bound_term("l log n", r->is));
    default:
        return other_threads(s, r);
    }
}

/* With fewer than w l numbers Hybrid is the same as Simple-Tree, whose rows contain such runs. */
double study_most(const struct study *s, const char *variant, enum study_ratio what)
{
    double most = NAN;
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && !(strstr(variant, "-hybrid") && r.is.n < r.is.w * r.is.l))
        most = fmax(most, value_of(s, &r, what));
    return most;
}

double study_barriers_at(const struct study *s, const char *variant, double width, double latency)
{
    double most = NAN;
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && r.is.w == width && r.is.l == latency)
        most = fmax(most, r.barriers);
    return most;
}

static double time_in_turn(const struct study *s, const char *variant, struct bound_setting is)
{
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && is_umm(&r, study_schedule_names[0]) && r.is.n == is.n && r.is.w == is.w &&
        r.is.l == is.l)
        return r.time;
    return NAN;
}

double study_times(const struct study *s, const char *variant, const char *other, struct bound_setting is)
{
    return time_in_turn(s, variant, is) / time_in_turn(s, other, is);
}

/* The lower bounds hold for sums. Contiguous access computes no sum, so its rows are left out. */
double study_least(const struct study *s, const char *term)
{
    double least = NAN;
    FOR_EACH_RUN(r, s)
    if (strncmp(r.variant, "contiguous-access", 17) != 0)
        least = fmin(least, r.time / bound_term(term, r.is));
    return least;
}

double study_barriers_by_n(const struct study *s, const char *variant)
{
    double most = NAN;
    FOR_EACH_RUN(a, s)
    {
        if (!is_of(&a, variant) || a.is.n <= a.is.w * a.is.l)
            continue;
        FOR_EACH_RUN(b, s)
        if (is_of(&b, variant) && b.is.w == a.is.w && b.is.l == a.is.l && b.is.n > a.is.w * a.is.l)
            most = fmax(most, a.barriers - b.barriers);
    }
    return most;
}

double study_schedules(const struct study *s, const char *variant)
{
    double most = NAN;
    FOR_EACH_RUN(a, s)
    {
        if (!is_of(&a, variant) || !is_umm(&a, NULL))
            continue;
        FOR_EACH_RUN(b, s)
        if (is_of(&b, variant) && is_umm(&b, NULL) && a.is.n == b.is.n && a.is.w == b.is.w &&
            a.is.l == b.is.l)
            most = fmax(most, a.time / b.time);
    }
    return most;
}

/* ---- series ---- */

void study_trace(const struct study *s, const char *what, FILE *file)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(s->json, what)) fprintf(
        file, "%g\t%g\t%g\t%g\n", number_at(row, 1), number_at(row, 3), number_at(row, 4), number_at(row, 5));
}

double study_complete(const struct study *s, const char *what)
{
    double last = NAN;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(s->json, what)) last = fmax(last, number_at(row, 5));
    return last;
}

void study_curve(const struct study *s, const char *variant, const char *schedule, bool against_n,
                 enum study_quantity what, FILE *file)
{
    double(*points)[2] = NULL; /* each with x and y */
    size_t count = 0;
    FOR_EACH_RUN(r, s)
    {
        if (!is_of(&r, variant) || !is_umm(&r, schedule) || r.is.w != 32 ||
            (against_n ? r.is.l != 100 : r.is.n != 16384))
            continue;
        points = with_room(points, sizeof *points, count, 1);
        points[count][0] = against_n ? r.is.n : r.is.l;
        points[count++][1] = what == STUDY_BOUND    ? time_bound(s, &r)
                             : what == STUDY_NEEDED ? r.barriers
                                                    : r.time;
    }
    if (points)
        qsort(points, count, sizeof *points, compare_numbers);
    for (size_t k = 0; k < count; k++)
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", points[k][0], points[k][1], points[k][1], points[k][1]);
    fputs("\n\n", file);
    free(points);
}

/* ---- bounds ---- */

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
