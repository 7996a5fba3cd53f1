/* Makes the table of the programs of micro-progress that ended on each device of a folder (Sorensen 2021).
 * The results are FOLDER/DEVICE/micro-progress.json. */
#include "report/papers/endings.h"
#include "report/results.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

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
    table_row(t);
    table_text(t, "%s, %s%s", r->device_name, text_of(point, "variant"), where);
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
        table_text(t, "%d of %d", ended, count);
    }
}

static void add_sweep(struct table *t, const char *folder, const char *sweep, const char *where)
{
    struct result *r = result_open(folder, sweep);
    if (!r)
        return;
    FOR_EACH_POINT(p, r)
    add_point(t, r, p, where);
    result_close(r);
}

void print_endings(const char *folder, enum form form, FILE *file)
{
    struct table t = {NULL, 0};
    char pattern[600];
    glob_t found;
    table_row(&t);
    table_text(&t, "where");
    for (size_t model = 0; model < MODELS; model++)
        table_text(&t, "ends under %s", models[model]);
    table_text(&t, "ends under no model");
    snprintf(pattern, sizeof pattern, "%s/*/" FILE_NAME ".json", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            *strrchr(found.gl_pathv[i], '/') = '\0';
            add_sweep(&t, found.gl_pathv[i], FILE_NAME, "");
            add_sweep(&t, found.gl_pathv[i], FILE_NAME "@mps", ", multi-process service");
        }
    globfree(&found);
    table_print(&t, form, file);
    table_free(&t);
}
