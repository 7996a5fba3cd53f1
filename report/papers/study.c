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
#include "report/devices.h"
#include "report/papers/listing.h"
#include "report/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const study_columns[STUDY_COLUMNS] = {"model", "width",   "latency", "schedule", "variant",
                                                  "n",     "threads", "time",    "barriers"};

/* ---- reading ---- */

/* The study of the abstract machines. */
struct study {
    const cJSON *json, *paper;  /* contents of study.json, and of results/papers/nakano-2013.json */
    int columns[STUDY_COLUMNS]; /* index of each of study_columns in a row of the study */
};

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

static struct study study_read(const char *folder)
{
    struct study s = {.json = json_need(made("%s/study.json", folder)),
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

#define FOR_EACH_RUN(r, s)                                                                                   \
    for (struct run r = run_of(s, cJSON_GetArrayItem(cJSON_GetObjectItem(s->json, "rows"), 0)); r.row;       \
         r = run_of(s, r.row->next))

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
static double other_barriers(const struct study *s, const struct run *r)
{
    (void)s;
    return fabs(r->barriers -
                expected_barriers(r->variant, (unsigned)r->is.n, (unsigned)r->is.w, (unsigned)r->is.l));
}

/* Round-robin is Nakano's synchronous manner; the other two schedules are asynchronous. */
enum { SCHEDULES = 3 };
static const char *const schedule_names[SCHEDULES] = {"round-robin", "random", "adversarial"};

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
    struct range umm[SCHEDULES] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}}, dmm = {NAN, NAN};
    struct run most = {.row = NULL};
    int others = 0;
    FOR_EACH_RUN(r, s)
    {
        if (!is_of(&r, variant))
            continue;
        double time = r.time / time_bound(s, &r);
        if (strcmp(r.model, "dmm") == 0)
            widen(&dmm, time);
        for (int i = 0; i < SCHEDULES; i++)
            if (is_umm(&r, schedule_names[i]))
                widen(&umm[i], time);
        most = !most.row || r.barriers > most.barriers ? r : most;
        others += other_barriers(s, &r) > 0;
    }
    if (!most.row)
        return;
    /* a setting with n > w l, as the paper assumes */
    const struct bound_setting many = {.n = 2, .w = 1, .l = 1, .p = 1};
    struct listed_barriers b = listed(&most);
    table_add(t, "%s | %s", variant, bound_text(counted_terms(s, variant, many)));
    for (int i = 0; i < SCHEDULES; i++)
        table_cells(t, "%.2F to %.2F", umm[i].low, umm[i].high);
    table_cells(t, "%.2F to %.2F | %s | %d - %d + %d | %.0F | %d", dmm.low, dmm.high,
                bound_text(cJSON_GetObjectItem(paper_row(s, variant), "barriers")), b.listing, b.left_out,
                b.added, most.barriers, others);
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

/* ---- the functions of formulas: the largest or smallest value over the rows of the study ---- */

static double time_over_bound(const struct study *s, const struct run *r)
{
    return r->time / time_bound(s, r);
}

static double barriers_above_listing(const struct study *s, const struct run *r)
{
    (void)s;
    return r->barriers - listed(r).listing;
}

static double time_over_lower_bound(const struct study *s, const struct run *r)
{
    (void)s;
    return r->time / (bound_term("n/w", r->is) + bound_term("l log n", r->is));
}

/* Returns the largest value over all rows of the variant, or NaN if it has no rows. With fewer than w l
 * numbers Hybrid is the same as Simple-Tree, whose rows contain such runs. */
static double most_of(const struct study *s, const char *variant,
                      double (*value)(const struct study *, const struct run *))
{
    double most = NAN;
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && !(strstr(variant, "-hybrid") && r.is.n < r.is.w * r.is.l))
        most = fmax(most, value(s, &r));
    return most;
}

static double barriers_at(const struct study *s, const char *variant, double width, double latency)
{
    double most = NAN;
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && r.is.w == width && r.is.l == latency)
        most = fmax(most, r.barriers);
    return most;
}

/* Returns the variant's time on the UMM under the round-robin schedule, or NaN if it has no such run. */
static double time_in_turn(const struct study *s, const char *variant, const struct call *call)
{
    FOR_EACH_RUN(r, s)
    if (is_of(&r, variant) && is_umm(&r, schedule_names[0]) && r.is.n == call_number(call, 2) &&
        r.is.w == call_number(call, 3) && r.is.l == call_number(call, 4))
        return r.time;
    return NAN;
}

/* The lower bounds hold for sums. Contiguous access computes no sum, so its rows are left out. */
static double least_over(const struct study *s, const char *term)
{
    double least = NAN;
    FOR_EACH_RUN(r, s)
    if (strncmp(r.variant, "contiguous-access", 17) != 0)
        least = fmin(least, r.time / bound_term(term, r.is));
    return least;
}

static double barriers_by_n(const struct study *s, const char *variant)
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

static double by_schedules(const struct study *s, const char *variant)
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

static double last_complete(const struct study *s, const char *trace)
{
    double last = NAN;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(s->json, trace)) last = fmax(last, number_at(row, 5));
    return last;
}

/* Defines the formula function `function`, whose value is `number`, an expression in the study `s`, in `of`,
 * which is the first argument (a variant, a term or a trace), and in `call`. */
