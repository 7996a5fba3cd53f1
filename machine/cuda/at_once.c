#include "machine/cuda/at_once.h"
#include "machine/code/source_line.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/queues.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/rules.h"
#include "machine/engine/scheduler.h"
#include "machine/machine.h"
#include "machine/memory/arrays.h"
#include "machine/time/launch.h"

#include <stdio.h>

/* ---- kernels that never end ---- */

static void (*when_suspected)(const char *text), (*when_certain)(void);

/* The first kernel that waited in vain. It is removed when it turns out not to hang, for example because
 * the host writes to memory that it polls. */
static struct {
    bool is_there;
    const struct machine_stream *stream;
    uint64_t at;     /* the time at which the machine gave up */
    uint64_t shared; /* a hash of the memory that the host shares with kernels */
} suspect;

/* the error of a kernel that the machine ended as a deadlock and that did not hang; the next call of
 * hang_task_ends() or hang_host_waits() returns it */
static cudaError_t untold;

void machine_watch_hangs(void (*suspected)(const char *text), void (*certain)(void))
{
    when_suspected = suspected;
    when_certain = certain;
    hangs_are_watched = certain != NULL;
}

cudaError_t hang_suspected(const struct machine_stream *stream)
{
    if (!hangs_are_watched)
        return cudaErrorLaunchTimeout;
    if (!suspect.is_there) {
        when_suspected(the_machine.deadlock);
        suspect.is_there = true;
        suspect.stream = stream;
        suspect.at = the_machine.now;
        suspect.shared = arrays_hash_of_host();
    }
    return cudaSuccess;
}

static bool has_host_written(void)
{
    return suspect.shared != arrays_hash_of_host();
}

static void acquit(void)
{
    suspect.is_there = false;
    untold = cudaErrorLaunchTimeout;
}

static cudaError_t take_untold(void)
{
    cudaError_t error = untold;
    untold = cudaSuccess;
    return error;
}

void hang_task_begins(const struct machine_stream *stream)
{
    if (suspect.is_there && (stream != suspect.stream || has_host_written()))
        acquit();
}

cudaError_t hang_task_ends(cudaError_t error)
{
    /* a copy or a function of the stream may have written to the host's arrays */
    if (suspect.is_there)
        suspect.shared = arrays_hash_of_host();
    return error == cudaSuccess ? take_untold() : error;
}

void hang_stream_ends(const struct machine_stream *stream)
{
    if (suspect.stream == stream)
        suspect.stream = NULL; /* the next stream may get the same address */
}

/* Another thread of the host may write what the kernel polls while this one waits. */
static bool has_other_threads(void)
{
    unsigned threads = 0;
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Threads: %u", &threads) != 1)
        ;
    if (file)
        fclose(file);
    return threads != 1;
}

cudaError_t hang_host_waits(const struct machine_stream *stream, uint64_t until)
{
    if (suspect.is_there && (!stream || stream == suspect.stream) && suspect.at <= until) {
        if (!has_host_written() && !has_other_threads())
            when_certain();
        acquit();
    }
    return take_untold();
}

void machine_program_ends(void)
{
    hang_host_waits(NULL, UINT64_MAX);
}

/* ---- tasks ---- */

cudaError_t stream_wait(const struct machine_stream *stream)
{
    uint64_t before = the_machine.now;
    cudaError_t error = scheduler_wait(stream);
    the_machine.counters.time_units += the_machine.now - before;
    return error == cudaErrorLaunchTimeout ? hang_suspected(stream) : error;
}

cudaError_t device_wait(void)
{
    cudaError_t error = stream_wait(NULL);
    weak_host_waits();
    the_machine.host_at = the_machine.now;
    return error;
}

struct machine_stream *stream_or_default(cudaStream_t stream)
{
    static struct machine_stream the_default;
    if (queues_are_on)
        return queue_stream_of(stream);
    return !stream || stream == machine_legacy_stream || stream == machine_stream_of_thread ? &the_default
                                                                                            : stream;
}

static void (*launch_watcher)(const struct machine_launched *launched);

void machine_watch_launches(void (*watcher)(const struct machine_launched *launched))
{
    launch_watcher = watcher;
}

struct machine_uses machine_used(void)
{
    the_machine.uses.allocated_bytes = arrays_bytes();
    return the_machine.uses;
}

static void tell_watcher(const struct machine_launch *launch, uint64_t began)
{
    struct machine_launched launched = {.blocks = machine_blocks(launch),
                                        .threads = machine_threads(launch),
                                        .units = the_machine.now - began};
    snprintf(launched.name, sizeof launched.name, "%s", launch->name);
    launch_watcher(&launched);
}

/* Runs the kernel to its end. If other kernels may overlap with this one, the kernel only begins. */
cudaError_t at_once_launch(const struct machine_launch *launch, struct machine_stream *stream, int cost)
{
    hang_task_begins(stream);
    cudaError_t error = stream_wait(stream);
    the_machine.now += (uint64_t)cost;
    the_machine.counters.launches++;
    the_machine.counters.time_units += (uint64_t)cost;
    if (error != cudaSuccess || fault_skips_kernels())
        return error;
    uint64_t began = the_machine.now;
    scheduler_begin(launch, stream, NULL, NULL);
    if (stream->overlaps)
        return cudaSuccess;
    error = stream_wait(stream);
    if (launch_watcher)
        tell_watcher(launch, began);
    return hang_task_ends(error);
}

/* Spends the time of the copy's bytes between the host and a device. */
static void spend_copy(const struct machine_copy *copy)
{
    enum cudaMemcpyKind kind = task_kind_of_copy(copy);
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost)
        launch_copy(copy->width * copy->height * copy->depth);
}

cudaError_t at_once_do(const struct task *task, struct machine_stream *stream)
{
    hang_task_begins(stream);
    cudaError_t error = stream_wait(stream);
    weak_host_waits();
    if (task->kind == TASK_SETTING)
        launch_memset();
    if (task->kind == TASK_COPY)
        spend_copy(&task->copy);
    if (task->kind == TASK_RECORD)
        task->record->at = the_machine.now;
    else
        task_do(task, NULL, false);
    return hang_task_ends(error);
}
