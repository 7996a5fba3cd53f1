/*
 * The points of one problem, measured in passes: each pass goes through them in another random order and adds a few
 * samples to each, so that what disturbs the device for a while meets one sample of many points and not all samples
 * of one. A point whose interval stays wide gets more than the others.
 */
#include "base/failure.h"
#include "base/memory.h"
#include "base/random.h"
#include "harness/cannot.h"
#include "harness/progress.h"
#include "harness/result.h"
#include "harness/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pass adds so many samples to a point; up to so many times the asked-for samples are taken of a wide one. */
#define SAMPLES_OF_A_VISIT 2
#define MOST_SAMPLES 2
#define MOST_TAKEN 5 /* disturbed ones included */

struct planned {
    struct point point;
    struct measurement *measured; /* NULL: nothing yet */
    bool cannot;                  /* be measured here: no later pass tries */
};

static double number(const cJSON *point, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(point, name));
}

/* The journal has a line for each visit; the last one knows most. */
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

/* A variant's first reason is said and kept. */
static void leave_out(const struct sweep *s, struct planned *p, const char *reason)
{
    const char *name = p->point.variant->name;
    const cJSON *entry;
    p->cannot = true;
    device_give_up();
    cJSON_ArrayForEach(
        entry,
        s->cannot) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(entry, "variant")), name) == 0) return;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", name);
    cJSON_AddStringToObject(json, "reason", reason);
    cJSON_AddItemToArray(s->cannot, json);
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

/* All variants at one number of blocks, then the next: the order of the result file. */
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

/* How many samples this point should get now; `goal`: all points have so many when this process is done. */
static size_t samples_wanted(const struct sweep *s, const struct planned *p, size_t goal)
{
    size_t have = p->measured ? measurement_undisturbed(p->measured) : 0;
    size_t taken = p->measured ? p->measured->count : 0;
    if (p->cannot)
        return 0;
    if (s->device.machine)
        return have ? 0 : (size_t)s->options.runs;
    if (have >= goal && (goal < (size_t)s->options.runs || !is_wide(s, p)))
        return 0;
    if (taken >= MOST_TAKEN * goal) /* disturbed all the time */
        return 0;
    size_t most = have < goal ? goal : MOST_SAMPLES * goal;
    size_t more = most > have ? most - have : 0;
    return more < SAMPLES_OF_A_VISIT ? more : SAMPLES_OF_A_VISIT;
}

/* Data races of what was just run, where they are asked for. */
static size_t count_races(const struct point *p)
{
    char label[160];
    snprintf(label, sizeof label, "%s, %u blocks of %u threads, size %lld", p->variant->name, p->blocks,
             p->threads, p->size);
    return device_report_races(label);
}

struct visit {
    const struct sweep *sweep;
    struct planned *planned;
    size_t more;
};

static void note(const struct measurement *m)
{
    cJSON *json = measurement_json(m);
    journal_add(json);
    cJSON_Delete(json);
}

static void visit(void *context)
{
    const struct visit *v = context;
    const struct sweep *s = v->sweep;
    struct planned *p = v->planned;
    p->measured = measure_point(s, &p->point, p->measured, v->more);
    p->measured->races = count_races(&p->point);
    if (s->options.json)
        note(p->measured);
}

/* Returns whether any point was visited; *last becomes the one that was visited last. */
static bool take_pass(struct sweep *s, struct planned *plan, size_t count, size_t goal, size_t pass,
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
        size_t more = samples_wanted(s, p, goal);
        if (!more)
            continue;
        struct visit v = {s, p, more};
        char reason[REASON_BYTES];
        if (attempt(visit, &v, reason))
            *last = p;
        else
            leave_out(s, p, reason);
        any = true;
    }
    free(order);
    return any;
}

static struct planned *last_measured(struct planned *plan, size_t count)
{
    while (count && plan[count - 1].cannot)
        count--;
    return count ? &plan[count - 1] : NULL;
}

/* --output writes what the last run left in memory: if that was another point, the last point of the plan runs again. */
static void answer_last(const struct sweep *s, struct planned *p)
{
    struct measurement *again =
        measure_point(s, &p->point, NULL, s->device.machine ? (size_t)s->options.runs : 1);
    again->races = count_races(&p->point);
    if (!p->measured || s->device.machine) {
        measurement_free(p->measured);
        p->measured = again;
    } else {
        measurement_free(again);
    }
}

/* ---- rows ---- */

static void print_row(const struct measurement *m)
{
    double median = measurement_median(m);
    printf("%-24s %9lld %6u %8u %16.6g %14.6g  %s\n", m->point.variant->name, m->point.size, m->point.blocks,
           m->point.threads, median, median / m->operations,
           m->point.variant->unchecked      ? "-"
           : m->races && m->verdict.correct ? "verified, but with data races"
           : m->verdict.correct             ? "verified"
                                            : "WRONG");
}

static void keep(struct sweep *s, const struct planned *p)
{
    struct measurement *m = p->measured;
    bool is_wrong = !m->point.variant->unchecked && !m->verdict.correct;
    if (!s->device.machine) /* why no more samples were taken */
        m->stopped_by = is_wide(s, p) ? "limit" : "interval";
    if ((m->point.variant->ordered || s->options.strict) && (is_wrong || m->races))
        s->wrong = true;
    if (!s->options.quiet)
        print_row(m);
    cJSON_AddItemToArray(s->points, measurement_json(m));
    measurement_free(m);
}

void measure_points(struct sweep *s, long long size, const cJSON *earlier, size_t goal, bool last_problem)
{
    size_t count;
    struct planned *plan = make_plan(s, size, earlier, &count);
    const struct planned *last = NULL;
    for (size_t pass = 0; take_pass(s, plan, count, goal, pass, &last);)
        pass++;
    struct planned *answers = last_measured(plan, count);
    if (s->options.output && last_problem && s->is_last_process && answers && last != answers)
        answer_last(s, answers);
    for (size_t i = 0; i < count; i++)
        if (plan[i].measured)
            keep(s, &plan[i]);
    free(plan);
}
