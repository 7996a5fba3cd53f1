/* The course of every program: read the command line, sweep the points, verify and time each, write the
 * result. */
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/failure.h"
#include "harness/options.h"
#include "harness/progress.h"
#include "harness/result.h"
#include "harness/statistics.h"
#include "harness/timer.h"
#include "revision.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sweep {
    const struct experiment *experiment;
    struct options options;
    struct device device;
    const struct variant **variants;
    size_t variant_count;
    cJSON *header, *points, *references;
    bool wrong; /* an ordered variant's result was */
};

static void print_list(const struct experiment *e)
{
    printf("%-22s %-10s %-30s %s\n", "variant", "memory", "needs", "what it is");
    for (int i = 0; i < e->variant_count; i++) {
        const struct variant *v = &e->variants[i];
        printf("%-22s %-10s %-30s %s\n", v->name, v->ordered ? "ordered" : "unordered",
               v->needs ? v->needs : "-", v->summary);
    }
}

/* ---- what to sweep ---- */

/* Is the name in a comma-separated list? */
static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

static bool is_wanted(const struct sweep *s, const char *name)
{
    const struct options *o = &s->options;
    for (size_t i = 0; o->variants && o->variants[i]; i++)
        if (strcmp(o->variants[i], name) == 0)
            return true;
    const char *standard = s->experiment->default_variants;
    return !o->variants && (!standard || is_named(standard, name));
}

/* The methods of harness/sync_methods.c that need graphs are named so in every experiment. */
static bool lacks_graphs(const struct variant *v)
{
    const char *graph = strstr(v->name, "cpu-graph");
    return graph && !device_has_graphs(strstr(graph, "-pdl") != NULL);
}

static bool is_possible(const struct sweep *s, const struct variant *v)
{
    return !lacks_graphs(v) && v->capability <= s->device.capability &&
           (!s->experiment->can_do || s->experiment->can_do(v));
}

/* A variant that the command line names must be possible; of all variants, those that are possible are taken.
 */
static void choose_variants(struct sweep *s)
{
    const struct experiment *e = s->experiment;
    s->variants = calloc((size_t)e->variant_count, sizeof *s->variants);
    for (int i = 0; i < e->variant_count; i++) {
        const struct variant *v = &e->variants[i];
        if (!is_wanted(s, v->name))
            continue;
        if (!is_possible(s, v)) {
            if (s->options.variants)
                fail(EXIT_CANNOT, "%s needs %s; %s has compute capability %d.%d", v->name, v->needs,
                     s->device.name, s->device.capability / 10, s->device.capability % 10);
            continue;
        }
        s->variants[s->variant_count++] = v;
    }
}

static int resident_blocks(const struct sweep *s, size_t variant, size_t threads)
{
    unsigned count = (unsigned)s->options.threads.values[threads];
    return s->experiment->resident_blocks(s->variants[variant], count, s->device.sm_count);
}

static int most_resident(const struct sweep *s)
{
    int most = 0;
    for (size_t i = 0; i < s->variant_count; i++)
        for (size_t t = 0; t < s->options.threads.count && s->variants[i]->resident; t++) {
            int blocks = resident_blocks(s, i, t);
            if (!most || blocks < most)
                most = blocks;
        }
    return most;
}

