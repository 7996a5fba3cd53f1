/* One point: verified, then timed. */
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/progress.h"
#include "harness/sweep.h"
#include "harness/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add_samples(cJSON *json, const char *unit, const double *samples, int runs, double operations)
{
    struct summary summary = summarize(samples, (size_t)runs);
    double interval[2] = {summary.ci95_low, summary.ci95_high};
    cJSON_AddStringToObject(json, "unit", unit);
    cJSON_AddItemToObject(json, "samples", cJSON_CreateDoubleArray(samples, runs));
    cJSON_AddNumberToObject(json, "min", summary.min);
    cJSON_AddNumberToObject(json, "median", summary.median);
    cJSON_AddNumberToObject(json, "max", summary.max);
    cJSON_AddItemToObject(json, "ci95", cJSON_CreateDoubleArray(interval, 2));
    cJSON_AddNumberToObject(json, "operations", operations);
    cJSON_AddNumberToObject(json, "per_operation", summary.median / operations);
}

static void add_verdict(cJSON *json, const struct variant *variant, const struct verdict *verdict)
{
    cJSON_AddBoolToObject(json, "ordered", variant->ordered);
    if (variant->unchecked) {
        cJSON_AddNullToObject(json, "verified");
        return;
    }
    cJSON_AddBoolToObject(json, "verified", verdict->correct);
    cJSON_AddNumberToObject(json, "wrong", (double)verdict->wrong);
    cJSON_AddNumberToObject(json, "compared", (double)verdict->compared);
}

/* So long a timed run should take at least, in ns: events tick in half microseconds. */
#define SHORTEST_RUN 1e6
#define MOST_REPEATS 1000

static double time_repeats(const struct experiment *e, const struct point *point, int repeats)
{
    timer_start();
    for (int i = 0; i < repeats; i++)
        e->run(point);
    double time = timer_stop() / repeats;
    return e->measured ? e->measured(point) : time;
}

/*
 * Verifies a run, then times others; returns how often the algorithm runs between two events. The
 * machine's first run is as good as any, so it is the one that counts.
 */
static int verify_and_time(const struct sweep *s, const struct point *point, struct verdict *verdict,
                           double *samples)
{
    const struct experiment *e = s->experiment;
    double once = time_repeats(e, point, 1);
    samples[0] = once;
    if (!point->variant->unchecked)
        *verdict = e->check(point);
    if (s->device.machine)
        return 1;
    int repeats = once > SHORTEST_RUN / MOST_REPEATS ? (int)(SHORTEST_RUN / once) + 1 : MOST_REPEATS;
    if (e->measured)
        repeats = 1;
    for (int i = 0; i < s->options.runs; i++)
        samples[i] = time_repeats(e, point, repeats);
    return repeats;
}

cJSON *measure_point(const struct sweep *s, const struct point *point)
{
    char what[256];
    snprintf(what, sizeof what, "%s with %u blocks of %u threads", point->variant->name, point->blocks,
             point->threads);
    progress_step(what);
    watchdog_set(s->options.timeout_s, what);
    const struct experiment *e = s->experiment;
    struct verdict verdict = {true, 0, 0};
    double *samples = allocate((size_t)s->options.runs * sizeof *samples);
    e->prepare(point);
    begin_counting();
    int repeats = verify_and_time(s, point, &verdict, samples);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", point->variant->name);
    cJSON_AddNumberToObject(json, "blocks", point->blocks);
    cJSON_AddNumberToObject(json, "threads", point->threads);
    cJSON_AddNumberToObject(json, "size", (double)point->size);
    add_samples(json, e->measured ? e->measured_unit : time_unit(), samples, s->options.runs,
                e->operations(point));
    cJSON_AddNumberToObject(json, "repeats", repeats);
    add_verdict(json, point->variant, &verdict);
    add_counters(json);
    if (e->describe)
        e->describe(point, json);
    e->release();
    free(samples);
    return json;
}

/* The sequential reference, timed as often as the points are. */
cJSON *measure_reference(const struct sweep *s, long long size)
{
    const struct experiment *e = s->experiment;
    int runs = s->options.runs;
    double *samples = allocate((size_t)runs * sizeof *samples);
    for (int i = 0; i < runs; i++) {
        double begin = host_seconds();
        e->problem.reference();
        samples[i] = round(1e9 * (host_seconds() - begin));
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "size", (double)size);
    cJSON_AddStringToObject(json, "unit", "ns");
    cJSON_AddItemToObject(json, "samples", cJSON_CreateDoubleArray(samples, runs));
    cJSON_AddNumberToObject(json, "median", summarize(samples, (size_t)runs).median);
    free(samples);
    return json;
}
