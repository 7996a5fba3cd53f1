#include "report/constants.h"
#include "report/results.h"

void print_constants(const char *path, enum form form, FILE *file)
{
    cJSON *json = json_need(path);
    const cJSON *constant;
    struct table t = {NULL, 0};
    table_row(&t);
    table_text(&t, "%s", text_of(json, "name"));
    table_text(&t, "value");
    table_text(&t, "taken from");
    cJSON_ArrayForEach(constant, cJSON_GetObjectItem(json, "constants"))
    {
        char value[32];
        table_row(&t);
        table_text(&t, "%s", constant->string);
        table_text(&t, "%s%s%s", fixed(value, number_of(constant, "value"), 3),
                   *text_of(constant, "unit") ? " " : "", text_of(constant, "unit"));
        table_text(&t, "%s", text_of(constant, "source"));
    }
    table_print(&t, form, file);
    table_free(&t);
    cJSON_Delete(json);
}