static void add_to_list(char *list, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_to_list(char *list, size_t bytes, const char *format, ...)
{
    size_t used = strlen(list);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(list + used, bytes - used, format, arguments);
    va_end(arguments);
}

/* A list of the experiment's own, unless the command line has one. */
static void default_list(struct int_list *list, const char *standard)
{
    if (!list->count && !parse_int_list(standard, list))
        fail(EXIT_CANNOT, "\"%s\" is no list", standard);
}

static void choose_blocks(struct sweep *s)
{
    if (s->options.blocks.count)
        return;
    if (s->experiment->sweep == SWEEP_ONE_BLOCK) {
        default_list(&s->options.blocks, "1");
        return;
    }
    char list[512] = "";
    int most = most_resident(s), sms = s->device.sm_count, dense = most && most < sms ? most : sms;
    if (s->experiment->sweep == SWEEP_EVERY && dense > 1)
        add_to_list(list, sizeof list, "1-%d,", dense - 1);
    if (s->experiment->sweep == SWEEP_DOUBLING)
        for (int blocks = 1; blocks < dense; blocks *= 2)
            add_to_list(list, sizeof list, "%d,", blocks);
    if (s->experiment->sweep == SWEEP_9_TO_30 && dense > 9) {
        /* every third of them on the machine, where each costs seconds */
        add_to_list(list, sizeof list, "9-%d:%d,", dense > 30 ? 30 : dense - 1, s->device.machine ? 3 : 1);
        for (int eighth = 1; eighth < 8; eighth++)
            if (dense * eighth / 8 > 30)
                add_to_list(list, sizeof list, "%d,", dense * eighth / 8);
    }
    add_to_list(list, sizeof list, "%d", dense);
    for (int blocks = 2 * sms; blocks <= most; blocks *= 2)
        add_to_list(list, sizeof list, ",%d", blocks);
    if (!parse_int_list(list, &s->options.blocks))
        fail(EXIT_CANNOT, "%s: no sweep of blocks", s->device.name);
}

/* Before anything runs: a grid barrier whose blocks are not all resident would never open. */
static void check_residency(const struct sweep *s, size_t variant, size_t threads)
{
    int most = resident_blocks(s, variant, threads);
    for (size_t b = 0; b < s->options.blocks.count; b++)
        if (s->options.blocks.values[b] > most)
            fail(EXIT_CANNOT,
                 "%s: %d blocks of %d threads cannot be resident at once on %s (at most %d); a grid barrier "
                 "would hang",
                 s->variants[variant]->name, s->options.blocks.values[b], s->options.threads.values[threads],
                 s->device.name, most);
}

static void check_threads(const struct sweep *s)
{
    for (size_t t = 0; t < s->options.threads.count; t++)
        if (s->options.threads.values[t] > s->device.max_threads_per_block)
            fail(EXIT_CANNOT, "%d threads a block are too many for %s (at most %d)",
                 s->options.threads.values[t], s->device.name, s->device.max_threads_per_block);
}

/* Where the experiment shapes its points itself, the lists of blocks and threads are one entry to fill in. */
static void fill_in_defaults(struct sweep *s)
{
    struct options *o = &s->options;
    const struct experiment *e = s->experiment;
    default_list(&o->threads, e->shape ? "1" : e->threads);
    default_list(&o->sizes, s->device.machine ? e->machine_sizes : e->gpu_sizes);
    if (!o->runs)
        o->runs = s->device.machine ? 1 : e->gpu_runs;
    if (s->device.machine && o->runs > 1)
        fail(EXIT_BAD_INPUT, "every run on the memory machine takes the same time; --runs must be 1");
    if (o->input && o->sizes.count > 1)
        o->sizes.count = 1;
    check_threads(s);
    choose_variants(s);
    if (e->shape)
        default_list(&o->blocks, "1");
    else
        choose_blocks(s);
    for (size_t i = 0; i < s->variant_count && !e->shape && !o->no_residency_check; i++)
        for (size_t t = 0; t < o->threads.count && s->variants[i]->resident; t++)
            check_residency(s, i, t);
}

/* Makes the problem of the size at this place of the list. */
static void open_problem(struct sweep *s, size_t at)
{
    int *size = &s->options.sizes.values[at];
    if (s->experiment->open)
        *size = (int)s->experiment->open(*size, s->options.seed);
}

/* ---- the result's head ---- */

/* One value as a number, several as an array. */
static void add_list(cJSON *json, const char *name, const struct int_list *list)
{
    cJSON_AddItemToObject(json, name,
                          list->count == 1 ? cJSON_CreateNumber(list->values[0])
                                           : cJSON_CreateIntArray(list->values, (int)list->count));
}

static cJSON *make_header(const struct sweep *s)
{
    const struct options *o = &s->options;
    cJSON *header = cJSON_CreateObject(), *parameters = cJSON_CreateObject(), *names = cJSON_CreateArray();
    cJSON_AddStringToObject(header, "schema", "gpusync-result/1");
    cJSON_AddStringToObject(header, "experiment", s->experiment->name);
    cJSON_AddStringToObject(header, "revision", GPUSYNC_REVISION);
    cJSON_AddBoolToObject(header, "dirty", GPUSYNC_DIRTY);
    cJSON_AddItemToObject(header, "device", describe_device(&s->device));
    cJSON_AddItemToObject(header, "host", describe_host());
    cJSON_AddItemToObject(header, "parameters", parameters);
    if (!s->experiment->shape)
        add_list(parameters, "threads", &o->threads);
    add_list(parameters, "size", &o->sizes);
    cJSON_AddNumberToObject(parameters, "runs", o->runs);
    cJSON_AddNumberToObject(parameters, "seed", (double)o->seed);
    if (!s->experiment->shape)
        cJSON_AddItemToObject(parameters, "blocks",
                              cJSON_CreateIntArray(o->blocks.values, (int)o->blocks.count));
    cJSON_AddItemToObject(parameters, "variants", names);
    for (size_t i = 0; i < s->variant_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(s->variants[i]->name));
    if (o->input)
        cJSON_AddStringToObject(parameters, "input", o->input);
    for (const struct extra_option *x = s->experiment->options; x && x->name; x++)
        cJSON_AddStringToObject(parameters, x->name, experiment_option(x->name));
    return header;
}

/* Variants that this device cannot run, so that a reader need not wonder why they are missing. */
static cJSON *make_skipped(const struct sweep *s)
{
    cJSON *skipped = cJSON_CreateArray();
    for (int i = 0; i < s->experiment->variant_count; i++) {
        const struct variant *v = &s->experiment->variants[i];
        if (is_possible(s, v))
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "variant", v->name);
        cJSON_AddStringToObject(entry, "needs", v->needs);
        cJSON_AddItemToArray(skipped, entry);
    }
    return skipped;
}

