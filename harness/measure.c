#include "harness/sweep.h"
#include "harness/check.h"
#include "harness/timer.h"

#include <math.h>

/* ---- time ---- */

/* The shortest time of a sample, in ns. It is long compared with the 500 ns between two ticks of CUDA
 * events. */
#define SHORTEST_SAMPLE 1e6
/* A run of at least this time, in ns, is timed without an earlier run that warms the device. */
#define LONG_RUN 5e6
/* The first run of a point, which verifies it, is also its first sample if it takes at least this time (ns).
 * Of 60 such points on an H200 nine in ten differed by less than 2 % from the next sample; of points that
 * take 10 to 30 ms, by up to 5 %. */
#define LONG_FIRST_RUN 5e7
/* Before the samples of a later visit, an eighth of a sample's repeats warms the device. */
#define WARMING 8
#define MOST_REPEATS 4096
/* The clock counts as throttled if its rate is below this share of the highest rate seen in this process. */
#define THROTTLED 0.97
/* A sample is taken again as long as the clock is throttled, but at most this number of times. */
#define MOST_TRIES 3

/* How the samples of a visit to a point are timed, and what was noticed while they were taken. */
struct timing {
    int repeats;   /* number of runs between the two CUDA events of a sample */
    bool in_graph; /* the runs of a sample are nodes of a CUDA graph */
    /* number of samples that were taken under a throttled clock, whether repeated or kept */
    int throttled;
    double clock_hz;       /* clock rate of the multiprocessors at the last sample */
    cudaGraphExec_t graph; /* the graph of `repeats` runs; NULL before it is made */
};

static void run_repeats(const struct experiment *e, const struct point *point, int repeats)
{
    for (int i = 0; i < repeats; i++)
        e->run(point);
}

/* Returns the time that is reported for a run that took `time`: if a run is only a sample of a problem, the
 * time of the whole problem, otherwise `time`. */
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

static void destroy_graph(struct timing *t)
{
    if (t->graph)
        CHECK(cudaGraphExecDestroy(t->graph));
    t->graph = NULL;
}

/* Makes a graph whose nodes are t->repeats runs, and launches it once, so that later launches find the device
 * warm. */
static void make_graph(const struct experiment *e, const struct point *point, struct timing *t)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(harness_stream(), cudaStreamCaptureModeGlobal));
    run_repeats(e, point, t->repeats);
    CHECK(cudaStreamEndCapture(harness_stream(), &graph));
    CHECK(cudaGraphInstantiate(&t->graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(t->graph, harness_stream()));
}

/* Returns the mean time of a run, where the runs are nodes of one CUDA graph. */
static double time_in_graph(const struct experiment *e, const struct point *point, struct timing *t)
{
    if (!t->graph)
        make_graph(e, point, t);
    timer_start();
    CHECK(cudaGraphLaunch(t->graph, harness_stream()));
    return timer_stop() / t->repeats;
}

static double time_warm(const struct experiment *e, const struct point *point, struct timing *t)
{
    return t->in_graph ? time_in_graph(e, point, t) : time_repeats(e, point, t->repeats);
}

#define MOST_AT_ONCE 16
/* Returns the factor by which the number of repeats must grow so that a sample, which took `time`, becomes
 * long enough: a power of two from 2 to MOST_AT_ONCE. The factor is limited because the first repeats take
 * longer than later ones. */
static int more_repeats(double time)
{
    int factor = 2;
    while (factor < MOST_AT_ONCE && time * factor < 1.25 * SHORTEST_SAMPLE)
        factor *= 2;
    return factor;
}

/* Warms the device, and raises t->repeats until even the fastest sample will take at least
 * SHORTEST_SAMPLE. */
static void calibrate(const struct experiment *e, const struct point *point, struct timing *t)
{
    double time = time_warm(e, point, t);
    while (time * t->repeats < 1.25 * SHORTEST_SAMPLE && t->repeats < MOST_REPEATS) {
        t->repeats *= more_repeats(time * t->repeats);
        t->repeats = t->repeats < MOST_REPEATS ? t->repeats : MOST_REPEATS;
        destroy_graph(t);
        time = time_warm(e, point, t);
    }
}

/* Warms the device for samples of the point, whose t->repeats is known. A graph does so when it is made. */
static void warm(const struct experiment *e, const struct point *point, const struct timing *t)
{
    if (!t->in_graph)
        time_repeats(e, point, (t->repeats + WARMING - 1) / WARMING);
}

