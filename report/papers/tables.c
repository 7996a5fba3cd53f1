/* The tables that cannot be made of rows of formulas alone: models that are computed step by step, counts
 * over points, and searches for the best. They are in the order of a device's page. */
#include "base/failure.h"
#include "report/papers/papers.h"
#include "report/papers/shuffle.h"
#include "report/papers/study.h"
#include "report/results.h"
#include "report/table.h"
#include "report/tables.h"
#include "report/value.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- residency ---- */

/* The table of grid barriers that wait while other kernels hold multiprocessors (micro-residency). */

#define MOST_SIZES 8

/* Reads the sizes of the first variant's points, in their order. A size is the number of multiprocessors that
 * other kernels hold. Returns the number of sizes. */
static size_t sizes_of(const struct result *r, double sizes[MOST_SIZES])
{
    const char *first = text_of(r->points->child, "variant");
    size_t count = 0;
    FOR_EACH_POINT(p, r)
    if (point_is(p, first) && count < MOST_SIZES)
        sizes[count++] = number_of(p, "size");
    return count;
}

static void print_residents(struct table *t, const cJSON *p)
{
    if (p)
        table_cells(t, "%.0f of %.0f", number_of(p, "resident"), number_of(p, "blocks_of_all_grids"));
    else
        table_cells(t, "-");
}

static const char *const OPENS = "opens", *const NEVER = "never opens";

/* Returns how many of the point's checked (verified) runs had this outcome. */
static double checked_runs(const cJSON *p, const char *outcome)
{
    double runs = number_of(cJSON_GetObjectItem(p, "outcomes_of_runs"), outcome);
    return isnan(runs) ? 0 : runs;
}

/* Returns how many of the point's timed runs had this outcome. If all checked runs had one outcome, the timed
 * runs had it, too. Otherwise a timed run counts as opened if it took less than half of the longest run,
 * because a barrier that does not open takes the whole time until it gives up. */
static double timed_runs(const cJSON *p, const char *outcome)
{
    const cJSON *samples = cJSON_GetObjectItem(p, "samples"), *sample;
    double all = cJSON_GetArraySize(samples), longest = 0, short_ones = 0;
    if (checked_runs(p, NEVER) <= 0)
        return checked_runs(p, outcome) > 0 ? all : 0;
    cJSON_ArrayForEach(sample, samples) longest = fmax(longest, sample->valuedouble);
    cJSON_ArrayForEach(sample, samples) short_ones += sample->valuedouble < longest / 2;
    return strcmp(outcome, NEVER) == 0 ? all - short_ones : strcmp(outcome, OPENS) == 0 ? short_ones : 0;
}

static double runs_of(const struct result *r, const char *variant, const char *outcome)
{
    double runs = 0;
    FOR_EACH_POINT(p, r)
    if (point_is(p, variant))
        runs += checked_runs(p, outcome) + timed_runs(p, outcome);
    return runs;
}

/* Adds a cell with the outcome of the variant's runs or, if they had several outcomes, each outcome with its
 * number of runs. */
static void print_outcomes(struct table *t, const struct result *r, const char *variant)
{
    const char *const outcomes[] = {NEVER, OPENS, "opens when the other has ended", "launch refused"};
    double runs[4], all = 0;
    const char *text = "";
    for (int o = 0; o < 4; o++)
        all += runs[o] = runs_of(r, variant, outcomes[o]);
    for (int o = 0; o < 4; o++) {
        if (runs[o] > 0)
            text = made("%s%s%s", text, *text ? "; " : "", outcomes[o]);
        if (runs[o] > 0 && runs[o] < all)
            text = made("%s (%.0f of %.0f runs)", text, runs[o], all);
    }
    table_cells(t, "%s", text);
}

/* Prints the table `residency`: for each barrier how many blocks were resident, and whether it opened. */
static void print_residency(const char *folder, enum form form, FILE *file)
{
    struct result *r = result_need(folder, "micro-residency");
    struct table t = {NULL, 0};
    double sizes[MOST_SIZES];
    size_t size_count = sizes_of(r, sizes);
    table_add(&t, "a grid barrier, %s | launch", how(r));
    for (size_t s = 0; s < size_count; s++)
        table_cells(&t, "blocks resident, k = %.0f", sizes[s]);
    table_cells(&t, "the barrier | ended after, us");
    FOR_EACH_VARIANT(v, r)
    {
        const cJSON *first = result_point(r, v->variant, -1, -1, sizes[0]);
        table_add(&t, "%s | %s", v->variant, text_of(first, "launch"));
        for (size_t s = 0; s < size_count; s++)
            print_residents(&t, result_point(r, v->variant, -1, -1, sizes[s]));
        print_outcomes(&t, r, v->variant);
        table_cells(&t, "%.0F", run_time(r, first).us);
    }
    table_end(&t, form, file);
}

