/* One visit to a point: it is verified the first time, then timed. */
#include "harness/check.h"
#include "harness/early.h"
#include "harness/progress.h"
#include "harness/sweep.h"
#include "harness/timer.h"

#include <math.h>
#include <stdio.h>

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

/* On the machine, which imitates a GPU's runs back to back; every run of one seed takes the same time there. `once`: what it took alone; returns what it takes behind another. */
static double time_behind_another(const struct experiment *e, const struct point *point, double once)
{
    if (e->measured || e->size_repeats || once > FEW_LAUNCHES * device_launch_time())
        return once;
    return 2 * time_repeats(e, point, 2) - once;
}

static double run_behind_another(const struct experiment *e, const struct point *point)
{
    return reported(e, time_behind_another(e, point, time_repeats(e, point, 1)));
}

/* ---- a visit ---- */

/* The first run, which is verified, or with --early the second one, which began while the first ended; *once becomes its
 * time. On the machine it is the first sample. */
static struct measurement *first_visit(const struct sweep *s, const struct point *point, double *once)
{
    const struct experiment *e = s->experiment;
    struct measurement *m = measurement_new(point, e);
    begin_counting();
    *once = time_repeats(e, point, runs_begin_early() ? 2 : 1);
    if (!point->variant->unchecked) {
        reference_need(e);
        m->verdict = e->check(point);
    }
    m->operations = e->operations(point);
    add_counters(m->facts);
    if (e->describe)
        e->describe(point, m->facts);
    if (s->device.machine)
        measurement_add_sample(m, reported(e, time_behind_another(e, point, *once)), s->process);
    return m;
}

/* `run`: the time of a run that the device has just done, or that a run is known to take. */
static void add_samples(const struct sweep *s, struct measurement *m, size_t more, double run)
{
    const struct experiment *e = s->experiment;
    struct visit v = {m->repeats, s->options.in_graph, m->throttled, 0};
    if (run < LONG_RUN)
        calibrate(e, &m->point, &v);
    for (size_t i = 0; i < more; i++)
        measurement_add_sample(m, reported(e, take_sample(e, &m->point, &v)), s->process);
    m->repeats = v.repeats;
    m->clock_hz = round(v.clock_hz * 1e-6) * 1e6;
    m->throttled = v.throttled;
}

/* On the machine: as many samples in all, each of another seed of the schedule. */
static void add_seeds(const struct sweep *s, struct measurement *m, size_t count)
{
    const struct experiment *e = s->experiment;
    for (size_t i = m->count; i < count; i++) {
        device_reset((unsigned)i);
        measurement_add_sample(m, run_behind_another(e, &m->point), s->process);
        if (!m->point.variant->unchecked && !e->check(&m->point).correct)
            m->verdict.correct = false;
    }
}

struct measurement *measure_point(const struct sweep *s, const struct point *point, struct measurement *m,
                                  size_t more)
{
    char what[256];
    snprintf(what, sizeof what, "%s with %u blocks of %u threads", point->variant->name, point->blocks,
             point->threads);
    progress_step(what);
    watchdog_set(s->options.timeout_s, what);
    device_reset(0);
    s->experiment->prepare(point);
    double run = m ? measurement_median(m) : 0;
    if (!m)
        m = first_visit(s, point, &run);
    if (s->device.machine)
        add_seeds(s, m, more);
    else
        add_samples(s, m, more, run);
    s->experiment->release();
    return m;
}
