/* The subset of the CUDA runtime API on the machine for streams, events, launches and graphs. Model time
 * only advances inside these calls. */
#include "machine/cuda/streams.h"
#include "machine/code/source_line.h"
#include "machine/cuda/fault.h"
#include "machine/engine/scheduler.h"
#include "machine/memory/devices.h"
#include "machine/time/launch.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>
#include <string.h>

struct machine_event {
    uint64_t at;
    /* the graph that the stream was recording when it recorded this event, or NULL */
    struct machine_graph *capturing;
};
struct machine_graph {
    struct machine_launch *nodes;
    size_t count, capacity;
};

cudaError_t stream_wait(const struct machine_stream *stream)
{
    uint64_t before = the_machine.now;
    cudaError_t error = scheduler_wait(stream);
    the_machine.counters.time_units += the_machine.now - before;
    return error;
}

const struct machine_stream *stream_or_default(cudaStream_t stream)
{
    static const struct machine_stream the_default;
    return stream ? stream : &the_default;
}

/* ---- streams and events ---- */

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
    cudaError_t error = stream_wait(stream);
    free(stream);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = stream_wait(stream_or_default(stream));
    weak_host_waits();
    launch_was_waited_for();
    return error;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = stream_wait(stream_or_default(stream));
    launch_was_queried();
    return error;
}

/* There is nothing to wait for, because launches before the event have run already. If a graph is being
 * recorded, the graph now also gets this stream's launches. */
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
    cudaError_t error = stream_wait(stream_or_default(stream));
    weak_host_waits();
    event->at = the_machine.now;
    event->capturing = stream ? stream->capturing : NULL;
    return error;
}

double machine_event_elapsed(cudaEvent_t start, cudaEvent_t stop)
{
    return (double)(stop->at - start->at);
}

/* ---- launches ---- */

static cudaError_t last_error; /* the last error that a launch returned */

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

/* Returns an error if the launch does not fit on the multiprocessors that the stream may use. */
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

/* Weak memory runs one kernel at a time. are_separate: may kernels of non-blocking streams, which could
 * overlap on a GPU, run one after another on weak memory? was_alone: has such a kernel run? */
static bool are_separate, was_alone;

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

/* Launches a kernel after `cost` time units and runs it to its end. If other kernels may overlap with this
 * one, the kernel only begins. */
static cudaError_t run_after(const struct machine_launch *launch, const struct machine_stream *stream,
                             int cost)
{
    cudaError_t error = stream_wait(stream);
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
    error = stream_wait(stream);
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

static struct machine_launch_place last_launch, failed_launch;

struct machine_launch_place machine_last_launch(bool failed)
{
    return failed ? failed_launch : last_launch;
}

cudaError_t machine_launch_kernel(const struct machine_launch *launch, cudaStream_t stream)
{
    last_launch = (struct machine_launch_place){launch->name, __builtin_return_address(0)};
    cudaError_t error = check(launch, stream_or_default(stream));
    if (error == cudaSuccess)
        error = stream && stream->capturing
                    ? record(stream->capturing, launch)
                    : run_after(launch, stream_or_default(stream), launch_begin(machine_blocks(launch)));
    if (error != cudaSuccess) {
        last_error = error;
        failed_launch = last_launch;
    }
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

/* The executable graph is the recorded graph itself, which cudaGraphExecDestroy() frees. */
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
        cudaError_t error = run_after(node, stream_or_default(stream), cost);
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
