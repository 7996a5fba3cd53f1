/* The commands of build/report that serve one program or one paper. */
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/claims.h"
#include "report/arguments.h"
#include "report/devices.h"
#include "report/papers/papers.h"
#include "report/papers/study.h"
#include "report/results.h"
#include "report/formula.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- study collect ---- */

/* Makes the study of the abstract machines (report/papers/study.h). */

static bool is_memory_request(const char *kind)
{
    return strcmp(kind, "load") == 0 || strcmp(kind, "store") == 0 || strcmp(kind, "atomic") == 0;
}

/* Reads the requests to memory out of a trace. Other requests are left out, because Nakano 2013, Figures 2
 * and 3, show only the memory's pipeline. */
static cJSON *read_trace(const char *work, const char *name)
{
    char line[512], kind[32];
    double n[5]; /* the five numbers that a line of the trace has beside the request's kind */
    cJSON *rows = cJSON_CreateArray();
    const char *path = made("%s/%s", work, name);
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
    FOR_EACH_POINT(p, r)
    {
        double barriers = number_of(p, "barriers");
        cJSON *row = cJSON_CreateArray();
        cJSON_AddItemToArray(row, cJSON_CreateString(made("%.3s", r->device_name)));
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

/* Prints the rows of the study sorted as texts, so that the file does not depend on the order in which runs
 * ended. */
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
    print_member(file, "columns", cJSON_CreateStringArray(study_columns, STUDY_COLUMNS));
    fputs("\"rows\": [\n", file);
    print_rows(file, rows);
    fputs("]\n}\n", file);
}

/* Makes FOLDER/study.json from the result files in the folder WORK and from its traces for Nakano 2013,
 * Figures 2 and 3. */
static int study_collect(struct arguments *a, FILE *out)
{
    const char *work = a->words[0];
    const char *revision = "";
    bool dirty = false;
    cJSON *rows = cJSON_CreateArray();
    struct texts names = entries_of(work);
    for (size_t i = 0; i < names.count; i++) {
        size_t length = strlen(names.items[i]);
        if (length < 6 || strcmp(names.items[i] + length - 5, ".json") != 0)
            continue;
        struct result *r = result_read(made("%s/%s", work, names.items[i]));
        add_rows(rows, r);
        revision = text_of(r->json, "revision");
        dirty = dirty || is_true(r->json, "dirty");
    }
    free(names.items);
    struct new_file file = file_begin(made("%s/study.json", a->words[1]));
    print_study(file.file, work, rows, revision, dirty);
    file_finish(&file);
    cJSON_Delete(rows);
    (void)out;
    return EXIT_VERIFIED;
}

/* ---- outcome ---- */

/* Counts the claims about one of a paper's figures by their verdicts on devices. */

/* Prints the verdict on the claims that were counted on a folder: how many of those that can be judged agree,
 * and how many rows of the table are not judged. */
static void print_sentence(const struct paper_totals *totals, const char *before, const char *folder,
                           FILE *file)
{
    size_t judged = paper_judged(totals), rows = totals->on_wrong_answers;
    for (enum claim_verdict v = 0; v < CLAIM_VERDICTS; v++)
        rows += totals->counts[v];
    fprintf(file, "%son `%s` ", before, check_folder(folder));
    if (!judged) {
        fputs("nothing can be judged", file);
        return;
    }
    print_verdicts_of(file, totals, true);
    if (rows > judged)
        fprintf(file, "; %zu further row%s not judged", rows - judged, rows - judged == 1 ? " is" : "s are");
}

/* Prints, in Markdown, how many of the claims under a figure of a paper hold on each of the folders. The
 * figure is a word of the member "under" of claims. Exits with EXIT_BAD_INPUT if results/papers/claims.json
 * has no such claim. */
static int run_outcome(struct arguments *a, FILE *file)
{
    const char *figure = a->words[0];
    const cJSON *claim;
    device_folders(a->count - 1, a->words + 1);
    for (int i = 1; i < a->count; i++) {
        struct sources sources = {.folder = a->words[i]};
        struct totals totals = {.count = 0};
        cJSON_ArrayForEach(claim, all_claims())
        {
            if (place_in(text_of(claim, "under"), ' ', figure, strlen(figure)) < 0)
                continue;
            struct judged judged = judge_claim(claim, &sources);
            totals_count(&totals, claim, &judged.value, sources.folder);
        }
        if (!totals.count)
            fail(EXIT_BAD_INPUT, "results/papers/claims.json has no claim under %s", figure);
        struct paper_totals all = paper_of_all(&totals);
        print_sentence(&all, i > 1 ? ";\n" : "**Verdict**: ", sources.folder, file);
        sources_close(&sources);
    }
    fputs(".\n", file);
    return EXIT_VERIFIED;
}

/* ---- commands ---- */

static int run_cost(struct arguments *a, FILE *file)
{
    const char *folder = device_folder(a->words[0]);
    check_folder(folder);
    print_cost(folder, a, file);
    return EXIT_VERIFIED;
}

const struct command paper_commands[] = {
    {"cost", "DEVICE", 1, 1, FORM_SECOND,
     OPTION_FORMAT + OPTION_UNIT + OPTION_BLOCKS + OPTION_THREADS + OPTION_ALL, run_cost,
     "Prints what a barrier or a hop takes: measured, interpolated between what was, or predicted.", NULL},
    {"outcome", "PAPER/FIGURE FOLDER...", 2, ANY_NUMBER, DEVELOPERS, 0, run_outcome,
     "Prints what a paper says, what came out on each device, and how many of the claims hold.", NULL},
    {"published", "", 0, 0, FORM_LAST, OPTION_FORMAT, print_published,
     "Prints times that others published of GPUs, beside what the memory machine predicts.", NULL},
    {"study", "WORK FOLDER", 2, 2, DEVELOPERS, 0, study_collect,
     "Makes a study of the abstract machines, from the runs in WORK.", NULL},
};
const size_t paper_commands_count = sizeof paper_commands / sizeof *paper_commands;