static double take_sample(const struct experiment *e, const struct point *point, struct timing *t)
{
    static double fastest_clock;
    for (int tries = 1;; tries++) {
        double before = device_clock_hz();
        double time = time_warm(e, point, t);
        double clock = fmin(before, device_clock_hz());
        fastest_clock = fmax(fastest_clock, clock);
        bool throttled = clock < THROTTLED * fastest_clock;
        t->throttled += throttled;
        t->clock_hz = clock;
        if (!throttled || tries == MOST_TRIES)
            return time;
    }
}

/* Launches count as not overlapping if a run takes longer than this number of launches takes the host. */
#define FEW_LAUNCHES 10

/* Returns the memory machine's time of a run that directly follows another run; `once` is the time of a run
 * that follows none. A GPU's runs are timed back to back, so that the launch of a short run overlaps with the
 * run before it. To get a time like that, the function times two runs together and subtracts `once`. */
static double time_after_another(const struct experiment *e, const struct point *point, double once)
{
    if (e->measured || e->size_repeats || once > FEW_LAUNCHES * device_launch_time())
        return once;
    return 2 * time_repeats(e, point, 2) - once;
}

static double run_after_another(const struct experiment *e, const struct point *point)
{
    return reported(e, time_after_another(e, point, time_repeats(e, point, 1)));
}

/* ---- a visit ---- */

static void add_sample(const struct sweep *s, struct measurement *m, double time, const struct timing *t)
{
    measurement_add_sample(m, reported(s->experiment, time), s->process);
    m->repeats = t->repeats;
    m->clock_hz = round(t->clock_hz * 1e-6) * 1e6;
    m->throttled += t->throttled;
}

/* Runs the point for the first time and verifies its answers; *once becomes the mean time of a run. With
 * --early it makes two runs, so that the second one begins while the first one ends. On the memory machine,
 * and on a GPU if it is long, the time also becomes the point's first sample. */
static struct measurement *first_visit(const struct sweep *s, const struct point *point, double *once)
{
    const struct experiment *e = s->experiment;
    struct measurement *m = measurement_new(point, e);
    struct timing t = {.repeats = s->options.early ? 2 : 1};
    begin_counting();
    *once = s->device.machine ? time_repeats(e, point, t.repeats) : take_sample(e, point, &t);
    if (*once >= LONG_FIRST_RUN && !s->device.machine && !e->measured && !s->options.in_graph &&
        t.repeats == 1)
        add_sample(s, m, *once, &t);
    if (!point->variant->unchecked) {
        problem_need_reference(e);
        m->verdict = e->check(point);
    }
    m->operations = e->operations(point);
    add_counters(m->facts);
    if (e->describe)
        e->describe(point, m->facts);
    if (s->device.machine)
        measurement_add_sample(m, reported(e, time_after_another(e, point, *once)), s->process);
    return m;
}

/* Adds samples on a GPU until the measurement has `count`; `run` is the time that one run takes. */
static void add_samples(const struct sweep *s, struct measurement *m, size_t count, double run)
{
    const struct experiment *e = s->experiment;
    struct timing t = {.repeats = m->repeats, .in_graph = s->options.in_graph};
    if (run < LONG_RUN && (m->count || e->measured))
        warm(e, &m->point, &t);
    else if (run < LONG_RUN)
        calibrate(e, &m->point, &t);
    while (m->count < count) {
        t.throttled = 0;
        add_sample(s, m, take_sample(e, &m->point, &t), &t);
    }
    destroy_graph(&t);
}

/* Adds samples on the memory machine until the measurement has `count`, each with another seed of the
 * schedule. */
static void add_seeds(const struct sweep *s, struct measurement *m, size_t count)
{
    const struct experiment *e = s->experiment;
    for (size_t i = m->count; i < count; i++) {
        device_reset((unsigned)i);
        measurement_add_sample(m, run_after_another(e, &m->point), s->process);
        if (!m->point.variant->unchecked && !e->check(&m->point).correct)
            m->verdict.correct = false;
    }
}

void measure_point(void *context)
{
    struct visit *v = context;
    const struct sweep *s = v->sweep;
    double run = v->measurement ? v->measurement->median : 0;
    const size_t count = (v->measurement ? v->measurement->count : 0) + v->samples;
    device_reset(0);
    s->experiment->prepare(v->point);
    if (!v->measurement)
        v->measurement = first_visit(s, v->point, &run);
    if (s->device.machine)
        add_seeds(s, v->measurement, v->samples);
    else
        add_samples(s, v->measurement, count, run);
    measurement_summarize(v->measurement);
    s->experiment->release();
}