/* ---- one point ---- */

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
    if (!variant->checked) {
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
 * Verifies a run, then times others; returns how often the algorithm runs between two events. The machine's
 * first run is as good as any, so it is the one that counts.
 */
static int verify_and_time(const struct sweep *s, const struct point *point, struct verdict *verdict,
                           double *samples)
{
    const struct experiment *e = s->experiment;
    double once = time_repeats(e, point, 1);
    samples[0] = once;
    if (point->variant->checked)
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

static cJSON *measure(struct sweep *s, const struct point *point)
{
    char what[256];
    snprintf(what, sizeof what, "%s with %u blocks of %u threads", point->variant->name, point->blocks,
             point->threads);
    progress_step(what);
    watchdog_set(s->options.timeout_s, what);
    const struct experiment *e = s->experiment;
    struct verdict verdict = {true, 0, 0};
    double *samples = calloc((size_t)s->options.runs, sizeof *samples);
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

/* ---- the sweep ---- */

static double number(const cJSON *point, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(point, name));
}

static const cJSON *find_point(const cJSON *points, const struct point *point)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, points)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant"));
        if (name && strcmp(name, point->variant->name) == 0 && number(p, "blocks") == point->blocks &&
            number(p, "threads") == point->threads && number(p, "size") == (double)point->size)
            return p;
    }
    return NULL;
}

static void print_row(const cJSON *p)
{
    const cJSON *verified = cJSON_GetObjectItem(p, "verified");
    printf("%-24s %9.0f %6.0f %8.0f %16.6g %14.6g  %s\n",
           cJSON_GetStringValue(cJSON_GetObjectItem(p, "variant")), number(p, "size"), number(p, "blocks"),
           number(p, "threads"), number(p, "median"), number(p, "per_operation"),
           cJSON_IsNull(verified)   ? "-"
           : cJSON_IsTrue(verified) ? "verified"
                                    : "WRONG");
}

static void take_point(struct sweep *s, const struct point *point, const cJSON *earlier)
{
    const cJSON *known = find_point(earlier, point);
    cJSON *json = known ? cJSON_Duplicate(known, true) : measure(s, point);
    if (!known && s->options.json)
        journal_add(json);
    if (point->variant->ordered && cJSON_IsFalse(cJSON_GetObjectItem(json, "verified")))
        s->wrong = true;
    if (!s->options.quiet && !s->options.json)
        print_row(json);
    cJSON_AddItemToArray(s->points, json);
}

/* All variants at one number of blocks, then the next, so that peers are measured side by side. */
static void take_points(struct sweep *s, long long size, const cJSON *earlier)
{
    const struct options *o = &s->options;
    for (size_t t = 0; t < o->threads.count; t++)
        for (size_t b = 0; b < o->blocks.count; b++)
            for (size_t v = 0; v < s->variant_count; v++) {
                struct point point = {s->variants[v], (unsigned)o->blocks.values[b],
                                      (unsigned)o->threads.values[t], size, o->seed};
                if (s->experiment->shape)
                    s->experiment->shape(&point, s->device.sm_count);
                take_point(s, &point, earlier);
            }
}

