#include "report/preset.h"
#include "base/failure.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "machine/machine.h"
#include "report/results.h"
#include "report/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the table of constants ---- */

/* Returns the path of a machine's description: a file's own path, or the path of the suite's machine with
 * this name. */
static const char *preset_path(const char *name)
{
    if (access(name, F_OK) == 0 || !is_plain_name(name))
        return name;
    const char *path = suite_path(made("machine/presets/%s.json", name));
    return access(path, F_OK) == 0 ? path : name;
}

int print_constants(struct arguments *a, FILE *file)
{
    const char *path = preset_path(a->words[0]);
    cJSON *json = json_need(path);
    struct machine_description machine;
    char *text = file_text(path);
    const char *wrong = machine_description_parse(text, path, &machine);
    free(text);
    if (wrong)
        fail(EXIT_BAD_INPUT, "%s", wrong);
    const cJSON *constant;
    struct table t = {NULL, 0};
    table_add(&t, "%s | value | taken from", text_of(json, "name"));
    cJSON_ArrayForEach(constant, cJSON_GetObjectItem(json, "constants"))
    {
        table_add(&t, "%s | %.3F%s%s | %s", constant->string, number_of(constant, "value"),
                  *text_of(constant, "unit") ? " " : "", text_of(constant, "unit"),
                  text_of(constant, "source"));
    }
    table_end(&t, a->form, file);
    return EXIT_VERIFIED;
}

/* ---- drawn constants ---- */

#define UNKNOWN_PERCENT 20

static bool is_counted(const char *name)
{
    static const char *const counted[] = {
        "compute_capability", "sm_count",     "warp_size",    "max_threads_per_block", "max_threads_per_sm",
        "max_blocks_per_sm",  "global_width", "shared_banks", "shared_bytes_per_sm",   "issue_per_unit",
        "loads_under_way",    "lock_bits",    "lockstep"};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (strcmp(counted[i], name) == 0)
            return true;
    return false;
}

/* Returns by how many percent a constant may be wrong: its `within_percent` if it has one; otherwise 0 if it
 * is counted and not measured (multiprocessors, widths of memory, limits), else 20. */
static double uncertainty_of(const cJSON *constant)
{
    double within = number_of(constant, "within_percent");
    if (!isnan(within))
        return within;
    return is_counted(constant->string) ? 0 : UNKNOWN_PERCENT;
}

/* Returns the other constant from which this one was taken, or NULL if it was measured itself. The source of
 * a taken constant begins with "as" and the name of the other constant. */
static const cJSON *taken_from(const cJSON *constants, const cJSON *constant)
{
    const char *source = text_of(constant, "source");
    const cJSON *other;
    if (strncmp(source, "as ", 3) != 0)
        return NULL;
    cJSON_ArrayForEach(other, constants)
    {
        size_t length = strspn(source + 3, "_abcdefghijklmnopqrstuvwxyz0123456789");
        if (length == strlen(other->string) && strncmp(source + 3, other->string, length) == 0)
            return other;
    }
    return NULL;
}

/* Returns the constant from which this one was taken, directly or through others; the constant itself if it
 * was not taken. */
static const cJSON *origin_of(const cJSON *constants, const cJSON *constant)
{
    const cJSON *other;
    for (int left = cJSON_GetArraySize(constants); left && (other = taken_from(constants, constant)); left--)
        constant = other; /* `left` ends a loop of constants, each taken from another */
    return constant;
}

/* Returns the drawn value, rounded like the constant's own `value`: to a whole number if `value` is whole,
 * otherwise to three decimals. */
static double kept(double value, double drawn)
{
    if (value != floor(value))
        return round(drawn * 1000) / 1000;
    return value ? fmax(1, round(drawn)) : 0;
}

int print_varied(struct arguments *a, FILE *file)
{
    long long number;
    const char *path = a->words[0];
    if (!parse_whole(a->words[1], 0, 1000000, &number))
        return WRONG_USE;
    cJSON *json = json_need(path);
    const cJSON *constants = cJSON_GetObjectItem(json, "constants");
    struct random random = {(unsigned long long)number};
    cJSON *constant;
    if (!cJSON_IsObject(constants))
        fail(EXIT_BAD_INPUT, "%s is no machine's description", path);
    cJSON_ArrayForEach(constant, constants)
    {
        double most = log1p(0.01 * uncertainty_of(constant));
        double factor = exp((2 * random_unit(&random) - 1) * most);
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(constant, "factor"), "is", factor);
    }
    cJSON_ArrayForEach(constant, constants)
    {
        double value = number_of(constant, "value");
        double factor = number_of(cJSON_GetObjectItem(origin_of(constants, constant), "factor"), "is");
        cJSON_SetNumberHelper(cJSON_GetObjectItem(constant, "value"), kept(value, value * factor));
    }
    cJSON_ArrayForEach(constant, constants) cJSON_DeleteItemFromObject(constant, "factor");
    char *text = cJSON_Print(json);
    fprintf(file, "%s\n", text);
    cJSON_free(text);
    return EXIT_VERIFIED;
}
