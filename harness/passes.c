/* Measures the points of a problem in passes. Each pass visits them in another random order and adds a few
 * samples to each. So a disturbance that lasts for a while meets one sample of many points, and not all
 * samples of one point. A point whose interval stays wide gets more samples than the others. */
#include "base/failure.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "harness/check.h"
#include "harness/measurement.h"
#include "harness/result.h"
#include "harness/sweep.h"
#include "harness/timer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- progress bar ---- */

/* Shows a line on the terminal that says how far the sweep is and how long it will take. Shows nothing if the
 * output is not a terminal. */

static size_t total, done;
static bool shown;
static time_t began;

/* Begins the line for a sweep of `total` points; if `quiet`, no line is shown. */
static void progress_bar_begin(size_t new_total, bool quiet)
{
    total = new_total;
    done = 0;
    shown = !quiet && isatty(STDERR_FILENO);
    began = time(NULL);
}

/* Shows `what` as the point that is measured now, and counts it. */
static void progress_bar_step(const char *what)
{
    if (!shown)
        return;
    long elapsed = (long)(time(NULL) - began);
    long left = done ? (long)((double)elapsed * (double)(total - done) / (double)done) : 0;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, total, what);
    if (done)
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    fflush(stderr);
    done++;
}

/* Ends the sweep and clears the line. */
static void progress_bar_end(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}

/* ---- print unit ---- */

/* The unit of the times in the table that a program prints. The result file has other units. */

struct print_unit {
    const char *name;
    double factor; /* factor that converts a sample's time to the unit */
};

/*
 * Returns the unit that --unit names. Without --unit it is the unit of the samples or, on a memory machine
 * with a clock, microseconds. Exits with EXIT_BAD_INPUT if the device's clock is not known and the unit
 * needs it. The device is open.
 */
static struct print_unit print_unit_of(const struct sweep *s)
{
    const char *unit = sample_unit(s->experiment), *wanted = s->options.unit;
    double clock_hz = s->device.clock_hz;
    bool in_ns = strcmp(unit, "ns") == 0;
    if (!wanted)
        wanted = s->device.machine && clock_hz > 0 ? "us" : "units";
    if (strcmp(wanted, "units") == 0)
        return (struct print_unit){unit, 1};
    bool to_cycles = strcmp(wanted, "cycles") == 0;
    if (!(clock_hz > 0) && in_ns == to_cycles)
        fail(EXIT_BAD_INPUT, "--unit %s needs a clock rate, and %s has none", wanted, s->device.name);
    double seconds = in_ns ? 1e-9 : 1 / clock_hz;
    if (to_cycles)
        return (struct print_unit){wanted, in_ns ? seconds * clock_hz : 1};
    return (struct print_unit){wanted, seconds * (strcmp(wanted, "us") == 0 ? 1e6 : 1e9)};
}

/* ---- passes ---- */

/* A visit to a point adds at most this number of samples. */
#define SAMPLES_OF_A_VISIT 2
/* A point whose interval is wide gets more undisturbed samples than other points, but at most this factor
 * times as many. */
#define MOST_SAMPLES 2
/* The limit for disturbed and undisturbed samples together: a point gets at most this factor times as many
 * samples as other points. */
#define MOST_TAKEN 5

struct planned {
    struct point point;
    struct measurement *measured; /* the point's measurement so far, or NULL before the first visit */
    bool left_out;                /* an attempt to measure the point failed, so it is not visited again */
};

/* ---- the plan: the list of the points that are measured for a problem ---- */

static double number(const cJSON *point, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(point, name));
}

/* A point of an interrupted run's journal, by its variant, blocks, threads and size. */
struct earlier_point {
    char name[256];
    const cJSON *json;
};

static struct earlier_point named_point(const char *variant, double blocks, double threads, double size)
{
    struct earlier_point point = {.json = NULL};
    snprintf(point.name, sizeof point.name, "%s %.17g %.17g %.17g", variant, blocks, threads, size);
    return point;
}

/* Returns the points of a journal; map_end() frees them. A journal has a line for each visit to a point; the
 * last of these lines has all samples, so the last one counts. */
