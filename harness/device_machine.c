/* The device, for programs that are built for the memory machine. */
#ifdef GPUSYNC_MACHINE

#include "base/failure.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/conditions.h"
#include "harness/options.h"
#include "machine/presets.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cudaStream_t stream;

cudaStream_t harness_stream(void)
{
    return stream;
}

static cJSON *description_json;

const char *time_unit(void)
{
    return "time units";
}

/* Cuts the text at its first comma. Returns the text after the comma, or NULL if there is none. */
static char *cut_at_comma(char *text)
{
    char *comma = text ? strchr(text, ',') : NULL;
    if (!comma)
        return NULL;
    *comma = '\0';
    return comma + 1;
}

/* Reads the name of an abstract machine of Nakano 2013, which has one multiprocessor: "umm:W,L" or "dmm:W,L"
 * (width and latency), or either followed by ",B". Returns false if the name begins otherwise. */
static bool pure_machine(const char *name, struct machine_description *out)
{
    long long width = 0, latency = 0, barrier = 0;
    char copy[64];
    bool umm = strncmp(name, "umm:", 4) == 0;
    if (!umm && strncmp(name, "dmm:", 4) != 0)
        return false;
    snprintf(copy, sizeof copy, "%s", name + 4);
    char *latency_text = cut_at_comma(copy), *barrier_text = cut_at_comma(latency_text);
    if (!latency_text || !parse_whole(copy, 2, MACHINE_MAX_WARP, &width) ||
        !parse_whole(latency_text, 1, 100000, &latency) ||
        (barrier_text && !parse_whole(barrier_text, 0, 1000000, &barrier)))
        fail(EXIT_BAD_INPUT,
             "--device: umm:W,L or dmm:W,L with a width from 2 to %d, or umm:W,L,B whose barriers cost B, "
             "not \"%s\"",
             MACHINE_MAX_WARP, name);
    *out = (umm ? machine_pure_umm : machine_pure_dmm)((int)width, (int)latency);
    out->syncthreads_latency = out->syncthreads_latency_of_32 = (int)barrier;
    description_json = cJSON_CreateObject();
    cJSON_AddStringToObject(description_json, "describes", umm ? "the UMM of Nakano 2013" : "its DMM");
    cJSON_AddNumberToObject(description_json, "width", (double)width);
    cJSON_AddNumberToObject(description_json, "latency", (double)latency);
    if (!barrier_text)
        return true;
    snprintf(out->name + strlen(out->name), sizeof out->name - strlen(out->name), "-b%lld", barrier);
    cJSON_AddNumberToObject(description_json, "barrier", (double)barrier);
    return true;
}

static struct machine_description find_description(const char *name)
{
    struct machine_description pure;
    if (pure_machine(name, &pure))
        return pure;
    char *text = machine_device_text(name);
    struct machine_description description;
    const char *wrong = machine_description_parse(text, name, &description);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--device: %s", wrong);
    description_json = cJSON_Parse(text);
    free(text);
    return description;
}

static enum machine_schedule schedule;
static unsigned long long schedule_seed;

static bool races_wanted;

void device_reset(unsigned run)
{
    machine_set_schedule(schedule, schedule_seed + run);
    if (races_wanted && run == 0)
        machine_collect_races(true, true);
}

size_t device_report_races(const char *label)
{
    size_t races = races_wanted ? machine_races() : 0;
    if (races) {
        fprintf(stderr, "%s:\n", label);
        machine_print_races(stderr);
    }
    return races;
}

static void set_memory(const struct options *options)
{
    const char *name = options->memory ? options->memory : options->races ? "oldest" : "coherent";
    enum machine_memory memory;
    if (!machine_memory_of(name, &memory))
        fail(EXIT_BAD_INPUT, "--memory must be coherent, l1, oldest or random, not \"%s\"", name);
    if (options->races && memory == MACHINE_COHERENT)
        fail(EXIT_BAD_INPUT, "--races needs weak memory; --memory coherent is none");
    races_wanted = options->races;
    machine_set_memory(memory);
    if (memory != MACHINE_COHERENT)
        cJSON_AddStringToObject(description_json, "memory", name);
}

static void set_schedule(const struct options *options)
{
    static const char *const names[] = {"round-robin", "random", "adversarial"};
    for (unsigned i = 0; i < 3; i++)
        if (!options->schedule || strcmp(options->schedule, names[i]) == 0) {
            schedule = (enum machine_schedule)i;
            schedule_seed = options->seed;
            device_reset(0);
            cJSON_AddStringToObject(description_json, "schedule", names[i]);
            cJSON_AddNumberToObject(description_json, "schedule_seed", (double)options->seed);
            return;
        }
    fail(EXIT_BAD_INPUT, "--schedule must be round-robin, random or adversarial, not \"%s\"",
         options->schedule);
}

static struct new_file trace;