/* The sequential reference, timed as often as the points are. */
static cJSON *time_reference(const struct sweep *s, long long size)
{
    const struct experiment *e = s->experiment;
    int runs = s->options.runs;
    double *samples = calloc((size_t)runs, sizeof *samples);
    for (int i = 0; i < runs; i++) {
        double begin = host_seconds();
        e->reference();
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

/* Size after size; the first problem is open already. */
static void take_sizes(struct sweep *s, const cJSON *earlier)
{
    const struct options *o = &s->options;
    size_t points = o->sizes.count * o->threads.count * o->blocks.count * s->variant_count;
    progress_begin(points - (size_t)cJSON_GetArraySize(earlier), o->quiet);
    if (!o->quiet && !o->json)
        printf("# %s on %s, times in %s\n%-24s %9s %6s %8s %16s %14s  %s\n", s->experiment->name,
               s->device.name, s->experiment->measured ? s->experiment->measured_unit : time_unit(),
               "variant", "size", "blocks", "threads", "median", "per operation", "result");
    for (size_t i = 0; i < o->sizes.count; i++) {
        if (i && s->experiment->open) {
            s->experiment->close();
            open_problem(s, i);
        }
        take_points(s, o->sizes.values[i], earlier);
        if (s->experiment->reference && o->json &&
            !s->device.machine) /* host and model time do not compare */
            cJSON_AddItemToArray(s->references, time_reference(s, o->sizes.values[i]));
    }
    progress_end();
}

static void write_answers(const struct sweep *s)
{
    FILE *file = fopen(s->options.output, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written", s->options.output);
    s->experiment->write_answers(file);
    if (fclose(file) != 0)
        fail(EXIT_BAD_INPUT, "%s cannot be written", s->options.output);
}

static void write_result(struct sweep *s, int argc, char **argv)
{
    time_t now = time(NULL);
    char created[32];
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON *result = cJSON_Duplicate(s->header, true);
    cJSON *command = cJSON_CreateStringArray((const char *const *)argv, argc);
    cJSON_AddItemToObject(result, "command", command);
    cJSON_AddStringToObject(result, "created", created);
    cJSON_AddItemToObject(result, "skipped", make_skipped(s));
    if (cJSON_GetArraySize(s->references) == 1)
        cJSON_AddItemToObject(result, "reference", cJSON_DetachItemFromArray(s->references, 0));
    else if (s->references->child)
        cJSON_AddItemToObject(result, "reference", cJSON_Duplicate(s->references, true));
    if (s->experiment->analyse)
        cJSON_AddItemToObject(result, "analysis", s->experiment->analyse(s->points, s->device.sm_count));
    cJSON_AddItemToObject(result, "points", s->points);
    result_write(s->options.json, result);
    cJSON_Delete(result);
}

int experiment_main(int argc, char **argv, const struct experiment *experiment)
{
    set_program_name(experiment->name);
    struct sweep s = {.experiment = experiment};
    parse_options(argc, argv, experiment, &s.options);
    if (s.options.list) {
        print_list(experiment);
        return EXIT_VERIFIED;
    }
    open_device(&s.options, &s.device);
    if (s.options.print_device) {
        puts(s.device.slug);
        return EXIT_VERIFIED;
    }
    fill_in_defaults(&s);
    open_problem(&s, 0);
    s.header = make_header(&s);
    s.points = cJSON_CreateArray();
    s.references = cJSON_CreateArray();
    cJSON *earlier = cJSON_CreateArray();
    if (s.options.json) {
        result_check_target(s.options.json, s.options.force);
        cJSON_Delete(earlier);
        earlier = journal_open(s.options.json, s.header, s.options.resume);
    }
    take_sizes(&s, earlier);
    if (s.options.output)
        write_answers(&s);
    if (s.options.json)
        write_result(&s, argc, argv);
    cJSON_Delete(earlier);
    cJSON_Delete(s.header);
    cJSON_Delete(s.references);
    if (experiment->open)
        experiment->close();
    return s.wrong ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}
