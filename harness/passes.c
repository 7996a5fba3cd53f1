/*
 * The points of one problem are measured in passes: each pass goes through them in another random order and
 * adds a few samples to each. So a disturbance that lasts for a while meets one sample of many points and not
 * all samples of one point. A point whose interval stays wide gets more samples than the others.
 */
#include "harness/passes.h"
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "harness/cannot.h"
#include "harness/measure.h"
#include "harness/problem.h"
#include "harness/progress_bar.h"
#include "harness/result.h"
#include "harness/timer.h"

#include <stdlib.h>
#include <string.h>

/* A visit adds at most this number of samples to a point. */
#define SAMPLES_OF_A_VISIT 2
/* A point with a wide interval gets at most this many times the samples of the others. */
#define MOST_SAMPLES 2
/* A point with a wide interval gets at most this many times the samples of the others, counting disturbed
 * samples, too. */
#define MOST_TAKEN 5

struct planned {
    struct point point;
    struct measurement *measured; /* what has been measured of the point, or NULL before its first visit */
    bool left_out;                /* an attempt to measure the point failed: no later pass tries */
};

/* ---- what is planned ---- */

static double number(const cJSON *point, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(point, name));
}

/* Finds the point in a journal, which has a line for each visit to a point; the last of these lines has all
 * samples. */
static struct measurement *find_point(const struct experiment *e, const cJSON *points,
                                      const struct point *point)
{
    const cJSON *p, *last = NULL;
    cJSON_ArrayForEach(p, points)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant"));
        if (name && strcmp(name, point->variant->name) == 0 && number(p, "blocks") == point->blocks &&
            number(p, "threads") == point->threads && number(p, "size") == (double)point->size)
            last = p;
    }
    return last ? measurement_read(last, point, e) : NULL;
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

/* Leaves a point out. Only the first reason why a variant's points are left out is printed and kept for the
 * result file. */
static void leave_out(const struct sweep *s, struct planned *p, const char *reason)
{
    const char *name = p->point.variant->name;
    p->left_out = true;
    device_give_up();
    if (p->measured)
        measurement_summarize(p->measured);
    if (is_skipped(s, name))
        return;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", name);
    cJSON_AddStringToObject(json, "reason", reason);
    cJSON_AddItemToArray(s->skipped, json);
    if (s->is_last_process)
        fprintf(stderr, "%s: left out: %s: %s\n", program_name(), name, reason);
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

/* Plans the points in the order of the result file: all variants with the first number of blocks, then all
 * variants with the next number. */
static struct planned *make_plan(const struct sweep *s, long long size, const cJSON *earlier, size_t *count)
{
    const struct options *o = &s->options;
    struct planned *plan = allocate(o->threads.count * o->blocks.count * s->variant_count * sizeof *plan);
    *count = 0;
    for (size_t t = 0; t < o->threads.count; t++)
        for (size_t b = 0; b < o->blocks.count; b++)
            for (size_t v = 0; v < s->variant_count; v++) {
                struct point point = {s->variants[v], (unsigned)o->blocks.values[b],
                                      (unsigned)o->threads.values[t], size, o->seed};
                if (threads_by_size(s, size))
                    point.threads = threads_by_size(s, size);
                struct planned *p = &plan[(*count)++];
                *p = (struct planned){.point = point};
                char reason[REASON_BYTES];
                struct shaping shaping = {s, &p->point};
                if (s->experiment->launches.shape && !attempt(shape, &shaping, reason))
                    leave_out(s, p, reason);
                else
                    p->measured = find_point(s->experiment, earlier, &p->point);
            }
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

/* Returns how many samples this visit should add to the point. `goal` is the number of samples that each
 * point has when this process is done. */
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

/* Prints the data races of the last run, if they are asked for, and returns their number. */
static size_t count_races(const struct point *p)
{
    char label[160];
    snprintf(label, sizeof label, "%s, %u blocks of %u threads, size %lld", p->variant->name, p->blocks,
             p->threads, p->size);
    return device_report_races(label);
}

/* Tells the progress bar and the watchdog what is measured next. */
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

/* Makes a visit to the point; returns whether it could be measured. */
static bool visit(const struct sweep *s, struct planned *p, size_t samples)
{
    struct visit v = {s, &p->point, p->measured, samples};
    char reason[REASON_BYTES];
    announce(s, &p->point);
    if (!attempt(measure_point, &v, reason)) {
        leave_out(s, p, reason);
        return false;
    }
    p->measured = v.measurement;
    p->measured->races = count_races(&p->point);
    if (s->options.json)
        add_to_journal(p->measured);
    return true;
}

/* Visits each point that wants samples; *last becomes the last point that could be measured. Returns whether
 * any point was visited. */
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

/* ---- the answers of --output ---- */

/* Returns the plan's last point that could be measured, or NULL. */
static struct planned *last_measured(struct planned *plan, size_t count)
{
    while (count && plan[count - 1].left_out)
        count--;
    return count ? &plan[count - 1] : NULL;
}

/* Runs the plan's last point again if another point ran after it, because --output writes what the last run
 * left in memory. */
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

static void print_head(const struct sweep *s)
{
    printf("# %s on %s, times in %s\n%-24s %9s %6s %8s %16s %14s  %s\n", s->experiment->name, s->device.name,
           sample_unit(s->experiment), "variant", "size", "blocks", "threads", "median", "per operation",
           "result");
}

static void print_row(const struct measurement *m)
{
    printf("%-24s %9lld %6u %8u %16.6g %14.6g  %s\n", m->point.variant->name, m->point.size, m->point.blocks,
           m->point.threads, m->median, m->median / m->operations,
           m->point.variant->unchecked      ? "-"
           : m->races && m->verdict.correct ? "verified, but with data races"
           : m->verdict.correct             ? "verified"
                                            : "WRONG");
}

/* ---- all points ---- */

/* Adds a point to the sweep's points, and prints it. */
static void keep(struct sweep *s, const struct planned *p)
{
    struct measurement *m = p->measured;
    bool is_wrong = !m->point.variant->unchecked && !m->verdict.correct;
    if (!s->device.machine)
        m->stopped_by = is_wide(s, p) ? "limit" : "interval";
    if ((m->point.variant->ordered || s->options.strict) && (is_wrong || m->races))
        s->wrong = true;
    if (!s->options.quiet)
        print_row(m);
    cJSON_AddItemToArray(s->points, measurement_json(m));
    measurement_free(m);
}

/* Measures the points of the problem that is open. */
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

/* Whether to time the sequential reference, Table III's yardstick: only where all variants are measured, and
 * only on a GPU, because times of the host cannot be compared with the memory machine's. */
static bool times_reference(const struct sweep *s)
{
    return s->experiment->problem.sequential && s->options.json && s->is_last_process &&
           !s->options.variants && !s->device.machine;
}

void measure_points(struct sweep *s, const cJSON *earlier, size_t goal)
{
    const struct options *o = &s->options;
    progress_bar_begin(o->sizes.count * o->threads.count * o->blocks.count * s->variant_count, o->quiet);
    if (!o->quiet)
        print_head(s);
    for (size_t i = 0; i < o->sizes.count; i++) {
        if (i)
            problem_open(s, i);
        measure_problem(s, o->sizes.values[i], earlier, goal, i + 1 == o->sizes.count);
        if (times_reference(s))
            cJSON_AddItemToArray(s->references, problem_time_sequential(s->experiment, o->sizes.values[i]));
    }
    progress_bar_end();
}
