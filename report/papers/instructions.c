/* Makes the table of warp instructions: how many a GPU's profiler counted in small runs, and how many the
 * memory machine counts in the same runs. */
#include "report/papers/instructions.h"
#include "base/failure.h"
#include "report/results.h"

#include <string.h>

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

void print_instructions(const char *folder, enum form form, FILE *file)
{
    char path[4096];
    const cJSON *row;
    struct table t = {NULL, 0};
    snprintf(path, sizeof path, "%s/counts/instructions.json", folder);
    cJSON *gpu = json_need(path);
    snprintf(path, sizeof path, "%s/counts/machine-instructions.json", folder);
    cJSON *machine = json_need(path);
    table_row(&t);
    table_text(&t, "run");
    table_text(&t, "GPU");
    table_text(&t, "machine");
    table_text(&t, "machine / GPU");
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(machine, "runs"))
    {
        double there = counted(gpu, text_of(row, "run")), here = number_of(row, "warp_instructions");
        if (!there)
            continue;
        table_row(&t);
        table_text(&t, "%s", text_of(row, "run"));
        table_number(&t, there, 0);
        table_number(&t, here, 0);
        table_number(&t, here / there, 2);
    }
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(gpu);
    cJSON_Delete(machine);
}
