/* One visit to a point: it is verified the first time, then timed. */
#include "base/memory.h"
#include "base/statistics.h"
#include "harness/check.h"
#include "harness/progress.h"
#include "harness/sweep.h"
#include "harness/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the point's JSON ---- */

/* Adds a member, or puts another in its place. */
static void put(cJSON *json, const char *name, cJSON *value)
{
    if (cJSON_GetObjectItem(json, name))
        cJSON_ReplaceItemInObject(json, name, value);
    else
        cJSON_AddItemToObject(json, name, value);
}

static size_t numbers_of(const cJSON *json, const char *name, double **out)
{
    const cJSON *array = cJSON_GetObjectItem(json, name), *item;
    size_t count = 0;
    *out = allocate((size_t)cJSON_GetArraySize(array) * sizeof **out);
    cJSON_ArrayForEach(item, array)(*out)[count++] = item->valuedouble;
    return count;
}

/*
 * The samples that count. One that took a quarter longer than the fastest was disturbed, by another program say, and is
 * counted but not used; unless most are, and this is how the point is. `good` and `process` are shortened to those;
 * returns how many.
 */
#define DISTURBED 1.25
static size_t keep_undisturbed(double *good, double *process, size_t count)
{
    size_t kept = 0;
    double limit = DISTURBED * summarize(good, count).min;
    for (size_t i = 0; i < count; i++)
        kept += good[i] <= limit;
    if (2 * kept <= count)
        return count;
    kept = 0;
    for (size_t i = 0; i < count; i++)
        if (good[i] <= limit) {
            good[kept] = good[i];
            process[kept++] = process[i];
        }
    return kept;
}

/*
 * The interval of the median: from order statistics, but no narrower than the range of the medians of the single
 * processes, since one process knows nothing of another's allocations and placement. `process`: of each sample;
 * those of one process follow each other.
 */
static void interval_of(const double *samples, const double *process, size_t count, double interval[2])
{
    struct summary all = summarize(samples, count);
    interval[0] = all.ci95_low;
    interval[1] = all.ci95_high;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && process[end] == process[first];)
            end++;
        double median = summarize(samples + first, end - first).median;
        interval[0] = fmin(interval[0], median);
        interval[1] = fmax(interval[1], median);
    }
}

static void put_samples(cJSON *json, double *samples, double *process, size_t count, double operations)
{
    put(json, "samples", cJSON_CreateDoubleArray(samples, (int)count));
    if (!device_is_machine())
        put(json, "process", cJSON_CreateDoubleArray(process, (int)count));
    size_t kept = device_is_machine() ? count : keep_undisturbed(samples, process, count);
    struct summary summary = summarize(samples, kept);
    double interval[2];
    interval_of(samples, process, kept, interval);
    if (!device_is_machine())
        put(json, "disturbed", cJSON_CreateNumber((double)(count - kept)));
    put(json, "min", cJSON_CreateNumber(summary.min));
    put(json, "median", cJSON_CreateNumber(summary.median));
    put(json, "max", cJSON_CreateNumber(summary.max));
    put(json, "ci95", cJSON_CreateDoubleArray(interval, 2));
    put(json, "operations", cJSON_CreateNumber(operations));
    put(json, "per_operation", cJSON_CreateNumber(summary.median / operations));
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

double interval_width(const cJSON *json)
{
    const cJSON *interval = cJSON_GetObjectItem(json, "ci95");
    return (cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 1)) -
            cJSON_GetNumberValue(cJSON_GetArrayItem(interval, 0))) /
           2 / cJSON_GetNumberValue(cJSON_GetObjectItem(json, "median"));
}

size_t sample_count(const cJSON *json)
{
    const cJSON *disturbed = cJSON_GetObjectItem(json, "disturbed");
    return (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(json, "samples")) -
           (disturbed ? (size_t)disturbed->valueint : 0);
}

/* ---- time ---- */