static struct map earlier_points(const cJSON *points)
{
    struct map all = MAP(struct earlier_point, name);
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        const char *variant = cJSON_GetObjectItemCaseSensitive(p, "variant")->valuestring;
        struct earlier_point named =
            named_point(variant, number(p, "blocks"), number(p, "threads"), number(p, "size"));
        struct earlier_point *point = map_get(&all, &named);
        point->json = p;
    }
    return all;
}

/* Returns the measurement of the point from an interrupted run's journal, or NULL if the journal does not
 * have the point. */
static struct measurement *find_point(const struct experiment *e, const struct map *earlier,
                                      const struct point *p)
{
    struct earlier_point wanted = named_point(p->variant->name, p->blocks, p->threads, (double)p->size);
    const struct earlier_point *found = map_find(earlier, &wanted);
    return found ? measurement_read(found->json, p, e) : NULL;
}

static bool is_skipped(const struct sweep *s, const char *variant)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, s->skipped)
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(entry, "variant")), variant) == 0)
            return true;
    }
    return false;
}

/* Marks a point as left out, for this reason. If a variant has several such points, only the reason of the
 * first is printed and kept for the result file. */
static void give_up(const struct sweep *s, struct planned *p, const char *reason)
{
    const char *name = p->point.variant->name;
    p->left_out = true;
    device_give_up();
    if (p->measured)
        measurement_summarize(p->measured);
    if (!is_skipped(s, name))
        leave_out(s, name, reason);
}

struct shaping {
    const struct sweep *sweep;
    struct point *point;
};

static void shape(void *context)
{
    const struct shaping *c = context;
    c->sweep->experiment->launches.shape(c->point, c->sweep->device.sm_count);
}

/* Returns whether --also has this number of blocks, but not this variant. */
static bool is_for_others(const struct options *o, const struct variant *variant, unsigned blocks)
{
    bool is_listed = false, is_named = false;
    for (size_t i = 0; i < o->also_blocks.count; i++)
        is_listed |= (unsigned)o->also_blocks.values[i] == blocks;
    for (const char **name = o->also_variants; name && *name; name++)
        is_named |= strcmp(*name, variant->name) == 0;
    return is_listed && !is_named;
}

static bool is_wanted(const struct sweep *s, const struct variant *variant, unsigned blocks)
{
    const struct launches *l = &s->experiment->launches;
    if (is_for_others(&s->options, variant, blocks))
        return false;
    if (s->standard_blocks && !s->device.machine && variant->within_block &&
        blocks > (unsigned)s->device.sm_count)
        return false;
    return !s->standard_blocks || !l->wants_blocks || l->wants_blocks(variant, blocks, s->device.sm_count);
}

/* Returns the points to measure, in the order of the result file: all variants with the first number of
 * blocks, then all variants with the next number, and so on. */
static struct planned *make_plan(const struct sweep *s, long long size, const cJSON *earlier, size_t *count)
{
    const struct options *o = &s->options;
    struct planned *plan = allocate(o->threads.count * o->blocks.count * s->variant_count * sizeof *plan);
    struct map measured_before = earlier_points(earlier);
    *count = 0;
    for (size_t t = 0; t < o->threads.count; t++)
        for (size_t b = 0; b < o->blocks.count; b++)
            for (size_t v = 0; v < s->variant_count; v++) {
                const unsigned own = own_blocks(s, s->variants[v], size);
                if ((own && b) || !is_wanted(s, s->variants[v], (unsigned)o->blocks.values[b]))
                    continue;
                struct point point = {s->variants[v], own ? own : (unsigned)o->blocks.values[b],
                                      (unsigned)o->threads.values[t], size, o->seed};
                if (threads_by_size(s, size))
                    point.threads = threads_by_size(s, size);
                struct planned *p = &plan[(*count)++];
                *p = (struct planned){.point = point};
                char reason[REASON_BYTES];
                struct shaping shaping = {s, &p->point};
                if (s->experiment->launches.shape && !attempt(shape, &shaping, reason))
                    give_up(s, p, reason);
                else
                    p->measured = find_point(s->experiment, &measured_before, &p->point);
            }
    map_end(&measured_before);
    return plan;
}

/* ---- passes ---- */

