#include "micro/decode/analysis.h"

#include <math.h>
#include <string.h>

static double number(const cJSON *json, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(json, name));
}

/* Returns the token time of another variant with the same size and blocks, or NaN if it was not measured. */
static double token_time(const cJSON *points, const cJSON *like, const char *variant)
{
    const cJSON *point;
    cJSON_ArrayForEach(point, points)
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(point, "variant")), variant) == 0 &&
            number(point, "size") == number(like, "size") &&
            number(point, "blocks") == number(like, "blocks"))
            return number(point, "per_operation");
    }
    return NAN;
}

static void add_if_known(cJSON *json, const char *name, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(json, name, value);
}

cJSON *analyse_decoding(const cJSON *points, int threads)
{
    (void)threads;
    cJSON *rows = cJSON_CreateArray();
    const cJSON *point;
    cJSON_ArrayForEach(point, points)
    {
        cJSON *row = cJSON_CreateObject();
        double time = number(point, "per_operation");
        cJSON_AddStringToObject(row, "variant", cJSON_GetStringValue(cJSON_GetObjectItem(point, "variant")));
        cJSON_AddNumberToObject(row, "size", number(point, "size"));
        cJSON_AddNumberToObject(row, "blocks", number(point, "blocks"));
        cJSON_AddNumberToObject(row, "bytes_per_time", number(point, "bytes_per_token") / time);
        add_if_known(row, "loads_percent", 100 * token_time(points, point, "no-order") / time);
        add_if_known(row, "copy_percent", 100 * token_time(points, point, "copy") / time);
        cJSON_AddItemToArray(rows, row);
    }
    cJSON *analysis = cJSON_CreateObject();
    cJSON_AddItemToObject(analysis, "tokens", rows);
    return analysis;
}
