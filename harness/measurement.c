#include "harness/measurement.h"
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/device.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sample_unit(const struct experiment *e)
{
    return e->measured ? e->measured_unit : time_unit();
}

struct measurement *measurement_new(const struct point *point, const struct experiment *e)
{
    struct measurement *m = allocate(sizeof *m);
    *m = (struct measurement){.point = *point,
                              .unit = sample_unit(e),
                              .repeats = 1,
                              .verdict = {true, 0, 0},
                              .facts = cJSON_CreateObject()};
    return m;
}

void measurement_free(struct measurement *m)
{
    if (!m)
        return;
    cJSON_Delete(m->facts);
    free(m->samples);
    free(m->process);
    free(m);
}

void measurement_add_sample(struct measurement *m, double time, int process)
{
    m->samples = with_room(m->samples, sizeof *m->samples, m->count, 1);
    m->process = with_room(m->process, sizeof *m->process, m->count, 1);
    m->samples[m->count] = time;
    m->process[m->count++] = process;
}

/* ---- the summary of the samples ---- */

/* The samples of a point that count for its summary, and for each the number of the process that took it. */
struct kept {
    double *samples, *process;
    size_t count;
};

/*
 * A sample counts as disturbed, for example by another program, if it took more than DISTURBED times as long
 * as the fastest sample. It stays in the result file but not in the summary. If half of the samples or more
 * are disturbed, all count, because then such times are usual for the point. On the memory machine nothing is
 * disturbed.
 */
#define DISTURBED 1.25
static struct kept keep_undisturbed(const struct measurement *m)
{
    struct kept kept = {allocate((m->count + 1) * sizeof *m->samples),
                        allocate((m->count + 1) * sizeof *m->process), 0};
    double limit = device_is_machine() ? INFINITY : DISTURBED * summarize(m->samples, m->count).min;
    size_t good = 0;
    for (size_t i = 0; i < m->count; i++)
        good += m->samples[i] <= limit;
    if (2 * good <= m->count)
        limit = INFINITY;
    for (size_t i = 0; i < m->count; i++)
        if (m->samples[i] <= limit) {
            kept.samples[kept.count] = m->samples[i];
            kept.process[kept.count++] = m->process[i];
        }
    return kept;
}

/* Widens the median's interval, which comes from order statistics, so that it contains the median of each
 * process alone. The reason: a process has one allocation and one placement of blocks, so its samples cannot
 * show what others would change. */
static void widen_by_processes(const struct kept *kept, double interval[2])
{
    for (size_t first = 0, end; first < kept->count; first = end) {
        for (end = first + 1; end < kept->count && kept->process[end] == kept->process[first];)
            end++;
        double median = summarize(kept->samples + first, end - first).median;
        interval[0] = fmin(interval[0], median);
        interval[1] = fmax(interval[1], median);
    }
}

void measurement_summarize(struct measurement *m)
{
    struct kept kept = keep_undisturbed(m);
    struct summary summary = summarize(kept.samples, kept.count);
    m->undisturbed = kept.count;
    m->min = summary.min;
    m->median = summary.median;
    m->max = summary.max;
    m->interval[0] = summary.ci95_low;
    m->interval[1] = summary.ci95_high;
    widen_by_processes(&kept, m->interval);
    free(kept.samples);
    free(kept.process);
}

double measurement_width(const struct measurement *m)
{
    return (m->interval[1] - m->interval[0]) / 2 / m->median;
}

/* ---- JSON ---- */

static void add_point(cJSON *json, const struct measurement *m)
{
    cJSON_AddStringToObject(json, "variant", m->point.variant->name);
    cJSON_AddNumberToObject(json, "blocks", m->point.blocks);
    cJSON_AddNumberToObject(json, "threads", m->point.threads);
    cJSON_AddNumberToObject(json, "size", (double)m->point.size);
    cJSON_AddStringToObject(json, "unit", m->unit);
}

