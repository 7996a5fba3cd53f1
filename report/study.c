/*
 * Nakano 2013, Table 1, with its columns filled from runs; its bounds are those of
 * results/papers/nakano-2013.json.
 *
 * time / bound: the smallest and the largest ratio of the measured time units to the bound with all
 * constants 1 and n l/p (Tree: log w times that) added, over all runs of the row: Table 1 has the
 * paper's numbers of threads in it, and a block has no more than 32,768.
 *
 * barriers: the largest number, and its largest ratio to the bound, of which each term is one more,
 * as it is rounded up (Simple: it is at least 1), and Hybrid's another, for the barrier behind its
 * columns; for prefix sums twice that.
 */
#include "report/study.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/bound.h"
#include "report/results.h"
#include "report/suite_path.h"
#include "report/tables.h"
#include "report/timing.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[] = {"model", "width",   "latency", "schedule", "variant",
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
    char path[4096];
    snprintf(path, sizeof path, "%s/study.json", folder);
    struct study s = {.json = json_need(path), .paper = json_of_suite("results/papers/nakano-2013.json")};
    s.rows = cJSON_GetObjectItem(s.json, "rows");
    int *const columns[] = {&s.model, &s.width,   &s.latency, &s.schedule, &s.variant,
                            &s.n,     &s.threads, &s.time,    &s.barriers};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = column(s.json, column_names[i]);
    return s;
}

void study_close(struct study *study)
{
    cJSON_Delete(study->json);
    cJSON_Delete(study->paper);
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

/* Which of the paper's algorithms a variant is, whatever it computes. */
static bool is_algorithm(const char *variant, const char *algorithm)
{
    const char *dash = strchr(variant, '-');
    return dash && strcmp(dash + 1, algorithm) == 0;
}

/* The variant's row of Table 1, or Lemma 1. */
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

static double time_bound(const struct study *s, const cJSON *row)
{
    const char *variant = study_text(row, s->variant);
    struct bound_setting is = setting_of(s, row);
    double bound = bound_value(paper_terms(s, variant, "time"), is), waiting = is.n * is.l / is.p;
    if (strcmp(variant, "contiguous-access") == 0)
        return bound;
    return bound + waiting * (is_algorithm(variant, "tree") ? log2(is.w) : 1);
}

static double barrier_bound(const struct study *s, const cJSON *row)
{
    const char *variant = study_text(row, s->variant);
    const cJSON *terms = paper_terms(s, variant, "barriers");
    double bound = bound_value(terms, setting_of(s, row)), behind_columns = is_algorithm(variant, "hybrid");
    bound =
        is_algorithm(variant, "simple") ? fmax(1, bound) : bound + cJSON_GetArraySize(terms) + behind_columns;
    return bound * (strncmp(variant, "prefix", 6) == 0 ? 2 : 1);
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
    table_text(t, "%s to %s", fixed(low, range.low, 2), fixed(high, range.high, 2));
}

static void add_algorithm(struct table *t, const struct study *s, const char *variant)
{
    struct range umm[STUDY_SCHEDULES] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}}, dmm = {NAN, NAN},
                 barriers = {NAN, NAN}, ratio = {NAN, NAN};
    const cJSON *row;
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
        widen(&barriers, study_number(row, s->barriers));
        widen(&ratio, study_number(row, s->barriers) / barrier_bound(s, row));
    }
    char time[64], needed[64];
    table_row(t);
    table_text(t, "%s", variant);
    table_text(t, "%s", bound_text(paper_terms(s, variant, "time"), time, sizeof time));
    for (int i = 0; i < STUDY_SCHEDULES; i++)
        add_range(t, umm[i]);
    add_range(t, dmm);
    table_text(t, "%s", bound_text(paper_terms(s, variant, "barriers"), needed, sizeof needed));
    table_number(t, barriers.high, 0);
    table_number(t, strcmp(variant, "contiguous-access") == 0 ? NAN : ratio.high, 2);
}

static const char *const algorithms[] = {"contiguous-access",  "prefix-hybrid",   "prefix-simple",
                                         "prefix-simple-tree", "prefix-tree",     "sum-hybrid",
                                         "sum-simple",         "sum-simple-tree", "sum-tree"};
