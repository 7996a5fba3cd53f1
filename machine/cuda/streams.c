/* The subset of the CUDA runtime API on the machine for streams, events and launches. Model time only
 * advances inside these calls. */
#include "machine/cuda/at_once.h"
#include "machine/cuda/graphs.h"
#include "machine/cuda/one_thread.h"
#include "machine/cuda/queues.h"
#include "machine/cuda/runtime_calls.h"
#include "machine/memory/devices.h"
#include "machine/time/launch.h"

#include <stdlib.h>
#include <string.h>

void machine_queue_streams(bool queue)
{
    queues_are_on = queue;
}

cudaError_t stream_give(cudaStream_t stream, const struct task *task)
{
    struct machine_stream *to = stream_or_default(stream);
    struct task copy;
    if (to->capturing)
        return graph_capture(to, task);
    if (!queues_are_on)
        return task->kind == TASK_KERNEL
                   ? at_once_launch(&task->launch, to, launch_begin(machine_blocks(&task->launch)))
                   : at_once_do(task, to);
    return task_copy(&copy, task) ? queue_add(to, &copy) : cudaErrorMemoryAllocation;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    ONE_THREAD
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return cudaErrorMemoryAllocation;
    (*stream)->overlaps = flags & cudaStreamNonBlocking;
    (*stream)->priority = priority;
    (*stream)->device = device_chosen();
    if (queues_are_on)
        queue_stream_begins(*stream, !(flags & cudaStreamNonBlocking));
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

void machine_confine_stream(cudaStream_t stream, unsigned sm_count)
{
    stream->sm_count = sm_count;
}

/* The stream's data are kept if streams are queues, because its tasks go on after this call, and if the
 * stream is captured, until the capture ends. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    ONE_THREAD
    if (queues_are_on)
        return queue_go_on();
    if (stream->capturing)
        return cudaSuccess;
    cudaError_t error = stream_wait(stream);
    hang_stream_ends(stream);
    free(stream);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    ONE_THREAD
    struct machine_stream *of = stream_or_default(stream);
    if (of->capturing)
        return cudaErrorStreamCaptureUnsupported;
    if (queues_are_on) {
        struct queued *last = queue_begin(of);
        cudaError_t error = queue_wait(last);
        queue_drop(last);
        return error;
    }
    cudaError_t error = stream_wait(of);
    if (error == cudaSuccess)
        error = hang_host_waits(of, UINT64_MAX);
    weak_host_waits();
    launch_was_waited_for();
    return error;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    ONE_THREAD
    if (queues_are_on)
        return queue_query(stream_or_default(stream)->last);
    cudaError_t error = stream_wait(stream_or_default(stream));
    launch_was_queried();
    return error;
}

/* If streams are not queues, the launches before the event have run already, so there is nothing to wait for.
 * If the event was recorded in a captured stream, this stream is captured from now on, too. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    ONE_THREAD(void) flags;
    struct machine_stream *waiting = stream_or_default(stream);
    if (event->captured.graph)
        return graph_wait(waiting, &event->captured);
    if (waiting->capturing)
        return cudaErrorStreamCaptureIsolation;
    if (queues_are_on && event->record.queued)
        queue_join(waiting, &event->record.queued, 1);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A task that records the event may not have begun, so its data are kept if streams are queues. */
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (queues_are_on)
        return cudaSuccess;
    free(event->captured.nodes);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    ONE_THREAD
    struct machine_stream *of = stream_or_default(stream);
    graph_record(&event->captured, of);
    if (of->capturing)
        return cudaSuccess;
    cudaError_t error = stream_give(stream, &(struct task){.kind = TASK_RECORD, .record = &event->record});
    return error == cudaSuccess && queues_are_on ? queue_go_on() : error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    ONE_THREAD
    if (queues_are_on)
        return queue_wait(event->record.queued);
    cudaError_t error = device_wait();
    /* the host does not wait for a kernel after the event */
    return error == cudaSuccess ? hang_host_waits(NULL, event->record.at) : error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    ONE_THREAD
    return queues_are_on ? queue_query(event->record.queued) : device_wait();
}

static uint64_t recorded_at(cudaEvent_t event)
{
    if (!queues_are_on || !event->record.queued)
        return event->record.at;
    queue_wait(event->record.queued);
    return queue_ended_at(event->record.queued);
}

static void (*elapsed_watcher)(uint64_t from, uint64_t to);

void machine_watch_elapsed(void (*watcher)(uint64_t from, uint64_t to))
{
    elapsed_watcher = watcher;
}

double machine_event_elapsed(cudaEvent_t start, cudaEvent_t stop)
{
    ONE_THREAD
    uint64_t from = recorded_at(start), to = recorded_at(stop);
    if (elapsed_watcher && to > from && !queues_are_on)
        elapsed_watcher(from, to);
    return to >= from ? (double)(to - from) : 0;
}

/* ---- launches ---- */

static cudaError_t last_error; /* the last error that a launch, or a function of machine/ptx/, returned */

cudaError_t machine_note_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

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
    int per_sm =
        machine_resident_blocks_per_sm((int)machine_threads(launch), launch->shared_bytes, launch->registers);
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

static struct machine_launch_place last_launch, failed_launch;

struct machine_launch_place machine_last_launch(bool failed)
{
    return failed ? failed_launch : last_launch;
}

const void *runtime_launch_site, *runtime_call_site;

cudaError_t runtime_launch_fails(cudaError_t error, const char *kernel, const void *site)
{
    last_launch = failed_launch = (struct machine_launch_place){kernel, site};
    return machine_note_error(error);
}

cudaError_t machine_launch_kernel(const struct machine_launch *launch, cudaStream_t stream)
{
    ONE_THREAD
    const void *site = runtime_launch_site ? runtime_launch_site : __builtin_return_address(0);
    last_launch = (struct machine_launch_place){launch->name, site};
    cudaError_t error = check(launch, stream_or_default(stream));
    if (error == cudaSuccess)
        error =
            stream_give(stream, &(struct task){.kind = TASK_KERNEL, .launch = *launch, .instruction = site});
    if (error == cudaSuccess && queues_are_on)
        error = queue_go_on();
    if (error != cudaSuccess) {
        last_error = error;
        failed_launch = last_launch;
    }
    return error;
}
