/* The main program of an experiment. It reads the options, finds the sweeps, and for each sweep checks the
 * files, takes the samples in one or several processes, and writes the result. */
#include "base/failure.h"
#include "base/file.h"
#include "harness/conditions.h"
#include "harness/methods.h"
#include "harness/result.h"
#include "harness/sweep.h"
#include "harness/sweeps.h"
#include "revision.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ---- describe ---- */

/* Makes the JSON of a result file: its head, which is everything except what was measured, and the whole
 * file. */

static const char *const family_names[] = {"micro", "steps", "batches", "other"};

/* Adds the list to the JSON: as a number if it has one value, otherwise as an array. */
static void add_list(cJSON *json, const char *name, const struct int_list *list)
{
    cJSON_AddItemToObject(json, name,
                          list->count == 1 ? cJSON_CreateNumber(list->values[0])
                                           : cJSON_CreateIntArray(list->values, (int)list->count));
}

/* Adds the hash of the file's content as the member `name`; adds nothing if there is no such file. */
static void add_hash(cJSON *parameters, const char *name, const char *path)
{
    char text[24];
    uint64_t hash = file_hash(path);
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    if (hash)
        cJSON_AddStringToObject(parameters, name, text);
}

/* Returns the head of the result file: schema, revision, device, host and parameters. A journal begins with
 * it, too, so it must not differ between two runs of the same command. */
static cJSON *describe_sweep(const struct sweep *s)
{
    const struct options *o = &s->options;
    cJSON *header = cJSON_CreateObject(), *parameters = cJSON_CreateObject(), *names = cJSON_CreateArray();
    cJSON_AddStringToObject(header, "schema", SCHEMA);
    const struct experiment *e = s->experiment;
    cJSON_AddStringToObject(header, "experiment", e->sample_of ? e->sample_of : e->name);
    cJSON_AddStringToObject(header, "family", family_names[e->family]);
    cJSON_AddStringToObject(header, "revision", GPUSYNC_REVISION);
    cJSON_AddBoolToObject(header, "dirty", GPUSYNC_DIRTY);
    cJSON_AddItemToObject(header, "device", describe_device(&s->device));
    cJSON_AddItemToObject(header, "host", describe_host());
    cJSON_AddItemToObject(header, "parameters", parameters);
    if (!s->experiment->launches.shape && !threads_by_size(s, o->sizes.values[0]))
        add_list(parameters, "threads", &o->threads);
    add_list(parameters, "size", &o->sizes);
    cJSON_AddNumberToObject(parameters, "runs", o->runs);
    if (!s->device.machine) {
        cJSON_AddNumberToObject(parameters, "processes", o->processes);
        cJSON_AddNumberToObject(parameters, "within_percent", o->within);
        cJSON_AddStringToObject(parameters, "timed", o->in_graph ? "in a graph" : "in a stream");
    }
    if (o->early)
        cJSON_AddTrueToObject(parameters, "early");
    cJSON_AddNumberToObject(parameters, "seed", (double)o->seed);
    if (!s->experiment->launches.shape)
        cJSON_AddItemToObject(parameters, "blocks",
                              cJSON_CreateIntArray(o->blocks.values, (int)o->blocks.count));
    cJSON_AddItemToObject(parameters, "variants", names);
    for (size_t i = 0; i < s->variant_count; i++)
        cJSON_AddItemToArray(names, cJSON_CreateString(s->variants[i]->name));
    if (o->input) {
        cJSON_AddStringToObject(parameters, "input", o->input);
        add_hash(parameters, "input_hash", o->input);
    }
    for (int i = 0; s->experiment->options && s->experiment->options[i].name; i++) {
        const struct extra_option *x = &s->experiment->options[i];
        const char *text = o->extras[i];
        char name[64];
        cJSON_AddStringToObject(parameters, x->name, text);
        snprintf(name, sizeof name, "%s_hash", x->name);
        if (x->text) /* adds the hash of the file, too, if the option's text is the path of a file */
            add_hash(parameters, name, text);
    }
    return header;
}

/* Returns the whole result of a measured sweep as JSON. The sweep's header, points and other results are
 * moved into it and no longer belong to the sweep. */