#define ALGORITHMS (sizeof algorithms / sizeof *algorithms)

void print_bounds(const char *folder, enum form form, FILE *file)
{
    static const char *const head[] = {
        "algorithm",           "the paper: time",  "time / bound: UMM, in turn",
        "UMM, random",         "UMM, adversarial", "DMM, any",
        "the paper: barriers", "most barriers",    "barriers / bound"};
    struct study s = study_read(folder);
    struct table t = {NULL, 0};
    table_row(&t);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_text(&t, "%s", head[i]);
    for (size_t i = 0; i < ALGORITHMS; i++)
        add_algorithm(&t, &s, algorithms[i]);
    table_print(&t, form, file);
    table_free(&t);
    study_close(&s);
}

/* ---- one number of many rows ---- */

static double over_bound(const struct study *s, const cJSON *row)
{
    return study_number(row, s->time) / time_bound(s, row);
}

double study_most(const struct study *s, const char *variant, bool barriers)
{
    struct range range = {NAN, NAN};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows) if (strcmp(study_text(row, s->variant), variant) == 0)
        widen(&range, barriers ? study_number(row, s->barriers) / barrier_bound(s, row) : over_bound(s, row));
    return range.high;
}

static bool is_in_series(const struct study *s, const cJSON *row, const char *variant, const char *schedule,
                         bool against_n)
{
    return strcmp(study_text(row, s->variant), variant) == 0 &&
           strcmp(study_text(row, s->model), "umm") == 0 &&
           strcmp(study_text(row, s->schedule), schedule) == 0 && study_number(row, s->width) == 32 &&
           study_number(row, against_n ? s->latency : s->n) == (against_n ? 100 : 16384);
}

double study_growth(const struct study *s, const char *variant)
{
    const cJSON *row, *least = NULL, *most = NULL;
    cJSON_ArrayForEach(row, s->rows)
    {
        if (!is_in_series(s, row, variant, study_schedule_names[0], true))
            continue;
        least = !least || study_number(row, s->n) < study_number(least, s->n) ? row : least;
        most = !most || study_number(row, s->n) > study_number(most, s->n) ? row : most;
    }
    return least ? over_bound(s, most) / over_bound(s, least) : NAN;
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

/* Points of a curve. */
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

static int compare_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In the order of x; frees it. */
static void print_curve(FILE *file, struct curve curve)
{
    if (curve.points)
        qsort(curve.points, curve.count, sizeof *curve.points, compare_first);
    for (size_t k = 0; k < curve.count; k++) {
        const double *at = curve.points[k];
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", at[0], at[1], at[1], at[1]);
    }
    fputs("\n\n", file);
    free(curve.points);
}

void study_curve(const struct study *s, const char *variant, const char *schedule, bool against_n,
                 bool barriers, FILE *file)
{
    struct curve curve = {NULL, 0};
    const cJSON *row;
    cJSON_ArrayForEach(row, s->rows) if (is_in_series(s, row, variant, schedule, against_n))
        add_point(&curve, study_number(row, against_n ? s->n : s->latency),
                  study_number(row, barriers ? s->barriers : s->time));
    print_curve(file, curve);
}

void study_bound(const struct study *s, FILE *file)
{
    struct curve curve = {NULL, 0};
    const cJSON *row, *terms = paper_terms(s, "sum-simple", "time");
    cJSON_ArrayForEach(row, s->rows) if (is_in_series(s, row, "sum-simple", study_schedule_names[0], true))
        add_point(&curve, study_number(row, s->n), bound_value(terms, setting_of(s, row)));
    print_curve(file, curve);
}

/* ---- collecting ---- */

static bool is_memory_request(const char *kind)
{
    return strcmp(kind, "load") == 0 || strcmp(kind, "store") == 0 || strcmp(kind, "atomic") == 0;
}

/* The requests to memory: the figures are of its pipeline. */
static cJSON *read_trace(const char *work, const char *name)
{
    char path[4096], line[512], kind[32];
    double n[5]; /* all of a line but the kind */
    cJSON *rows = cJSON_CreateArray();
    snprintf(path, sizeof path, "%s/%s", work, name);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%lf %lf %31s %lf %lf %lf", &n[0], &n[1], kind, &n[2], &n[3], &n[4]) == 6 &&
            is_memory_request(kind)) {
            cJSON *row = cJSON_CreateDoubleArray(n, 2);
            cJSON_AddItemToArray(row, cJSON_CreateString(kind));
            for (size_t i = 2; i < sizeof n / sizeof *n; i++)
                cJSON_AddItemToArray(row, cJSON_CreateNumber(n[i]));
            cJSON_AddItemToArray(rows, row);
        }
    if (!file || !rows->child)
        fail(EXIT_BAD_INPUT, "%s is missing or empty", path);
    fclose(file);
    return rows;
}