/* So long a timed run should take at least, in ns: events tick in half microseconds. */
#define SHORTEST_RUN 1e6
/* A run this long was warm for most of its time. */
#define LONG_RUN 5e6
#define MOST_REPEATS 4096
/* A clock this much below the fastest that was seen is throttled; so often is a sample taken again. */
#define THROTTLED 0.97
#define MOST_TRIES 3

/* How often the algorithm runs between two events; and what the samples of a visit met. */
struct visit {
    int repeats;
    bool in_graph;
    int throttled; /* samples that were taken again, or kept after the last try */
    double clock_hz;
};

static void run_repeats(const struct experiment *e, const struct point *point, int repeats)
{
    for (int i = 0; i < repeats; i++)
        e->run(point);
}

/* What is reported of a run's time. */
static double reported(const struct experiment *e, double time)
{
    return e->whole ? e->whole(time) : time;
}

static double time_repeats(const struct experiment *e, const struct point *point, int repeats)
{
    timer_start();
    run_repeats(e, point, repeats);
    double time = timer_stop() / repeats;
    return e->measured ? e->measured(point) : time;
}

/* The same as the nodes of one graph, which the device has seen once before. */
static double time_in_graph(const struct experiment *e, const struct point *point, int repeats)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    run_repeats(e, point, repeats);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, harness_stream()));
    timer_start();
    CHECK(cudaGraphLaunch(executable, harness_stream()));
    double time = timer_stop() / repeats;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    return time;
}

static double time_warm(const struct experiment *e, const struct point *point, const struct visit *v)
{
    return v->in_graph ? time_in_graph(e, point, v->repeats) : time_repeats(e, point, v->repeats);
}

/* How many times as many repeats a run needs to be long enough, by what one of them took: at least twice as many, and
 * a power of two; not too many at once, since the first repeats take longer than the others. */
#define MOST_AT_ONCE 16
static int more_repeats(double time_of_run)
{
    int factor = 2;
    while (factor < MOST_AT_ONCE && time_of_run * factor < 1.25 * SHORTEST_RUN)
        factor *= 2;
    return factor;
}

/* On a warm device, until even the fastest sample will be long enough. */
static void calibrate(const struct experiment *e, const struct point *point, struct visit *v)
{
    if (e->measured) {
        time_repeats(e, point, 1);
        return;
    }
    double time = time_warm(e, point, v);
    while (time * v->repeats < 1.25 * SHORTEST_RUN && v->repeats < MOST_REPEATS) {
        v->repeats *= more_repeats(time * v->repeats);
        v->repeats = v->repeats < MOST_REPEATS ? v->repeats : MOST_REPEATS;
        time = time_warm(e, point, v);
    }
}

static double take_sample(const struct experiment *e, const struct point *point, struct visit *v)
{
    static double fastest_clock;
    for (int tries = 1;; tries++) {
        double before = device_clock_hz();
        double time = time_warm(e, point, v);
        double clock = fmin(before, device_clock_hz());
        fastest_clock = fmax(fastest_clock, clock);
        bool throttled = clock < THROTTLED * fastest_clock;
        v->throttled += throttled;
        v->clock_hz = clock;
        if (!throttled || tries == MOST_TRIES)
            return time;
    }
}

/* A run of few launches overlaps with the next one's on a GPU, where they are timed back to back. */
#define FEW_LAUNCHES 10

/* The machine's every run takes the same time. `once`: what it took alone; returns what it takes behind another. */
static double time_behind_another(const struct experiment *e, const struct point *point, double once)
{
    if (e->measured || e->size_repeats || once > FEW_LAUNCHES * device_launch_time())
        return once;
    return 2 * time_repeats(e, point, 2) - once;
}