static void shuffle(size_t *order, size_t count, unsigned long long seed)
{
    struct random random = {seed};
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(random_next(&random) % i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static bool is_wide(const struct sweep *s, const struct planned *p)
{
    return s->options.within > 0 && measurement_width(p->measured) > 0.01 * s->options.within;
}

/* Returns how many samples the next visit should add to the point; 0 means that it needs no visit. `goal` is
 * the number of samples that each point has when this process is done. */
static size_t samples_wanted(const struct sweep *s, const struct planned *p, size_t goal)
{
    size_t have = p->measured ? p->measured->undisturbed : 0;
    size_t taken = p->measured ? p->measured->count : 0;
    if (p->left_out)
        return 0;
    if (s->device.machine)
        return have ? 0 : (size_t)s->options.runs;
    if (have >= goal && (goal < (size_t)s->options.runs || !is_wide(s, p)))
        return 0;
    if (taken >= MOST_TAKEN * goal)
        return 0;
    size_t most = have < goal ? goal : MOST_SAMPLES * goal;
    size_t more = most > have ? most - have : 0;
    return more < SAMPLES_OF_A_VISIT ? more : SAMPLES_OF_A_VISIT;
}

/* Prints the data races of the last run, if --races asks for them, and returns their number. */
static size_t count_races(const struct point *p)
{
    char label[160];
    snprintf(label, sizeof label, "%s, %u blocks of %u threads, size %lld", p->variant->name, p->blocks,
             p->threads, p->size);
    return device_report_races(label);
}

/* Tells the progress bar and the watchdog which point is measured next. */
static void announce(const struct sweep *s, const struct point *p)
{
    char what[256];
    snprintf(what, sizeof what, "%s with %u blocks of %u threads", p->variant->name, p->blocks, p->threads);
    progress_bar_step(what);
    watchdog_set(s->options.timeout_s, what);
}

static void add_to_journal(const struct measurement *m)
{
    cJSON *json = measurement_json(m);
    journal_add(json);
    cJSON_Delete(json);
}

/* Makes a visit to the point, which adds `samples` samples; returns whether the point could be measured. */
static bool visit(const struct sweep *s, struct planned *p, size_t samples)
{
    struct visit v = {s, &p->point, p->measured, samples};
    char reason[REASON_BYTES];
    announce(s, &p->point);
    if (!attempt(measure_point, &v, reason)) {
        give_up(s, p, reason);
        return false;
    }
    p->measured = v.measurement;
    p->measured->races = count_races(&p->point);
    if (s->options.json)
        add_to_journal(p->measured);
    return true;
}

/* Makes one pass: visits each point that needs more samples. *last becomes the last point whose visit
 * succeeded. Returns whether any point was visited. */
static bool take_pass(const struct sweep *s, struct planned *plan, size_t count, size_t goal, size_t pass,
                      const struct planned **last)
{
    size_t *order = allocate(count * sizeof *order);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (!s->device.machine)
        shuffle(order, count, s->options.seed + 1000 * (unsigned)s->process + pass);
    for (size_t i = 0; i < count; i++) {
        struct planned *p = &plan[order[i]];
        size_t samples = samples_wanted(s, p, goal);
        if (!samples)
            continue;
        if (visit(s, p, samples))
            *last = p;
        any = true;
    }
    free(order);
    return any;
}

/* ---- the answers that --output writes ---- */

/* Returns the last point of the plan that is not left out, or NULL if there is none. */
static struct planned *last_measured(struct planned *plan, size_t count)
{
    while (count && plan[count - 1].left_out)
        count--;
    return count ? &plan[count - 1] : NULL;
}

/* Runs this point again, because --output shall write its answers. Only the answers of the last run are in
 * memory, and another point ran after this one. */
static void rerun_last(const struct sweep *s, struct planned *p)
{
    struct visit again = {s, &p->point, NULL, s->device.machine ? (size_t)s->options.runs : 1};
    announce(s, &p->point);
    measure_point(&again);
    again.measurement->races = count_races(&p->point);
    if (!p->measured || s->device.machine) {
        measurement_free(p->measured);
        p->measured = again.measurement;
    } else {
        measurement_free(again.measurement);
    }
}

/* ---- the table ---- */

static void print_head(const struct sweep *s, const struct print_unit *unit)
{
    char also[96] = "";
    if (s->device.machine && strcmp(unit->name, "us") == 0)
        snprintf(also, sizeof also, " (1 us is %g time units)", s->device.clock_hz / 1e6);
    printf("# %s on %s, times in %s%s\n%-24s %9s %6s %8s %16s %14s  %s\n", s->experiment->name,
           s->device.name, unit->name, also, "variant", "size", "blocks", "threads", "median",
           "per operation", "result");
}

/* Says whether the answers of a point were right. Without order, wrong answers are no error unless --strict
 * is given. */
static const char *answers_of(const struct sweep *s, const struct measurement *m)
{
    const struct variant *variant = m->point.variant;
    if (variant->unchecked)
        return "-";
    if (m->verdict.correct)
        return m->races ? "verified, but with data races" : "verified";
    if (variant->ordered || s->options.strict)
        return "WRONG";
    return strcmp(variant->name, "none") == 0 || strncmp(variant->name, "none-", 5) == 0
               ? "wrong, as expected: no barrier"
               : "wrong, no error: not ordered";
}

static void print_row(const struct sweep *s, const struct measurement *m)
{
    double factor = print_unit_of(s).factor;
    printf("%-24s %9lld %6u %8u %16.6g %14.6g  %s\n", m->point.variant->name, m->point.size, m->point.blocks,
           m->point.threads, factor * m->median, factor * m->median / m->operations, answers_of(s, m));
}

/* ---- all points ---- */

/* Adds a measured point to the sweep's points for the result file, and prints its row. */
static void keep(struct sweep *s, const struct planned *p)
{
    struct measurement *m = p->measured;
    bool is_wrong = !m->point.variant->unchecked && !m->verdict.correct;
    if (!s->device.machine)
        m->stopped_by = is_wide(s, p) ? "limit" : "interval";
    if ((m->point.variant->ordered || s->options.strict) && (is_wrong || m->races))
        s->wrong = true;
    if (!s->options.quiet)
        print_row(s, m);
    cJSON_AddItemToArray(s->points, measurement_json(m));
    measurement_free(m);
}

/* Measures all points of the opened problem, whose size is `size`. */
static void measure_problem(struct sweep *s, long long size, const cJSON *earlier, size_t goal,
                            bool is_last_problem)
{
    size_t count;
    struct planned *plan = make_plan(s, size, earlier, &count);
    const struct planned *last = NULL;
    for (size_t pass = 0; take_pass(s, plan, count, goal, pass, &last);)
        pass++;
    struct planned *answers = last_measured(plan, count);
    if (s->options.output && is_last_problem && s->is_last_process && answers && last != answers)
        rerun_last(s, answers);
    for (size_t i = 0; i < count; i++)
        if (plan[i].measured)
            keep(s, &plan[i]);
    free(plan);
}

/* Returns whether to time the sequential reference, as Xiao and Feng 2010, Table III, does: only if the host
 * has the input and all variants are measured, and only on a GPU, because times of the host cannot be
 * compared with the memory machine's. */
static bool times_reference(const struct sweep *s)
{
    const struct problem *problem = &s->experiment->problem;
    return problem->sequential && !(problem->on_device && *problem->on_device) && s->options.json &&
           s->is_last_process && !s->options.variants && !s->device.machine;
}

void measure_points(struct sweep *s, const cJSON *earlier, size_t goal)
{
    const struct options *o = &s->options;
    const struct print_unit unit = print_unit_of(s);
    progress_bar_begin(o->sizes.count * o->threads.count * o->blocks.count * s->variant_count, o->quiet);
    if (!o->quiet)
        print_head(s, &unit);
    for (size_t i = 0; i < o->sizes.count; i++) {
        if (i && !problem_open(s, i))
            continue;
        measure_problem(s, o->sizes.values[i], earlier, goal, i + 1 == o->sizes.count);
        if (times_reference(s))
            cJSON_AddItemToArray(s->references, problem_time_sequential(s->experiment, o->sizes.values[i]));
    }
    progress_bar_end();
}