/* ---- endings ---- */

/* Prints the table of docs/progress.md: which programs of micro-progress ended on which device. */

#define FILE_NAME "micro-progress"
/* The progress models, each with a column. A last column counts the programs that need not end under any
 * model. */
static const char *const models[] = {"OBE", "HSA", "HSA_OBE", "LOBE", "Fair"};
#define MODELS (sizeof models / sizeof *models)

/* Returns whether the program must end under the progress model number `model`. If `model` is MODELS, returns
 * whether no model requires that the program ends. */
static bool ends_under(const cJSON *program, size_t model)
{
    const cJSON *names = cJSON_GetObjectItem(program, "ends_under"), *name;
    if (model == MODELS)
        return cJSON_GetArraySize(names) == 0;
    cJSON_ArrayForEach(name, names) if (strcmp(cJSON_GetStringValue(name), models[model]) == 0) return true;
    return false;
}

/* Adds a point's row. A column stands for a progress model and has two numbers: how many programs ended in
 * all instances, and how many must end under the model. In the last column, the programs are those that need
 * not end under any model. */
static void add_point(struct table *t, const struct result *r, const cJSON *point, const char *where)
{
    table_add(t, "%s, %s%s", r->device_name, text_of(point, "variant"), where);
    for (size_t model = 0; model <= MODELS; model++) {
        const cJSON *program;
        int ended = 0, count = 0;
        cJSON_ArrayForEach(program, cJSON_GetObjectItem(point, "programs"))
        {
            if (!ends_under(program, model))
                continue;
            count++;
            ended += number_of(program, "ended") == number_of(program, "instances");
        }
        table_cells(t, "%d of %d", ended, count);
    }
}

static void add_sweep(struct table *t, const char *folder, const char *sweep, const char *where)
{
    struct result *r = result_open(folder, sweep);
    if (!r)
        return;
    FOR_EACH_POINT(p, r)
    add_point(t, r, p, where);
}

/* Prints the table with a row for each device and each condition under which micro-progress ran on it. */
static void print_endings(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    glob_t found;
    table_add(&t, "where");
    for (size_t model = 0; model < MODELS; model++)
        table_cells(&t, "ends under %s", models[model]);
    table_cells(&t, "ends under no model");
    if (glob(made("%s/*/" FILE_NAME ".json", folder), 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            *strrchr(found.gl_pathv[i], '/') = '\0';
            add_sweep(&t, found.gl_pathv[i], FILE_NAME, "");
            add_sweep(&t, found.gl_pathv[i], FILE_NAME "@mps", ", multi-process service");
        }
    globfree(&found);
    table_end(&t, form, file);
}

/* ---- instructions ---- */

/* Numbers of warp instructions in small runs, counted by a GPU's profiler and by the memory machine. */

static double counted(const cJSON *counts, const char *run)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(counts, "runs"))
    {
        if (strcmp(text_of(row, "run"), run) == 0)
            return number_of(row, "warp_instructions");
    }
    return 0;
}

/* Prints the table `instructions` of a folder. */
static void print_instructions(const char *folder, enum form form, FILE *file)
{
    const cJSON *row;
    struct table t = {NULL, 0};
    const cJSON *gpu = json_need(made("%s/counts/instructions.json", folder)),
                *machine = json_need(made("%s/counts/machine-instructions.json", folder));
    table_add(&t, "run | GPU | machine | machine / GPU");
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(machine, "runs"))
    {
        double there = counted(gpu, text_of(row, "run")), here = number_of(row, "warp_instructions");
        if (!there)
            continue;
        table_add(&t, "%s | %.0F | %.0F | %.2F", text_of(row, "run"), there, here, here / there);
    }
    table_end(&t, form, file);
}

/* ---- micro barrier ---- */

/* Prints what follows from the results of micro-barrier, in words. */

/* Returns the time of a barrier in microseconds: the time of a round with the barrier minus the time of a
 * round without any barrier. */
static double sync_us(const struct result *r, const char *variant)
{
    return operation_us(r, variant, r->sms) - operation_us(r, "none", r->sms);
}

static const char *wrong_ones(const struct result *r)
{
    const char *text = "";
    FOR_EACH_VARIANT(v, r)
    if (gave_wrong_answers(r, v->variant))
        text = made("%s%s%s", text,
                    *text ? ", " : "Unordered barriers with wrong results in some run: ", v->variant);
    return *text ? text
                 : made("Unordered barriers: no wrong result in any run%s",
                        r->machine ? " of the model (on GPUs there are: docs/when.md)" : "");
}

