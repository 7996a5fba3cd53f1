/* The course of every program: read the command line, choose what to sweep, measure point after
 * point, write. */
#include "base/failure.h"
#include "base/file.h"
#include "harness/progress.h"
#include "harness/result.h"
#include "harness/sweep.h"

#include <string.h>

static void print_list(const struct experiment *e)
{
    printf("%-22s %-10s %-30s %s\n", "variant", "memory", "needs", "what it is");
    for (int i = 0; i < e->variant_count; i++) {
        const struct variant *v = &e->variants[i];
        char needs[256];
        printf("%-22s %-10s %-30s %s\n", v->name, v->ordered ? "ordered" : "unordered",
               variant_needs(v, needs, sizeof needs), v->summary);
    }
}

/* Makes the problem of the size at this place of the list. */
static void open_problem(struct sweep *s, size_t at)
{
    int *size = &s->options.sizes.values[at];
    if (s->experiment->problem.open)
        *size = (int)s->experiment->problem.open(s->options.input, *size, s->options.seed);
}

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

static bool is_last(const struct sweep *s, const struct point *point)
{
    const struct options *o = &s->options;
    return point->variant == s->variants[s->variant_count - 1] &&
           point->size == o->sizes.values[o->sizes.count - 1] &&
           (s->experiment->launches.shape ||
            (point->blocks == (unsigned)o->blocks.values[o->blocks.count - 1] &&
             point->threads == (unsigned)o->threads.values[o->threads.count - 1]));
}

static void take_point(struct sweep *s, const struct point *point, const cJSON *earlier)
{
    /* Its answers are asked for, and a file does not have them. */
    bool again = s->options.output && is_last(s, point);
    const cJSON *known = again ? NULL : find_point(earlier, point);
    cJSON *json = known ? cJSON_Duplicate(known, true) : measure_point(s, point);
    if (!known && s->options.json)
        journal_add(json);
    if ((point->variant->ordered || s->options.strict) &&
        cJSON_IsFalse(cJSON_GetObjectItem(json, "verified")))
        s->wrong = true;
    if (!s->options.quiet)
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
                if (s->experiment->launches.shape)
                    s->experiment->launches.shape(&point, s->device.sm_count);
                take_point(s, &point, earlier);
            }
}

/* Size after size; the first problem is open already. */
static void take_sizes(struct sweep *s, const cJSON *earlier)
{
    const struct options *o = &s->options;
    size_t points = o->sizes.count * o->threads.count * o->blocks.count * s->variant_count;
    progress_begin(points - (size_t)cJSON_GetArraySize(earlier), o->quiet);
    if (!o->quiet)
        printf("# %s on %s, times in %s\n%-24s %9s %6s %8s %16s %14s  %s\n", s->experiment->name,
               s->device.name, s->experiment->measured ? s->experiment->measured_unit : time_unit(),
               "variant", "size", "blocks", "threads", "median", "per operation", "result");
    for (size_t i = 0; i < o->sizes.count; i++) {
        if (i && s->experiment->problem.open) {
            s->experiment->problem.close();
            open_problem(s, i);
        }
        take_points(s, o->sizes.values[i], earlier);
        if (s->experiment->problem.reference && o->json &&
            !s->device.machine) /* host and model time do not compare */
            cJSON_AddItemToArray(s->references, measure_reference(s, o->sizes.values[i]));
    }
    progress_end();
}

static void write_answers(const struct sweep *s)
{
    struct new_file file = file_begin(s->options.output);
    s->experiment->problem.write_answers(file.file);
    file_finish(&file);
}

/* Everything that the command line says to read or write, before anything is measured. */
static void check_files(const struct options *o)
{
    if (o->input)
        file_check_input(o->input);
    if (o->json)
        file_check_target("json", o->json, o->force, o->input);
    if (o->output)
        file_check_target("output", o->output, o->force, o->input);
    if (o->trace)
        file_check_target("trace", o->trace, o->force, o->input);
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
    check_files(&s.options);
    open_device(&s.options, &s.device);
    if (s.options.print_device) {
        puts(s.device.slug);
        return EXIT_VERIFIED;
    }
    choose_points(&s);
    open_problem(&s, 0);
    s.header = describe_sweep(&s);
    s.points = cJSON_CreateArray();
    s.references = cJSON_CreateArray();
    cJSON *earlier = cJSON_CreateArray();
    if (s.options.json) {
        cJSON_Delete(earlier);
        earlier = journal_open(s.options.json, s.header, s.options.resume, s.options.force);
    }
    take_sizes(&s, earlier);
    close_device();
    if (s.options.output)
        write_answers(&s);
    if (s.options.json) {
        cJSON *result = describe_result(&s, argc, argv);
        result_write(s.options.json, result);
        cJSON_Delete(result);
    }
    cJSON_Delete(earlier);
    cJSON_Delete(s.header);
    cJSON_Delete(s.references);
    if (experiment->problem.open)
        experiment->problem.close();
    return s.wrong ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}