static cJSON *describe_result(struct sweep *s)
{
    time_t now = time(NULL);
    char created[32];
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON *result = cJSON_Duplicate(s->header, true);
    cJSON *command = cJSON_AddArrayToObject(result, "command");
    for (int i = 0; i < s->argc; i++) /* an absolute path's folder says something of this computer alone */
        cJSON_AddItemToArray(
            command, cJSON_CreateString(*s->argv[i] == '/' ? strrchr(s->argv[i], '/') + 1 : s->argv[i]));
    cJSON_AddStringToObject(result, "created", created);
    cJSON_AddItemToObject(result, "skipped", s->skipped);
    if (s->conditions->child)
        cJSON_AddItemToObject(result, "conditions", s->conditions);
    if (cJSON_GetArraySize(s->references) == 1)
        cJSON_AddItemToObject(result, "reference", cJSON_DetachItemFromArray(s->references, 0));
    else if (s->references->child)
        cJSON_AddItemToObject(result, "reference", cJSON_Duplicate(s->references, true));
    if (s->experiment->analyse)
        cJSON_AddItemToObject(result, "analysis", s->experiment->analyse(s->points, s->device.sm_count));
    cJSON_AddItemToObject(result, "points", s->points);
    return result;
}

/* ---- main ---- */

/* ---- checks of the files that the command line names ---- */

/* Returns whether writing one of the two files could overwrite the other: whether the paths are equal, or
 * `path` is `other` followed by a dot and more. The names of other's journal and temporary file have this
 * form. */
static bool are_in_the_way(const char *path, const char *other)
{
    size_t length = strlen(other);
    return strncmp(path, other, length) == 0 && (!path[length] || path[length] == '.');
}

/* Checks all files that the options name, before anything is measured. A file to be written must not be one
 * that is read, nor another one to be written. */
static void check_files(const struct experiment *e, const struct options *o)
{
    const char *const targets[][2] = {{"json", o->json}, {"output", o->output}, {"trace", o->trace}};
    if (o->input)
        file_check_input(o->input);
    if (o->json)
        file_make_folders(o->json);
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
                are_in_the_way(targets[i][1], targets[j][1]))
                fail(EXIT_BAD_INPUT, "--%s %s and --%s %s are in each other's way", targets[j][0],
                     targets[j][1], targets[i][0], targets[i][1]);
    }
}

static void write_answers(const struct sweep *s)
{
    struct new_file file = file_begin(s->options.output);
    s->experiment->problem.write_answers(file.file);
    file_finish(&file);
}

/* Exits without a result file because the device can run none of the points; a file without points would say
 * nothing. scripts/run looks for the words of this message. */
static void __attribute__((noreturn)) refuse_device(const struct sweep *s)
{
    char needs[256];
    const cJSON *entry;
    const char *reason = NULL;
    const struct variant *first = &s->experiment->variants[0];
    cJSON_ArrayForEach(entry, s->skipped)
    {
        if (!reason)
            reason = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "reason"));
    }
    fail(EXIT_CANNOT, "nothing can be measured on %s: %s%s%s", s->device.name, reason ? reason : first->name,
         reason ? "" : " needs ", reason ? "" : variant_needs(first, needs, sizeof needs));
}

static void write_result(struct sweep *s)
{
    cJSON *result = describe_result(s);
    result_write(s->options.json, s->options.sweep, result);
    cJSON_Delete(result);
}

/* ---- a sweep ---- */

/* Waits until no other process has the device to itself, and then has it until close() of the file that is
 * returned, or until this process ends. The file is that of GPUSYNC_TURN, which scripts/run sets so that a
 * program starts while another one measures; without it the function does nothing and returns -1. */
static int take_turn(void)
{
    const char *path = getenv("GPUSYNC_TURN");
    int turn = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (path && (turn < 0 || flock(turn, LOCK_EX) != 0))
        fail(EXIT_CANNOT, "GPUSYNC_TURN=%s cannot be locked: %s", path, strerror(errno));
    return turn;
}

/* Opens the device and measures in this process: each point gets samples until it has `goal` of them. */
static void measure_here(struct sweep *s, size_t goal)
{
    const struct options *o = &s->options;
    open_device(o, &s->device);
    int turn = take_turn();
    choose_sweep(s);
    s->header = describe_sweep(s);
    s->points = cJSON_CreateArray();
    s->references = cJSON_CreateArray();
    s->conditions = cJSON_CreateArray();
    cJSON *earlier =
        o->json ? journal_open(o->json, o->sweep, s->header, o->resume, o->force) : cJSON_CreateArray();
    add_conditions(s->conditions);
    measure_points(s, earlier, goal);
    add_conditions(s->conditions);
    cJSON_Delete(earlier);
    close_device();
    if (!o->output) /* the next process may need the memory */
        problem_close(s->experiment);
    if (turn >= 0)
        close(turn);
}

/* Returns the number of samples that each point gets on a GPU. choose_sweep fills in options.runs; before
 * that, the function returns the experiment's own number. */
static int samples_of(const struct sweep *s)
{
    return s->options.runs ? s->options.runs : s->experiment->gpu_runs;
}

/* Returns the number of processes that share the samples of a point. It is 1 without a journal, because the
 * journal carries samples from one process to the next, and on the memory machine, whose samples do not
 * depend on the process. */
