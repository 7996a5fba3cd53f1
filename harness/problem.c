#include "harness/sweep.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sequential reference is timed as often as a GPU's sample, because speedups divide by it: until
 * LONG_ENOUGH_S seconds have passed, at least LEAST_RUNS times unless that takes more than TOO_LONG_S
 * seconds, and at most MOST_RUNS times. */
#define LONG_ENOUGH_S 0.25
#define TOO_LONG_S 5
#define LEAST_RUNS 3
#define MOST_RUNS 9

static bool is_open, has_reference;

void leave_out(const struct sweep *s, const char *what, const char *reason)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", what);
    cJSON_AddStringToObject(json, "reason", reason);
    cJSON_AddItemToArray(s->skipped, json);
    if (s->is_last_process)
        fprintf(stderr, "%s: left out: %s: %s\n", program_name(), what, reason);
}

/* Returns whether the device has the memory for a problem of this size. If not, says so, and notes it for the
 * result file. */
static bool has_memory_for(struct sweep *s, long long size)
{
    const struct problem *problem = &s->experiment->problem;
    const char *planted = getenv("GPUSYNC_PLANT_FAILURE"); /* "memory": the device has none (tests/skips) */
    const size_t needed = problem->bytes ? problem->bytes(size) : 0,
                 have = planted && strcmp(planted, "memory") == 0 ? 0 : device_free_bytes();
    char what[64], reason[96];
    if (needed <= have)
        return true;
    snprintf(what, sizeof what, "size %lld", size);
    snprintf(reason, sizeof reason, "needs %.1f GB of the device's memory, of which %.1f GB are free",
             1e-9 * (double)needed, 1e-9 * (double)have);
    leave_out(s, what, reason);
    return false;
}

bool problem_open(struct sweep *s, size_t at)
{
    const struct problem *problem = &s->experiment->problem;
    struct options *o = &s->options;
    if (!problem->open)
        return true;
    problem_close(s->experiment);
    if (at && !o->input && !has_memory_for(s, o->sizes.values[at]))
        return false;
    o->sizes.values[at] = (int)problem->open(o->input, o->sizes.values[at], o->seed);
    is_open = true;
    has_reference = false;
    return true;
}

void problem_close(const struct experiment *e)
{
    if (is_open)
        e->problem.close();
    is_open = false;
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
    while (runs < MOST_RUNS && total < (runs < LEAST_RUNS ? TOO_LONG_S : LONG_ENOUGH_S)) {
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