static void add_times(cJSON *json, const struct measurement *m)
{
    cJSON_AddItemToObject(json, "samples", cJSON_CreateDoubleArray(m->samples, (int)m->count));
    if (!device_is_machine()) {
        cJSON_AddItemToObject(json, "process", cJSON_CreateDoubleArray(m->process, (int)m->count));
        cJSON_AddNumberToObject(json, "disturbed", (double)(m->count - m->undisturbed));
    }
    cJSON_AddNumberToObject(json, "min", m->min);
    cJSON_AddNumberToObject(json, "median", m->median);
    cJSON_AddNumberToObject(json, "max", m->max);
    cJSON_AddItemToObject(json, "ci95", cJSON_CreateDoubleArray(m->interval, 2));
    cJSON_AddNumberToObject(json, "operations", m->operations);
    cJSON_AddNumberToObject(json, "per_operation", m->median / m->operations);
    cJSON_AddNumberToObject(json, "repeats", m->repeats);
    if (!device_is_machine()) {
        cJSON_AddNumberToObject(json, "clock_hz", m->clock_hz);
        cJSON_AddNumberToObject(json, "throttled", m->throttled);
    }
}

static void add_verdict(cJSON *json, const struct measurement *m)
{
    const struct variant *variant = m->point.variant;
    cJSON_AddBoolToObject(json, "ordered", variant->ordered);
    if (variant->unchecked) {
        cJSON_AddNullToObject(json, "verified");
        return;
    }
    cJSON_AddBoolToObject(json, "verified", m->verdict.correct);
    cJSON_AddNumberToObject(json, "wrong", (double)m->verdict.wrong);
    cJSON_AddNumberToObject(json, "compared", (double)m->verdict.compared);
}

cJSON *measurement_json(const struct measurement *m)
{
    const cJSON *fact;
    cJSON *json = cJSON_CreateObject();
    add_point(json, m);
    add_times(json, m);
    add_verdict(json, m);
    cJSON_ArrayForEach(fact, m->facts) cJSON_AddItemToObject(json, fact->string, cJSON_Duplicate(fact, true));
    if (m->races)
        cJSON_AddNumberToObject(json, "races", (double)m->races);
    if (m->stopped_by)
        cJSON_AddStringToObject(json, "stopped_by", m->stopped_by);
    return json;
}

static double number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(json, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void read_samples(struct measurement *m, const cJSON *json)
{
    const cJSON *sample, *process = cJSON_GetObjectItem(json, "process");
    process = process ? process->child : NULL;
    cJSON_ArrayForEach(sample, cJSON_GetObjectItem(json, "samples"))
    {
        measurement_add_sample(m, sample->valuedouble, process ? process->valueint : 0);
        process = process ? process->next : NULL;
    }
}

/* Returns the point's facts: all members of the JSON except the members in the list below, which add_point,
 * add_times, add_verdict and measurement_json write. */
static cJSON *read_facts(const cJSON *json)
{
    static const char *const written[] = {
        "variant",   "blocks",  "threads",  "size",  "unit",       "samples",       "process",   "disturbed",
        "min",       "median",  "max",      "ci95",  "operations", "per_operation", "repeats",   "clock_hz",
        "throttled", "ordered", "verified", "wrong", "compared",   "races",         "stopped_by"};
    cJSON *facts = cJSON_Duplicate(json, true);
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(facts, written[i]);
    return facts;
}

struct measurement *measurement_read(const cJSON *json, const struct point *point, const struct experiment *e)
{
    struct measurement *m = measurement_new(point, e);
    cJSON_Delete(m->facts);
    m->facts = read_facts(json);
    read_samples(m, json);
    m->operations = number(json, "operations");
    m->repeats = (int)number(json, "repeats");
    m->throttled = (int)number(json, "throttled");
    m->clock_hz = number(json, "clock_hz");
    m->verdict = (struct verdict){!cJSON_IsFalse(cJSON_GetObjectItem(json, "verified")),
                                  (unsigned long long)number(json, "wrong"),
                                  (unsigned long long)number(json, "compared")};
    m->races = (size_t)number(json, "races");
    measurement_summarize(m);
    return m;
}

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
