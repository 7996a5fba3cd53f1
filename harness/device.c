#include "harness/device.h"
#include "harness/check.h"
#include "harness/failure.h"
#include "harness/options.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static cudaStream_t stream;

cudaStream_t harness_stream(void)
{
    return stream;
}

/* "NVIDIA H100 80GB HBM3" becomes "nvidia-h100-80gb-hbm3". */
static void make_slug(const char *prefix, const char *name, char *slug, size_t bytes)
{
    snprintf(slug, bytes, "%s%s", prefix, name);
    for (char *c = slug; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
}

#ifdef GPUSYNC_MACHINE

#include "machine/presets.h"

static cJSON *description_json;

const char *time_unit(void)
{
    return "time units";
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(EXIT_BAD_INPUT, "--device: no preset and no readable file is called %s", path);
    size_t capacity = 1 << 20;
    char *text = malloc(capacity);
    size_t length = text ? fread(text, 1, capacity - 1, file) : 0;
    if (text)
        text[length] = '\0';
    fclose(file);
    return text;
}

/* "umm:W,L" or "dmm:W,L": the paper's machines, of one multiprocessor. */
static bool pure_machine(const char *name, struct machine_description *out)
{
    int width, latency, used = 0;
    bool umm = strncmp(name, "umm:", 4) == 0;
    if (!umm && strncmp(name, "dmm:", 4) != 0)
        return false;
    if (sscanf(name + 4, "%d,%d%n", &width, &latency, &used) != 2 || name[4 + used] || width < 2 ||
        width > MACHINE_MAX_WARP || latency < 1 || latency > 100000)
        fail(EXIT_BAD_INPUT, "--device: umm:W,L or dmm:W,L with a width from 2 to %d, not \"%s\"",
             MACHINE_MAX_WARP, name);
    *out = (umm ? machine_pure_umm : machine_pure_dmm)(width, latency);
    description_json = cJSON_CreateObject();
    cJSON_AddStringToObject(description_json, "describes", umm ? "the UMM of Nakano 2013" : "its DMM");
    cJSON_AddNumberToObject(description_json, "width", width);
    cJSON_AddNumberToObject(description_json, "latency", latency);
    return true;
}

static struct machine_description find_description(const char *name)
{
    struct machine_description pure;
    if (pure_machine(name, &pure))
        return pure;
    char *from_file = NULL;
    const char *text = machine_preset(name);
    if (!text)
        text = from_file = read_text(name);
    struct machine_description description;
    const char *wrong = machine_description_parse(text, name, &description);
    if (wrong)
        fail(EXIT_BAD_INPUT, "--device: %s", wrong);
    description_json = cJSON_Parse(text);
    free(from_file);
    return description;
}

static void set_schedule(const struct options *options)
{
    static const char *const names[] = {"round-robin", "random", "adversarial"};
    for (unsigned i = 0; i < 3; i++)
        if (!options->schedule || strcmp(options->schedule, names[i]) == 0) {
            machine_set_schedule((enum machine_schedule)i, options->seed);
            cJSON_AddStringToObject(description_json, "schedule", names[i]);
            cJSON_AddNumberToObject(description_json, "schedule_seed", (double)options->seed);
            return;
        }
    fail(EXIT_BAD_INPUT, "--schedule must be round-robin, random or adversarial, not \"%s\"",
         options->schedule);
}

/* The file is closed when the program ends. */
static void open_trace(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        fail(EXIT_BAD_INPUT, "%s cannot be written", path);
    fputs("# block\twarp\tkind\tdispatched\tserved\tcomplete\n", file);
    machine_trace(file);
}

void open_device(const struct options *options, struct device *out)
{
    struct machine_description d = find_description(options->device ? options->device : "gtx280");
    machine_install(&d);
    set_schedule(options);
    if (options->trace)
        open_trace(options->trace);
    *out = (struct device){.sm_count = d.sm_count,
                           .max_threads_per_block = d.max_threads_per_block,
                           .capability = d.compute_capability,
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

int device_max_threads_per_block(void)
{
    return machine_installed()->max_threads_per_block;
}

bool device_has_graphs(bool programmatic)
{
    const struct machine_description *d = machine_installed();
    return (programmatic ? d->launch_graph_pdl : d->launch_graph) > 0;
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

void begin_counting(void)
{
    machine_reset_counters();
}

#define MOST_INTERVALS 256 /* in a result file */

void add_counters(cJSON *json)
{
    const struct machine_counters *c = machine_get_counters();
    cJSON *counters = cJSON_AddObjectToObject(json, "counters");
    cJSON_AddNumberToObject(counters, "requests", (double)c->requests);
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
    cJSON *list =
        cJSON_AddArrayToObject(json, "intervals"); /* between barriers: time, requests, transactions */
    for (; count--; interval++) {
        double numbers[] = {(double)interval->time_units, (double)interval->requests,
                            (double)interval->transactions};
        cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(numbers, 3));
    }
}

#else

static struct cudaDeviceProp properties;

const char *time_unit(void)
{
    return "ns";
}

static int attribute(enum cudaDeviceAttr attr)
{
    int value = 0, device = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&value, attr, device));
    return value;
}

static int device_index(const char *text, int count)
{
    if (!text)
        return 0;
    char *end;
    errno = 0;
    long index = strtol(text, &end, 10);
    if (errno || end == text || *end || index < 0 || index > INT_MAX)
        fail(EXIT_BAD_INPUT, "--device must be the index of a GPU, not \"%s\"", text);
    if (index >= count)
        fail(EXIT_CANNOT, "there is no GPU %ld; this machine has %d", index, count);
    return (int)index;
}

void open_device(const struct options *options, struct device *out)
{
    if (options->trace)
        fail(EXIT_BAD_INPUT, "--trace is for the memory machine");
    if (options->schedule)
        fail(EXIT_BAD_INPUT, "--schedule is for the memory machine; this program runs on a GPU");
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || !count)
        fail(EXIT_CANNOT, "no CUDA device here (%s); build/machine/%s runs on the memory machine",
             error != cudaSuccess ? cudaGetErrorString(error) : "none found", program_name());
    int index = device_index(options->device, count);
    CHECK(cudaSetDevice(index));
    CHECK(cudaGetDeviceProperties(&properties, index));
    CHECK(cudaStreamCreate(&stream));
    *out = (struct device){.sm_count = properties.multiProcessorCount,
                           .max_threads_per_block = properties.maxThreadsPerBlock,
                           .capability = properties.major * 10 + properties.minor,
                           .clock_hz = 1e3 * attribute(cudaDevAttrClockRate)};
    snprintf(out->name, sizeof out->name, "%s", properties.name);
    make_slug("", properties.name, out->slug, sizeof out->slug);
}

