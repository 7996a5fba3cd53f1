#include "report/papers/study_collect.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/papers/study.h"
#include "report/results.h"
#include "report/timing.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_memory_request(const char *kind)
{
    return strcmp(kind, "load") == 0 || strcmp(kind, "store") == 0 || strcmp(kind, "atomic") == 0;
}

/* Reads the requests to memory out of a trace. Other requests are left out, because Nakano 2013, Figures 2
 * and 3, show only the memory's pipeline. */
static cJSON *read_trace(const char *work, const char *name)
{
    char path[4096], line[512], kind[32];
    double n[5]; /* the five numbers that a line of the trace has beside the request's kind */
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
