#include "harness/problem.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/timer.h"

#include <math.h>
#include <stdlib.h>

/* To time the sequential reference, it is repeated until LONG_ENOUGH_S seconds have passed, but at most
 * MOST_RUNS times. */
#define LONG_ENOUGH_S 0.25
#define MOST_RUNS 3

static bool has_reference;

void problem_open(struct sweep *s, size_t at)
{
    const struct problem *problem = &s->experiment->problem;
    struct options *o = &s->options;
    if (!problem->open)
        return;
    if (at)
        problem->close();
    o->sizes.values[at] = (int)problem->open(o->input, o->sizes.values[at], o->seed);
    has_reference = false;
}

void problem_need_reference(const struct experiment *e)
{
    if (e->problem.reference && !has_reference)
        e->problem.reference();
    has_reference = true;
}

cJSON *problem_time_sequential(const struct experiment *e, long long size)
{
    double samples[MOST_RUNS], total = 0;
    int runs = 0;
    while (runs < MOST_RUNS && total < LONG_ENOUGH_S) {
        double begin = host_seconds();
        e->problem.sequential();
        double time = host_seconds() - begin;
        samples[runs++] = round(1e9 * time);
        total += time;
    }
    has_reference = true;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "size", (double)size);
    cJSON_AddStringToObject(json, "unit", "ns");
    cJSON_AddItemToObject(json, "samples", cJSON_CreateDoubleArray(samples, runs));
    cJSON_AddNumberToObject(json, "median", summarize(samples, (size_t)runs).median);
    return json;
}
