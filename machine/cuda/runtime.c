/* The subset of the CUDA runtime API on the machine, and the cost of launches. Model time only advances
 * inside these calls. */
#include "base/failure.h"
#include "machine/engine/clusters.h"
#include "machine/memory/arrays.h"
#include "machine/cuda/bounds.h"
#include "machine/memory/devices.h"
#include "machine/engine/lanes.h"
#include "machine/cuda/fault.h"
#include "machine/code/source_line.h"
#include "machine/presets.h"
#include "machine/weak/races.h"
#include "machine/weak/weak_memory.h"
#include "machine/engine/scheduler.h"
#include "machine/time/launch.h"
#include "machine/engine/trace.h"

#include <stdlib.h>
#include <string.h>

struct machine_event {
    uint64_t at;
    struct machine_graph *capturing; /* by the stream that recorded it */
};
struct machine_graph {
    struct machine_launch *nodes;
    size_t count, capacity;
};

void machine_install(const struct machine_description *description)
{
    the_machine = (struct machine){.description = *description};
    launch_was_queried();
}

#define PRESET_OF_PROGRAMS "h100" /* of programs that install none, as those in examples/ */

static void install_preset(void)
{
    struct machine_description description;
    const char *wrong =
        machine_description_parse(machine_preset(PRESET_OF_PROGRAMS), PRESET_OF_PROGRAMS, &description);
    if (wrong)
        fail(EXIT_CANNOT, "%s", wrong);
    machine_install(&description);
}

const struct machine_description *machine_installed(void)
{
    if (!the_machine.description.sm_count)
        install_preset();
    return &the_machine.description;
}

void machine_set_schedule(enum machine_schedule schedule, uint64_t seed)
{
    the_machine.schedule = schedule;
    the_machine.random.state = seed;
}

static const char *const memory_names[] = {"coherent", "l1", "oldest", "random"};

bool machine_memory_of(const char *name, enum machine_memory *out)
{
    for (unsigned m = 0; m < sizeof memory_names / sizeof *memory_names; m++)
        if (strcmp(name, memory_names[m]) == 0) {
            *out = (enum machine_memory)m;
            return true;
        }
    return false;
}

void machine_set_memory(enum machine_memory memory)
{
    machine_installed(); /* which begins with coherent memory */
    the_machine.memory.is_weak = memory != MACHINE_COHERENT;
    the_machine.memory.policy = memory;
}

void machine_collect_races(bool collect, bool cures)
{
    machine_installed();
    the_machine.memory.races = collect;
    the_machine.memory.cures = collect && cures;
    races_forget();
}

static int shown_multiprocessors;

void machine_show_multiprocessors(int count)
{
    shown_multiprocessors = count;
}

void machine_set_stack(size_t bytes)
{
    lane_stack_bytes = bytes + 64;
}

void machine_set_devices(unsigned count)
{
    the_machine.devices = count;
}

uint64_t machine_now(void)
{
    return the_machine.now;
}

const struct machine_counters *machine_get_counters(void)
{
    return &the_machine.counters;
}
void machine_reset_counters(void)
{
    the_machine.counters = (struct machine_counters){0};
    trace_forget_intervals();
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorLaunchTimeout:
        return the_machine.deadlock;
    case cudaErrorCooperativeLaunchTooLarge:
        return "too many blocks in cooperative launch";
    case cudaErrorNotSupported:
        return "operation not supported";
    case cudaErrorInvalidClusterSize:
        return "invalid cluster size";
    }
    return "unknown error";
}

static cudaError_t last_error; /* of a launch */

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = (int)device_chosen();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device >= 0 && device_choose((unsigned)device) ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Time that passes while the host waits counts as the kernels'. */
static cudaError_t wait_for(const struct machine_stream *stream)
{
    uint64_t before = the_machine.now;
    cudaError_t error = scheduler_wait(stream);
    the_machine.counters.time_units += the_machine.now - before;
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = wait_for(NULL);
    weak_host_waits();
    the_machine.host_at = the_machine.now;
    return error;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    const struct machine_description *d = machine_installed();
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = shown_multiprocessors ? shown_multiprocessors : d->sm_count;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = d->shared_bytes_per_sm;
        return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
        *value = 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared_bytes)
{
    (void)kernel; /* registers are not modelled */
    machine_installed();
    *blocks = machine_resident_blocks_per_sm(threads, shared_bytes);
    return cudaSuccess;
}

#define BETWEEN_ARRAYS 65536 /* what is read behind one is not yet the next */

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    /* Aligned as CUDA aligns, so that address groups fall the same way. */
    size_t whole = (bytes + 256) / 256 * 256;
    if (bounds_are_checked)
        whole += BETWEEN_ARRAYS;
    *pointer = fault_reuse(whole);
    if (!*pointer)
        *pointer = aligned_alloc(256, whole);
    if (*pointer)
        array_note(*pointer, bytes, device_chosen(), __builtin_return_address(0));
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *pointer)
{
    array_forget(pointer);
    if (!fault_keep(pointer))
        free(pointer);
    return cudaSuccess;
}

