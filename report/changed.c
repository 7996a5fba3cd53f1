#include "report/changed.h"
#include "report/folders.h"
#include "report/suite_path.h"
#include "report/results.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

#define CHANGED "results/reference/changed.json"

/* Returns the file's content, which the caller deletes, or NULL if there is no such file. Sets *rows to the
 * folder's rows, or NULL. */
static cJSON *read_changed(const char *folder, const cJSON **rows)
{
    char path[SUITE_PATH_BYTES];
    const char *slash = strrchr(folder, '/');
    *rows = NULL;
    if (!is_reference(folder) || access(suite_path(CHANGED, path), R_OK) != 0)
        return NULL;
    cJSON *json = json_of_suite(CHANGED);
    *rows =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(json, "folders"), slash ? slash + 1 : folder);
    return json;
}

bool has_changed_kernels(const char *folder)
{
    const cJSON *rows;
    cJSON *json = read_changed(folder, &rows);
    bool has = rows && rows->child;
    cJSON_Delete(json);
    return has;
}

static void add_row(struct table *t, const cJSON *row)
{
    const cJSON *file, *files = cJSON_GetObjectItem(row, "files");
    char list[1024] = "";
    int count = 0;
    cJSON_ArrayForEach(file, files)
    {
        size_t used = strlen(list);
        if (count++ < 3 && cJSON_IsString(file))
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", file->valuestring);
    }
    table_row(t);
    table_text(t, "%s", text_of(row, "result"));
    table_text(t, "%s", text_of(row, "program"));
    table_text(t, "%s", text_of(row, "revision"));
    if (count > 3)
        table_text(t, "%s and %d more", list, count - 3);
    else
        table_text(t, "%s", list);
}

void print_changed_kernels(const char *folder, enum form form, FILE *file)
{
    static const char *const head[] = {"result", "program", "measured at revision",
                                       "files of the kernel that have changed since"};
    struct table t = {0};
    const cJSON *rows, *row;
    cJSON *json = read_changed(folder, &rows);
    table_row(&t);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_text(&t, "%s", head[i]);
    cJSON_ArrayForEach(row, rows)
    {
        add_row(&t, row);
    }
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(json);
}
