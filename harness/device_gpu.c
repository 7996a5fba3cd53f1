/* The device, for programs that are built for a GPU. */
#ifndef GPUSYNC_MACHINE

#include "base/failure.h"
#include "harness/check.h"
#include "harness/device.h"
#include "harness/conditions.h"
#include "harness/options.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static cudaStream_t stream;

cudaStream_t harness_stream(void)
{
    return stream;
}

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
    if (options->memory || options->races)
        fail(EXIT_BAD_INPUT, "--memory and --races are for the memory machine; this program runs on a GPU");
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
                           .warp_size = properties.warpSize,
                           .clock_hz = 1e3 * attribute(cudaDevAttrClockRate)};
    snprintf(out->name, sizeof out->name, "%s", properties.name);
    make_slug("", properties.name, out->slug, sizeof out->slug);
}

void close_device(void) {}

void device_give_up(void)
{
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph = NULL;
    CHECK(cudaStreamIsCapturing(stream, &status));
    if (status != cudaStreamCaptureStatusNone)
        /* ends the capture; the error that this returns if the capture failed is ignored */
        cudaStreamEndCapture(stream, &graph);
    if (graph)
        CHECK(cudaGraphDestroy(graph));
    cudaGetLastError(); /* clears the error, because otherwise the next call of the runtime would report it */
}

void device_reset(unsigned run)
{
    (void)run;
}

size_t device_report_races(const char *label)
{
    (void)label;
    return 0;
}

double device_launch_time(void)
{
    return 0;
}

void begin_counting(void) {}

void add_counters(cJSON *json)
{
    (void)json; /* a GPU has no counters */
}

bool device_is_machine(void)
{
    return false;
}

int device_count(void)
{
    int count;
    CHECK(cudaGetDeviceCount(&count));
    return count;
}

int device_max_threads_per_block(void)
{
    return attribute(cudaDevAttrMaxThreadsPerBlock);
}

size_t device_free_bytes(void)
{
    size_t bytes, all;
    CHECK(cudaMemGetInfo(&bytes, &all));
    return bytes;
}

bool device_has_graphs(bool programmatic)
{
    /* The argument is ignored, because a variant with programmatic launches names the compute capability that
     * it needs. */
    (void)programmatic;
    return true;
}

bool device_has_programmatic_launch(void)
{
    return properties.major >= 9;
}

bool device_counts_instructions(void)
{
    return true;
}

bool device_times_copies(void)
{
    return true;
}

bool device_has_lock_bits(void)
{
    return false;
}

/* Returns the GPU's UUID as a text, which tells this card from others of its model. */
static const char *uuid_text(void)
{
    static char text[2 * sizeof properties.uuid.bytes + 1];
    for (size_t i = 0; i < sizeof properties.uuid.bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)properties.uuid.bytes[i]);
    return text;
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
    cJSON_AddStringToObject(json, "uuid", uuid_text());
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