static const struct machine_stream *or_default(cudaStream_t stream)
{
    static const struct machine_stream the_default;
    return stream ? stream : &the_default;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    weak_host_waits();
    memcpy(to, from, bytes);
    if (kind == cudaMemcpyDeviceToHost)
        fault_apply(to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t error = wait_for(or_default(stream));
    return error == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : error;
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    cudaError_t error = cudaMalloc(pointer, bytes);
    array_share_with_host(*pointer);
    return error;
}

cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    weak_host_waits();
    memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t error = wait_for(or_default(stream));
    launch_memset();
    return error == cudaSuccess ? cudaMemset(to, value, bytes) : error;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = calloc(1, sizeof **stream);
    return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    cudaError_t error = cudaStreamCreate(stream);
    if (error == cudaSuccess) {
        (*stream)->overlaps = flags & cudaStreamNonBlocking;
        (*stream)->priority = priority;
    }
    return error;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

void machine_confine_stream(cudaStream_t stream, unsigned sm_count)
{
    stream->sm_count = sm_count;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t error = wait_for(stream);
    free(stream);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = wait_for(or_default(stream));
    weak_host_waits();
    launch_was_waited_for();
    return error;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = wait_for(or_default(stream));
    launch_was_queried();
    return error;
}

/* What was launched before the event has run already; but a graph that is being recorded gets this stream's
 * launches, too. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    stream->capturing = event->capturing;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = wait_for(or_default(stream));
    weak_host_waits();
    event->at = the_machine.now;
    event->capturing = stream ? stream->capturing : NULL;
    return error;
}

double machine_event_elapsed(cudaEvent_t start, cudaEvent_t stop)
{
    return (double)(stop->at - start->at);
}

double machine_clock_hz(void)
{
    return machine_installed()->clock_hz;
}

/* ---- launches ---- */

static cudaError_t check(const struct machine_launch *launch, const struct machine_stream *stream)
{
    unsigned sms =
        stream->sm_count ? stream->sm_count : (unsigned)machine_installed()->sm_count * device_count();
    int per_sm = machine_resident_blocks_per_sm((int)machine_threads(launch), launch->shared_bytes);
    if (!machine_blocks(launch) || !per_sm)
        return cudaErrorInvalidConfiguration;
    if (launch->cluster > MOST_CLUSTER_BLOCKS ||
        (launch->cluster &&
         (machine_blocks(launch) % launch->cluster || launch->cluster > (unsigned)per_sm * sms)))
        return cudaErrorInvalidClusterSize;
    if (launch->cooperative && machine_blocks(launch) > (unsigned)per_sm * sms)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static bool are_separate, was_alone; /* kernels that others may overlap */

void machine_separate_kernels(bool separate)
{
    are_separate = separate;
}

bool machine_ran_alone(void)
{
    return was_alone;
}

static void (*launch_watcher)(const struct machine_launched *launched);

void machine_watch_launches(void (*watcher)(const struct machine_launched *launched))
{
    launch_watcher = watcher;
}

static void tell_watcher(const struct machine_launch *launch, uint64_t began)
{
    struct machine_launched launched = {.blocks = machine_blocks(launch),
                                        .threads = machine_threads(launch),
                                        .units = the_machine.now - began};
    if (launch->name)
        snprintf(launched.name, sizeof launched.name, "%s", launch->name);
    else
        source_function(launch->kernel, launched.name, sizeof launched.name);
    launch_watcher(&launched);
}

/* Where others overlap, the host goes on when the kernel has begun; a stream has one in progress. */
static cudaError_t run_after(const struct machine_launch *launch, const struct machine_stream *stream,
                             int cost)
{
    cudaError_t error = wait_for(stream);
    the_machine.now += (uint64_t)cost;
    the_machine.counters.launches++;
    the_machine.counters.time_units += (uint64_t)cost;
    if (error != cudaSuccess || fault_skips_kernels())
        return error;
    uint64_t began = the_machine.now;
    scheduler_begin(launch, stream);
    bool overlaps = stream->overlaps && !(are_separate && the_machine.memory.is_weak);
    was_alone = was_alone || stream->overlaps != overlaps;
    if (overlaps)
        return cudaSuccess;
    error = wait_for(stream);
    if (launch_watcher)
        tell_watcher(launch, began);
    return error;
}

static cudaError_t record(struct machine_graph *graph, const struct machine_launch *launch)
{
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity ? 2 * graph->capacity : 64;
        struct machine_launch *nodes = realloc(graph->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return cudaErrorMemoryAllocation;
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    void *closure = malloc(launch->closure_bytes);
    if (!closure)
        return cudaErrorMemoryAllocation;
    memcpy(closure, launch->closure, launch->closure_bytes);
    graph->nodes[graph->count] = *launch;
    graph->nodes[graph->count++].closure = closure;
    return cudaSuccess;
}

cudaError_t machine_launch_kernel(const struct machine_launch *launch, cudaStream_t stream)
{
    cudaError_t error = check(launch, or_default(stream));
    if (error == cudaSuccess)
        error = stream && stream->capturing
                    ? record(stream->capturing, launch)
                    : run_after(launch, or_default(stream), launch_begin(machine_blocks(launch)));
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    if (!the_machine.description.launch_graph)
        return cudaErrorNotSupported;
    stream->capturing = calloc(1, sizeof *stream->capturing);
    return stream->capturing ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = stream->capturing;
    stream->capturing = NULL;
    return cudaSuccess;
}

/* The executable graph is the graph itself; cudaGraphExecDestroy frees it. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *executable = graph;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    for (size_t i = 0; i < executable->count; i++) {
        const struct machine_launch *node = &executable->nodes[i];
        int cost = i ? launch_cost_in_graph(node->programmatic, machine_blocks(node))
                     : launch_begin(machine_blocks(node));
        cudaError_t error = run_after(node, or_default(stream), cost);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    for (size_t i = 0; i < executable->count; i++)
        free((void *)(uintptr_t)executable->nodes[i].closure);
    free(executable->nodes);
    free(executable);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    (void)graph;
    return cudaSuccess;
}