static const char *fastest_one(const struct result *r)
{
    const cJSON *best = fastest_point(r, (double)r->sms, -1, is_ordered_barrier);
    const char *name = text_of(best, "variant");
    enum unit unit = unit_chosen() == UNIT_AS_WRITTEN ? UNIT_US : unit_chosen();
    if (!best)
        return "No ordered grid barrier was verified";
    return made("Fastest ordered grid barrier at %g blocks: %s, %.*F %s a barrier; launches take %.2Fx as "
                "long%s%s",
                (double)r->sms, name, unit_digits(unit, 2), unit_factor(unit, r) * sync_us(r, name),
                unit_name(unit), sync_us(r, "cpu-implicit") / sync_us(r, name),
                result_has(r, "grid-sync")
                    ? made(", grid-sync %.2Fx", sync_us(r, "grid-sync") / sync_us(r, name))
                    : "",
                r->machine ? " (predicted)" : "");
}

/* Prints conclusions in words, which stand below the rows of the table `micro` (micro/barrier/tables.txt). */
static void print_micro(const char *folder, enum form form, FILE *file)
{
    if (is_for_programs(form))
        return;
    struct result *r = result_need(folder, "micro-barrier");
    if (form == FORM_HTML) /* in HTML the names must be escaped, because they come from a file */
        html(file, "<p>%s.\n%s.\n</p>\n", fastest_one(r), wrong_ones(r));
    else
        fprintf(file, "\n%s.\n%s.\n", fastest_one(r), wrong_ones(r));
}

/* ---- tables ---- */

/* Returns false. The tables bugs, findings, blind and endings have this function as their member `has`,
 * because no device's page shows them. */
static bool is_on_no_page(const char *folder)
{
    (void)folder;
    return false;
}

const struct tables paper_tables[] = {
    {"micro", "cost", "What a barrier costs", "micro-barrier", NULL, print_micro, NULL},
    {"cost", "cost", "What a barrier or a hop costs with a block on every multiprocessor", NULL,
     has_cost_of_all, print_cost_of_all, NULL},
    {"best", "algorithms", "Few barriers beside the libraries", "fft@few|bitonic@few|sum@one-pass-graph",
     NULL, print_best, NULL},
    {"residency", "cost", "While others hold k multiprocessors, or two grids have k blocks too many",
     "micro-residency", NULL, print_residency, NULL},
    {"shuffle", "shuffles", "Shuffles and shared memory", SHUFFLE_MODEL, NULL, NULL, NULL},
    {"litmus", "memory", "Outcomes of litmus tests", "micro-litmus", NULL, print_litmus, NULL},
    {"weak-memory-seeds", "memory", "Weak memory: every barrier, lock and channel, many seeds",
     "weak-memory/seeds", NULL, print_weak_seeds, NULL},
    {"weak-memory-cost", "memory", "Weak memory: what it costs", "weak-memory/cost", NULL, print_weak_cost,
     NULL},
    {"bounds", "sums", "The bounds of Nakano 2013, Table 1", "study", NULL, print_bounds, NULL},
    {"instructions", "machine", "Instructions, counted on the GPU and on the machine",
     "counts/machine-instructions", NULL, print_instructions, NULL},
    {"sanitizer", "", "compute-sanitizer on the programs that gpusync-check is tested with", NULL,
     is_on_no_page, print_sanitizer, NULL},
    {"bugs", "", "Patterns of public bugs", NULL, is_on_no_page, print_bugs, NULL},
    {"findings", "", "Bugs of public code with an execution that shows each", NULL, is_on_no_page,
     print_findings, NULL},
    {"blind", "", "Blind predictions", NULL, is_on_no_page, print_blind, NULL},
    {"blind-kinds", "", "Blind predictions by kind of program", NULL, is_on_no_page, print_blind_kinds, NULL},
    {"blind-intervals", "", "Intervals of predictions", NULL, is_on_no_page, print_blind_intervals, NULL},
    {"blind-ratios", "", "Ratios of two predictions", NULL, is_on_no_page, print_blind_ratios, NULL},
    {"blind-pairs", "", "Which of two programs is faster, predicted blindly", NULL, is_on_no_page,
     print_blind_pairs, NULL},
    {"blind-errors", "", "Errors of blind predictions", NULL, is_on_no_page, print_blind_errors, NULL},
    {"endings", "", "Which programs ended on which device", NULL, is_on_no_page, print_endings, NULL},
};
const size_t paper_tables_count = sizeof paper_tables / sizeof *paper_tables;