static void add_rows(cJSON *rows, const struct result *r)
{
    char model[4];
    snprintf(model, sizeof model, "%s", r->device_name);
    FOR_EACH_POINT(p, r)
    {
        double barriers = number_of(p, "barriers");
        cJSON *row = cJSON_CreateArray();
        cJSON_AddItemToArray(row, cJSON_CreateString(model));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(number_of(r->device, "description.width")));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(number_of(r->device, "description.latency")));
        cJSON_AddItemToArray(row, cJSON_CreateString(text_of(r->device, "description.schedule")));
        cJSON_AddItemToArray(row, cJSON_CreateString(text_of(p, "variant")));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(number_of(p, "size")));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(number_of(p, "threads")));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(run_in_units(p)));
        cJSON_AddItemToArray(row, cJSON_CreateNumber(isnan(barriers) ? 0 : barriers));
        cJSON_AddItemToArray(rows, row);
    }
}

/* The rows as texts, sorted, so that the file does not depend on who was ready first. */
static void print_rows(FILE *file, const cJSON *rows)
{
    size_t count = (size_t)cJSON_GetArraySize(rows), i = 0;
    char **lines = allocate(count * sizeof *lines);
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) lines[i++] = cJSON_PrintUnformatted(row);
    qsort(lines, count, sizeof *lines, compare_texts);
    for (i = 0; i < count; i++) {
        fprintf(file, "%s%s", i ? ",\n" : "", lines[i]);
        free(lines[i]);
    }
    free(lines);
}

static void print_member(FILE *file, const char *name, cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    fprintf(file, "\"%s\": %s,\n", name, text);
    free(text);
    cJSON_Delete(value);
}

static void print_study(FILE *file, const char *work, const cJSON *rows, const char *revision, bool dirty)
{
    static const char *const trace_columns[] = {"block", "warp", "kind", "dispatched", "served", "complete"};
    fputs("{\n", file);
    print_member(file, "schema", cJSON_CreateString("gpusync-study/1"));
    print_member(file, "revision", cJSON_CreateString(revision));
    print_member(file, "dirty", cJSON_CreateBool(dirty));
    print_member(file, "trace_columns", cJSON_CreateStringArray(trace_columns, 6));
    print_member(file, "figure_2", read_trace(work, "figure-2"));
    print_member(file, "figure_3", read_trace(work, "figure-3"));
    print_member(file, "columns", cJSON_CreateStringArray(column_names, 9));
    fputs("\"rows\": [\n", file);
    print_rows(file, rows);
    fputs("]\n}\n", file);
}

void study_collect(const char *work, const char *folder)
{
    char path[4096], revision[64] = "";
    bool dirty = false;
    cJSON *rows = cJSON_CreateArray();
    struct dirent *entry;
    DIR *directory = opendir(work);
    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", work, entry->d_name);
        struct result *r = result_read(path);
        add_rows(rows, r);
        snprintf(revision, sizeof revision, "%s", text_of(r->json, "revision"));
        dirty = dirty || is_true(r->json, "dirty");
        result_close(r);
    }
    if (directory)
        closedir(directory);
    snprintf(path, sizeof path, "%s/study.json", folder);
    struct new_file file = file_begin(path);
    print_study(file.file, work, rows, revision, dirty);
    file_finish(&file);
    cJSON_Delete(rows);
}
