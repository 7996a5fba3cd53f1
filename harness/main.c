/* The course of every program: read the command line, choose what to sweep, measure point after
 * point, write. */
#include "base/failure.h"
#include "base/file.h"
#include "harness/progress.h"
#include "harness/result.h"
#include "harness/sweep.h"
#include "harness/sweeps.h"

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
    reference_forget();
}

static void print_head(const struct sweep *s)
{
    if (!s->options.quiet)
        printf("# %s on %s, times in %s\n%-24s %9s %6s %8s %16s %14s  %s\n", s->experiment->name,
               s->device.name, sample_unit(s->experiment), "variant", "size", "blocks", "threads", "median",
               "per operation", "result");
}

/* Table III's yardstick, beside all variants; host and model time do not compare. */
static bool times_reference(const struct sweep *s)
{
    return s->experiment->problem.sequential && s->options.json && s->is_last_process &&
           !s->options.variants && !s->device.machine;
}

/* Size after size; the first problem is open already. */
static void take_sizes(struct sweep *s, const cJSON *earlier, size_t goal)
{
    const struct options *o = &s->options;
    progress_begin(o->sizes.count * o->threads.count * o->blocks.count * s->variant_count, o->quiet);
    print_head(s);
    for (size_t i = 0; i < o->sizes.count; i++) {
        if (i && s->experiment->problem.open) {
            s->experiment->problem.close();
            open_problem(s, i);
        }
        measure_points(s, o->sizes.values[i], earlier, goal, i + 1 == o->sizes.count);
        if (times_reference(s))
            cJSON_AddItemToArray(s->references, measure_reference(s->experiment, o->sizes.values[i]));
    }
    progress_end();
}

static void write_answers(const struct sweep *s)
{
    struct new_file file = file_begin(s->options.output);
    s->experiment->problem.write_answers(file.file);
    file_finish(&file);
}

/* Everything that the command line says to read or write, before anything is measured: no target is a file that is
 * read, or another target. */
static void check_files(const struct experiment *e, const struct options *o)
{
    const char *const targets[][2] = {{"json", o->json}, {"output", o->output}, {"trace", o->trace}};
    if (o->input)
        file_check_input(o->input);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (!targets[i][1])
            continue;
        bool force = o->force || (targets[i][1] == o->json && o->sweep && result_lacks(o->json, o->sweep));
        file_check_target(targets[i][0], targets[i][1], force, o->input);
        file_check_target(targets[i][0], targets[i][1], force, o->device);
        for (const struct extra_option *x = e->options; x && x->name; x++)
            if (x->text)
                file_check_target(targets[i][0], targets[i][1], force, *x->text);
        for (size_t j = 0; j < i; j++)
            if (targets[j][1] && !file_is_special(targets[i][1]) &&
                strncmp(targets[i][1], targets[j][1], strlen(targets[j][1])) == 0 &&
                (!targets[i][1][strlen(targets[j][1])] || targets[i][1][strlen(targets[j][1])] == '.'))
                fail(EXIT_BAD_INPUT, "--%s %s and --%s %s are in each other's way", targets[j][0],
                     targets[j][1], targets[i][0], targets[i][1]);
    }
}

/* Everything between the command line and the result file, until each point has `goal` samples. */
static void take_all(struct sweep *s, size_t goal)
{
    open_device(&s->options, &s->device);
    choose_sizes(s);
    open_problem(s, 0);
    choose_points(s);
    s->header = describe_sweep(s);
    s->points = cJSON_CreateArray();
    s->references = cJSON_CreateArray();
    s->cannot = cJSON_CreateArray();
    if (s->options.json && s->options.sweep)
        result_check_device(s->options.json, cJSON_GetObjectItem(s->header, "device"));
    cJSON *earlier = s->options.json ? journal_open(s->options.json, s->options.sweep, s->header,
                                                    s->options.resume, s->options.force)
                                     : cJSON_CreateArray();
    add_conditions(s->conditions = cJSON_CreateArray());
    take_sizes(s, earlier, goal);
    add_conditions(s->conditions);
    cJSON_Delete(earlier);
    close_device();
}

/* No result is written: an empty one would tell nothing. The driver knows these words. */
static void __attribute__((noreturn)) refuse_device(const struct sweep *s)
{
    char needs[256];
    const char *reason = cJSON_GetStringValue(cJSON_GetObjectItem(s->cannot->child, "reason"));
    const struct variant *first = &s->experiment->variants[0];
    fail(EXIT_CANNOT, "nothing can be measured on %s: %s%s%s", s->device.name, reason ? reason : first->name,
         reason ? "" : " needs ", reason ? "" : variant_needs(first, needs, sizeof needs));
}

static void write_result(struct sweep *s, int argc, char **argv)
{
    cJSON *result = describe_result(s, argc, argv);
    result_write(s->options.json, s->options.sweep, result);
    cJSON_Delete(result);
}

static int measure(const struct experiment *experiment, const struct options *options, int argc, char **argv)
{
    struct sweep s = {.experiment = experiment, .options = *options};
    check_files(experiment, &s.options);
    measure_in_processes(&s, take_all);
    if (!s.points->child)
        refuse_device(&s);
    if (s.options.output)
        write_answers(&s);
    if (s.options.json)
        write_result(&s, argc, argv);
    cJSON_Delete(s.header);
    cJSON_Delete(s.references);
    if (experiment->problem.open)
        experiment->problem.close();
    return s.wrong ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

static int print_device(const struct options *options)
{
    struct device device;
    open_device(options, &device);
    puts(device.slug);
    return EXIT_VERIFIED;
}

int experiment_main(int argc, char **argv, const struct experiment *experiment)
{
    int status = EXIT_VERIFIED;
    struct options options;
    set_program_name(experiment->name);
    parse_options(argc, argv, NULL, experiment, &options);
    if (options.print_device)
        status = print_device(&options);
    else if (options.sweep)
        status = measure_sweeps(experiment, &options, argc, argv, measure);
    else if (options.list)
        print_list(experiment);
    else
        status = measure(experiment, &options, argc, argv);
    finish_output();
    return status;
}