static void open_trace(const char *path)
{
    trace = file_begin(path);
    fputs("# block\twarp\tkind\tdispatched\tserved\tcomplete\n", trace.file);
    machine_trace(trace.file);
}

void device_give_up(void) {}

void close_device(void)
{
    machine_trace(NULL);
    if (trace.file)
        file_finish(&trace);
    trace.file = NULL;
}

void open_device(const struct options *options, struct device *out)
{
    struct machine_description d = find_description(options->device ? options->device : "gtx280");
    machine_install(&d);
    set_memory(options);
    set_schedule(options);
    if (options->trace)
        open_trace(options->trace);
    *out = (struct device){.sm_count = d.sm_count,
                           .max_threads_per_block = d.max_threads_per_block,
                           .capability = d.compute_capability,
                           .warp_size = d.warp_size,
                           .clock_hz = d.clock_hz,
                           .machine = true};
    snprintf(out->name, sizeof out->name, "%s", d.name);
    make_slug("machine-", d.name, out->slug, sizeof out->slug);
    CHECK(cudaStreamCreate(&stream));
}

bool device_is_machine(void)
{
    return true;
}

int device_count(void)
{
    return 1;
}

int device_max_threads_per_block(void)
{
    return machine_installed()->max_threads_per_block;
}

bool device_has_programmatic_launch(void)
{
    return machine_installed()->compute_capability >= 90;
}

size_t device_free_bytes(void)
{
    return SIZE_MAX;
}

bool device_has_graphs(bool programmatic)
{
    const struct machine_description *d = machine_installed();
    return (programmatic ? d->launch_graph_pdl : d->launch_graph) > 0;
}

bool device_counts_instructions(void)
{
    return machine_installed()->instruction_per_1000 > 0;
}

bool device_times_copies(void)
{
    return machine_installed()->copy_bytes_per_1000_units > 0;
}

bool device_has_lock_bits(void)
{
    return machine_installed()->lock_bits > 0;
}

cJSON *describe_device(const struct device *device)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", "machine");
    cJSON_AddStringToObject(json, "name", device->name);
    cJSON_AddStringToObject(json, "slug", device->slug);
    cJSON_AddNumberToObject(json, "sm_count", device->sm_count);
    cJSON_AddNumberToObject(json, "clock_hz", device->clock_hz);
    cJSON_AddItemToObject(json, "description", cJSON_Duplicate(description_json, true));
    return json;
}

double device_clock_hz(void)
{
    return 0;
}

double device_launch_time(void)
{
    const struct machine_description *d = machine_installed();
    bool one_by_one = trace.file || cJSON_GetObjectItem(description_json, "memory");
    return d->launch_behind && !one_by_one ? d->launch_asynchronous : 0;
}

void begin_counting(void)
{
    machine_reset_counters();
}

/* largest number of intervals between barriers that the result file lists for a point; a point with more gets
 * no list */
#define MOST_INTERVALS 256

void add_counters(cJSON *json)
{
    const struct machine_counters *c = machine_get_counters();
    cJSON *counters = cJSON_AddObjectToObject(json, "counters");
    cJSON_AddNumberToObject(counters, "requests", (double)c->requests);
    /* adds the count of instructions only if the machine gives instructions a time */
    if (machine_installed()->instruction_per_1000)
        cJSON_AddNumberToObject(counters, "instructions", (double)c->instructions);
    cJSON_AddNumberToObject(counters, "transactions", (double)c->transactions);
    cJSON_AddNumberToObject(counters, "shared_loads", (double)c->shared_loads);
    cJSON_AddNumberToObject(counters, "shared_stores", (double)c->shared_stores);
    cJSON_AddNumberToObject(counters, "shuffles", (double)c->shuffles);
    cJSON_AddNumberToObject(counters, "bank_conflicts", (double)c->bank_conflicts);
    cJSON_AddNumberToObject(counters, "atomics", (double)c->atomics);
    cJSON_AddNumberToObject(counters, "fences", (double)c->fences);
    cJSON_AddNumberToObject(counters, "block_barriers", (double)c->block_barriers);
    cJSON_AddNumberToObject(counters, "launches", (double)c->launches);
    cJSON_AddNumberToObject(counters, "named_barriers", (double)c->named_barriers);
    cJSON_AddNumberToObject(counters, "lock_bits", (double)c->lock_bits);
    const struct machine_interval *interval;
    size_t count = machine_intervals(&interval);
    if (count < 2 || count > MOST_INTERVALS)
        return;
    /* Adds a list of the intervals between barriers; an interval is an array of its time, requests and
     * transactions. */
    cJSON *list = cJSON_AddArrayToObject(json, "intervals");
    for (; count--; interval++) {
        double numbers[] = {(double)interval->time_units, (double)interval->requests,
                            (double)interval->transactions};
        cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(numbers, 3));
    }
}

#endif