void begin_counting(void) {}

void add_counters(cJSON *json)
{
    (void)json; /* a GPU counts nothing of its own */
}

bool device_is_machine(void)
{
    return false;
}

int device_max_threads_per_block(void)
{
    return attribute(cudaDevAttrMaxThreadsPerBlock);
}

bool device_has_graphs(bool programmatic)
{
    (void)programmatic; /* that is a matter of compute capability */
    return true;
}

bool device_has_lock_bits(void)
{
    return false;
}

static void add_version(cJSON *json, const char *name, int version)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    cJSON_AddStringToObject(json, name, text);
}

cJSON *describe_device(const struct device *device)
{
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", "gpu");
    cJSON_AddStringToObject(json, "name", device->name);
    cJSON_AddStringToObject(json, "slug", device->slug);
    cJSON_AddNumberToObject(json, "sm_count", device->sm_count);
    cJSON_AddNumberToObject(json, "compute_capability", device->capability / 10.0);
    cJSON_AddNumberToObject(json, "clock_hz", device->clock_hz);
    cJSON_AddNumberToObject(json, "memory_clock_hz", 1e3 * attribute(cudaDevAttrMemoryClockRate));
    cJSON_AddNumberToObject(json, "memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth));
    cJSON_AddNumberToObject(json, "memory_bytes", (double)properties.totalGlobalMem);
    cJSON_AddNumberToObject(json, "l2_bytes", properties.l2CacheSize);
    cJSON_AddNumberToObject(json, "shared_bytes_per_sm", (double)properties.sharedMemPerMultiprocessor);
    cJSON_AddNumberToObject(json, "max_threads_per_sm", properties.maxThreadsPerMultiProcessor);
    cJSON_AddNumberToObject(json, "max_threads_per_block", properties.maxThreadsPerBlock);
    cJSON_AddNumberToObject(json, "max_blocks_per_sm", properties.maxBlocksPerMultiProcessor);
    cJSON_AddNumberToObject(json, "warp_size", properties.warpSize);
    add_version(json, "driver_cuda", driver);
    add_version(json, "runtime_cuda", runtime);
    return json;
}

#endif

/* The value of the first line of /proc/cpuinfo that begins with "model name". */
static void processor_name(char *name, size_t bytes)
{
    char line[256];
    snprintf(name, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

cJSON *describe_host(void)
{
    char processor[256];
    struct utsname system;
    processor_name(processor, sizeof processor);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "processor", processor);
    cJSON_AddNumberToObject(json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        cJSON_AddStringToObject(json, "system", system.sysname);
        cJSON_AddStringToObject(json, "release", system.release);
    }
    return json;
}