#define FUNCTION(function, number)                                                                           \
    static struct value function(const struct call *call)                                                    \
    {                                                                                                        \
        const char *folder = call->sources->folder, *of = call->argument[0];                                 \
        if (!has_file(folder, "study"))                                                                      \
            return value_missing("no study of the abstract machines", "");                                   \
        const struct study study = study_read(folder), *s = &study;                                          \
        double is = number;                                                                                  \
        return isfinite(is) ? value_exactly(is) : value_missing(of, "study");                                \
    }
FUNCTION(bound, most_of(s, of, time_over_bound))
FUNCTION(barriers, most_of(s, of, other_barriers))
FUNCTION(above_listing, most_of(s, of, barriers_above_listing))
FUNCTION(optimality, most_of(s, of, time_over_lower_bound))
FUNCTION(threads, most_of(s, of, other_threads))
FUNCTION(by_n, barriers_by_n(s, of))
FUNCTION(least, least_over(s, of))
FUNCTION(schedules, by_schedules(s, of))
FUNCTION(complete, last_complete(s, of))
FUNCTION(barriers_of_width, barriers_at(s, of, call_number(call, 1), call_number(call, 2)))
FUNCTION(takes, time_in_turn(s, of, call) / time_in_turn(s, call->argument[1], call))

const struct formula_function study_functions[] = {
    {"bound", "VARIANT", "study", bound,
     "the largest ratio of the study's time to the bound that is counted in the paper's listing"},
    {"barriers", "VARIANT", "study", barriers,
     "the largest difference between the study's number of barriers and the listing's"},
    {"threads", "VARIANT", "study", threads,
     "the largest difference between the study's number of threads and that in Table 1"},
    {"barriers_by_n", "VARIANT", "study", by_n,
     "the largest difference between the study's numbers of barriers for two n above w l, all else equal"},
    {"barriers", "VARIANT, WIDTH, LATENCY", "study", barriers_of_width,
     "the largest number of barriers of the study's runs with this width and latency"},
    {"above_listing", "VARIANT", "study", above_listing,
     "by how many barriers a run of the study exceeds the paper's listing at most; below 0 if none does"},
    {"optimality", "VARIANT", "study", optimality,
     "the largest ratio of the study's time to n/w + l log n, the lower bound of a sum"},
    {"takes", "VARIANT, OTHER, N, WIDTH, LATENCY", "study", takes,
     "how many times the time of OTHER the variant takes in the study, on the UMM in turn"},
    {"least", "TERM", "study", least, "the smallest ratio of the study's time to a term of the lower bound"},
    {"schedules", "VARIANT", "study", schedules,
     "the largest ratio of the study's times under two schedules, all else equal"},
    {"complete", "TRACE", "study", complete,
     "the time at which the last request of the study's `figure_2` or `figure_3` is complete"},
};
const size_t study_functions_count = sizeof study_functions / sizeof *study_functions;

/* ---- the figures ---- */

bool write_study_trace(const struct plot *plot, FILE *file)
{
    const struct study s = study_read(plot->folder);
    const cJSON *row,
        *trace =
            cJSON_GetObjectItem(s.json, plot->figure->series == STUDY_FIGURE_2 ? "figure_2" : "figure_3");
    cJSON_ArrayForEach(row, trace) fprintf(file, "%g\t%g\t%g\t%g\n", number_at(row, 1), number_at(row, 3),
                                           number_at(row, 4), number_at(row, 5));
    return true;
}

/* What a curve shows: the time units that a run took, the bound on them that is counted in the paper's
 * listing, or the barriers that it needed. */
enum quantity_of_study { TAKEN, BOUND, NEEDED };

/* Writes this quantity of a variant under a schedule on the UMM of width 32, against n (with latency 100) or
 * against the latency (with n = 16,384). */
static void write_curve(const struct study *s, const char *variant, const char *schedule, bool against_n,
                        enum quantity_of_study what, FILE *file)
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
        points[count++][1] = what == BOUND ? time_bound(s, &r) : what == NEEDED ? r.barriers : r.time;
    }
    if (points)
        qsort(points, count, sizeof *points, compare_numbers);
    for (size_t k = 0; k < count; k++)
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", points[k][0], points[k][1], points[k][1], points[k][1]);
    fputs("\n\n", file);
    free(points);
}

bool write_study_curves(const struct plot *plot, FILE *file)
{
    bool against_n = plot->figure->series != STUDY_LATENCY, barriers = plot->figure->series == STUDY_BARRIERS;
    const struct study s = study_read(plot->folder);
    for (size_t i = 0; i < plot->names.count; i++)
        for (int k = 0; k < SCHEDULES; k++)
            write_curve(&s, plot->names.items[i], schedule_names[k], against_n, barriers ? NEEDED : TAKEN,
                        file);
    for (size_t i = 0; i < plot->names.count && !barriers; i++)
        write_curve(&s, plot->names.items[i], schedule_names[0], against_n, BOUND, file);
    return true;
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

const char *bound_text(const cJSON *terms)
{
    const char *text = "";
    const cJSON *term;
    cJSON_ArrayForEach(term, terms) if (cJSON_IsString(term)) text =
        made("%s%s%s", text, *text ? " + " : "", term->valuestring);
    return *text ? text : "0";
}
