#include "report/constants.h"
#include "base/failure.h"
#include "base/file.h"
#include "machine/machine.h"
#include "report/results.h"
#include "report/suite_path.h"

#include <stdlib.h>
#include <unistd.h>

/* Returns the path of a machine's description: a file, or that of one of the suite's machines by its name. */
static const char *preset_path(const char *name, char path[SUITE_PATH_BYTES])
{
    char below[600], found[SUITE_PATH_BYTES];
    if (access(name, F_OK) == 0 || !is_plain_name(name))
        return name;
    snprintf(below, sizeof below, "machine/presets/%.500s.json", name);
    snprintf(path, SUITE_PATH_BYTES, "%s", suite_path(below, found));
    return access(path, F_OK) == 0 ? path : name;
}

void print_constants(const char *preset, enum form form, FILE *file)
{
    char found[SUITE_PATH_BYTES];
    const char *path = preset_path(preset, found);
    cJSON *json = json_need(path);
    struct machine_description machine;
    char *text = file_text(path);
    const char *wrong = machine_description_parse(text, path, &machine);
    free(text);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s", wrong);
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
