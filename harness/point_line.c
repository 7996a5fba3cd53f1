#include "harness/point_line.h"

#include <cjson/cJSON.h>
#include <string.h>

#define MOST_POINTS 256

struct line line_through_points(const cJSON *points, const char *variant, const char *x)
{
    double at[MOST_POINTS], median[MOST_POINTS];
    size_t count = 0;
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant"));
        if (!name || strcmp(name, variant) != 0 || count == MOST_POINTS)
            continue;
        at[count] = cJSON_GetNumberValue(cJSON_GetObjectItem(p, x));
        median[count++] = cJSON_GetNumberValue(cJSON_GetObjectItem(p, "median"));
    }
    return fit_line(at, median, count);
}
