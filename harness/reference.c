/* The reference of the problem that is open: what a point is checked against, and, by one thread, Table III's
 * yardstick. */
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/sweep.h"
#include "harness/timer.h"

#include <math.h>
#include <stdlib.h>

/* It is timed until so much time has passed, in seconds, or so often. */
#define LONG_ENOUGH 0.25
#define MOST_RUNS 3

static bool is_known;

void reference_forget(void)
{
    is_known = false;
}

void reference_need(const struct experiment *e)
{
    if (e->problem.reference && !is_known)
        e->problem.reference();
    is_known = true;
}

cJSON *measure_reference(const struct experiment *e, long long size)
{
    double samples[MOST_RUNS], total = 0;
    int runs = 0;
    while (runs < MOST_RUNS && total < LONG_ENOUGH) {
        double begin = host_seconds();
        e->problem.sequential();
        double time = host_seconds() - begin;
        samples[runs++] = round(1e9 * time);
        total += time;
    }
    is_known = true;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "size", (double)size);
    cJSON_AddStringToObject(json, "unit", "ns");
    cJSON_AddItemToObject(json, "samples", cJSON_CreateDoubleArray(samples, runs));
    cJSON_AddNumberToObject(json, "median", summarize(samples, (size_t)runs).median);
    return json;
}