static int process_count(const struct sweep *s)
{
    int samples = samples_of(s);
    int count = device_is_machine() || !s->options.json ? 1 : s->options.processes;
    return count < samples ? count : samples;
}

/* Takes a share of the samples in each of several processes, one after the other; the journal carries the
 * samples from one to the next. This process takes the last share; it opens the device only after the other
 * processes have ended. */
static void measure_in_processes(struct sweep *s)
{
    int count = process_count(s), samples = samples_of(s);
    for (s->process = 0; s->process + 1 < count; s->process++) {
        size_t goal = (size_t)((samples * (s->process + 1) + count - 1) / count);
        /* true: the child ends with this process, so that the journal never has two writers */
        pid_t child = process_start(true);
        if (!child) {
            s->options.quiet = true;
            measure_here(s, goal);
            exit(EXIT_VERIFIED);
        }
        int status = process_end(child);
        if (status != EXIT_VERIFIED)
            exit(status);
        s->options.resume = true;
    }
    s->is_last_process = true;
    measure_here(s, device_is_machine() ? 1 : (size_t)samples);
}

/* Measures a sweep and writes its result; returns the exit status. */
static int measure(struct sweep *s)
{
    const struct experiment *e = s->experiment;
    check_files(e, &s->options);
    measure_in_processes(s);
    if (!s->points->child)
        refuse_device(s);
    if (s->options.output)
        write_answers(s);
    if (s->options.json)
        write_result(s);
    cJSON_Delete(s->header);
    cJSON_Delete(s->references);
    problem_close(e);
    return s->wrong ? EXIT_WRONG_RESULT : EXIT_VERIFIED;
}

/* ---- named sweeps ---- */

/* Prints a line for each sweep: the name of its result file, its own name and its options. */
static void list_sweeps(const struct experiment *e, const struct named_sweep *sweeps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s %s%s%s\n", e->sample_of ? e->sample_of : e->name, sweeps[i].name,
               *sweeps[i].options ? " " : "", sweeps[i].options);
}

static int measure_named(struct sweep *s, const struct named_sweep *named)
{
    add_options(named->options, s->experiment, &s->options);
    s->options.sweep = named->name;
    return measure(s);
}

/* Measures each sweep in a process of its own; returns the worst of the sweeps' exit statuses. */
static int measure_each(struct sweep *s, const struct named_sweep *sweeps, size_t count)
{
    int worst = EXIT_VERIFIED;
    for (size_t i = 0; i < count; i++) {
        pid_t child = process_start(false);
        if (!child)
            exit(measure_named(s, &sweeps[i]));
        int status = process_end(child);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* Lists or measures the sweeps that --sweep names; returns the exit status. */
static int measure_sweeps(struct sweep *s)
{
    const struct experiment *e = s->experiment;
    struct named_sweep *sweeps;
    size_t count = find_sweeps(e, &s->options, &sweeps);
    if (s->options.list) {
        list_sweeps(e, sweeps, count);
        return EXIT_VERIFIED;
    }
    if (!count)
        fail(EXIT_BAD_INPUT, "no sweep \"%s\" here; --sweep all --list shows those of this device",
             s->options.sweep);
    if (count > 1 && e->one_process)
        fail(EXIT_BAD_INPUT, "%s measures one sweep at a time; --sweep all --list shows them", e->name);
    return count == 1 ? measure_named(s, &sweeps[0]) : measure_each(s, sweeps, count);
}

/* ---- main ---- */

static void list_variants(const struct experiment *e)
{
    printf("%-22s %-10s %-30s %s\n", "variant", "memory", "needs", "what it is");
    for (int i = 0; i < e->variant_count; i++) {
        const struct variant *v = &e->variants[i];
        char needs[256], *plain = plain_names_in(v->name);
        bool has_plain = strcmp(plain, v->name) != 0;
        printf("%-22s %-10s %-30s %s%s%s\n", v->name, v->ordered ? "ordered" : "unordered",
               variant_needs(v, needs, sizeof needs), has_plain ? plain : "", has_plain ? ": " : "",
               v->summary);
        free(plain);
    }
}

static void print_device(const struct options *options)
{
    struct device device;
    open_device(options, &device);
    puts(device.slug);
}

int experiment_main(int argc, char **argv, const struct experiment *experiment)
{
    int status = EXIT_VERIFIED;
    struct sweep sweep = {.experiment = experiment, .argc = argc, .argv = argv};
    struct options *options = &sweep.options;
    set_program_name(experiment->name);
    parse_options(argc, argv, experiment, options);
    if (options->print_device)
        print_device(options);
    else if (options->sweep)
        status = measure_sweeps(&sweep);
    else if (options->list)
        list_variants(experiment);
    else
        status = measure(&sweep);
    finish_output();
    return status;
}
