#include "report/changed.h"
#include "report/devices.h"
#include "report/suite_path.h"
#include "report/results.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

#define CHANGED "results/reference/changed.json"

/* Returns the folder's rows of the file, or NULL if there are none or no such file. */
static const cJSON *rows_of(const char *folder)
{
    char path[SUITE_PATH_BYTES];
    const char *slash = strrchr(folder, '/');
    if (!is_reference(folder) || access(suite_path(CHANGED, path), R_OK) != 0)
        return NULL;
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(json_of_suite(CHANGED), "folders"),
                                            slash ? slash + 1 : folder);
}

bool has_changed_kernels(const char *folder)
{
    const cJSON *rows = rows_of(folder);
    return rows && rows->child;
}

static void add_row(struct table *t, const cJSON *row)
{
    const cJSON *file;
    char list[1024] = "";
    int count = 0;
    cJSON_ArrayForEach(file, cJSON_GetObjectItem(row, "files"))
    {
        if (count++ < 3 && cJSON_IsString(file))
            append(list, sizeof list, "%s%s", *list ? ", " : "", file->valuestring);
    }
    if (count > 3)
        append(list, sizeof list, " and %d more", count - 3);
    table_add(t, "%s | %s | %s | %s", text_of(row, "result"), text_of(row, "program"),
              text_of(row, "revision"), list);
}

void print_changed_kernels(const char *folder, enum form form, FILE *file)
{
    struct table t = {0};
    const cJSON *row;
    table_add(&t, "result | program | measured at revision | files of the kernel that have changed since");
    cJSON_ArrayForEach(row, rows_of(folder)) add_row(&t, row);
    table_end(&t, form, file);
}