/* The machine's every run takes the same time, and the one that was verified counts. *once becomes its time. */
static cJSON *first_visit(const struct sweep *s, const struct point *point, double *once)
{
    const struct experiment *e = s->experiment;
    struct verdict verdict = {true, 0, 0};
    double process = s->process;
    begin_counting();
    *once = time_repeats(e, point, 1);
    if (!point->variant->unchecked) {
        reference_need(e);
        verdict = e->check(point);
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", point->variant->name);
    cJSON_AddNumberToObject(json, "blocks", point->blocks);
    cJSON_AddNumberToObject(json, "threads", point->threads);
    cJSON_AddNumberToObject(json, "size", (double)point->size);
    cJSON_AddStringToObject(json, "unit", e->measured ? e->measured_unit : time_unit());
    put_samples(json, once, &process, 0, e->operations(point));
    cJSON_AddNumberToObject(json, "repeats", 1);
    if (!s->device.machine) {
        cJSON_AddNumberToObject(json, "clock_hz", 0);
        cJSON_AddNumberToObject(json, "throttled", 0);
    }
    add_verdict(json, point->variant, &verdict);
    add_counters(json);
    if (e->describe)
        e->describe(point, json);
    if (s->device.machine)
        *once = time_behind_another(e, point, *once);
    return json;
}

/* `warm`: the time of a run that the device has just done; 0: none. */
static void add_samples(const struct sweep *s, const struct point *point, cJSON *json, size_t more,
                        double warm)
{
    const struct experiment *e = s->experiment;
    struct visit v = {cJSON_GetObjectItem(json, "repeats")->valueint, s->options.in_graph,
                      cJSON_GetObjectItem(json, "throttled")->valueint, 0};
    double *samples, *process;
    size_t count = numbers_of(json, "samples", &samples);
    numbers_of(json, "process", &process);
    samples = reallocate(samples, (count + more) * sizeof *samples);
    process = reallocate(process, (count + more) * sizeof *process);
    if (warm < LONG_RUN)
        calibrate(e, point, &v);
    for (size_t i = 0; i < more; i++) {
        samples[count] = reported(e, take_sample(e, point, &v));
        process[count++] = s->process;
    }
    put_samples(json, samples, process, count, e->operations(point));
    put(json, "repeats", cJSON_CreateNumber(v.repeats));
    put(json, "clock_hz", cJSON_CreateNumber(round(v.clock_hz * 1e-6) * 1e6));
    put(json, "throttled", cJSON_CreateNumber(v.throttled));
    free(samples);
    free(process);
}

/* On the machine: so many samples in all, each of another seed of the schedule; `once` is the first. */
static void add_seeds(const struct sweep *s, const struct point *point, cJSON *json, size_t count,
                      double once)
{
    const struct experiment *e = s->experiment;
    double *samples = allocate(count * sizeof *samples), *process = allocate(count * sizeof *process);
    samples[0] = reported(e, once);
    process[0] = s->process;
    for (size_t i = 1; i < count; i++) {
        process[i] = s->process;
        device_reset((unsigned)i);
        samples[i] = reported(e, time_behind_another(e, point, time_repeats(e, point, 1)));
        if (!point->variant->unchecked && !e->check(point).correct)
            put(json, "verified", cJSON_CreateFalse());
    }
    put_samples(json, samples, process, count, e->operations(point));
    free(samples);
    free(process);
}

cJSON *measure_point(const struct sweep *s, const struct point *point, const cJSON *earlier, size_t more)
{
    char what[256];
    snprintf(what, sizeof what, "%s with %u blocks of %u threads", point->variant->name, point->blocks,
             point->threads);
    progress_step(what);
    watchdog_set(s->options.timeout_s, what);
    device_reset(0);
    s->experiment->prepare(point);
    double warm = 0;
    cJSON *json = earlier ? cJSON_Duplicate(earlier, true) : first_visit(s, point, &warm);
    if (earlier && cJSON_GetNumberValue(cJSON_GetObjectItem(json, "median")) > LONG_RUN)
        warm = LONG_RUN; /* what is not warm at its beginning does not show */
    if (s->device.machine)
        add_seeds(s, point, json, more, warm);
    else
        add_samples(s, point, json, more, warm);
    s->experiment->release();
    return json;
}
