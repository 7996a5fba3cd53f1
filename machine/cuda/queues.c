#include "machine/cuda/queues.h"
#include "base/memory.h"
#include "machine/cuda/fault.h"
#include "machine/cuda/runtime_calls.h"
#include "machine/engine/sample.h"
#include "machine/engine/scheduler.h"
#include "machine/memory/devices.h"
#include "machine/time/launch.h"

#include <stdlib.h>

bool queues_are_on;

/* A task that the host has given to a stream. */
struct queued {
    struct task task;
    struct task_order order;
    struct machine_stream *stream;
    struct queued **needs; /* the tasks that must end before this one begins; none of them is NULL */
    size_t need_count;
    enum { WAITS, RUNS, ENDED } state;
    bool kernel_ended;
    bool host_waits; /* does the host wait for the task directly after it has been enqueued? */
    unsigned references;
    uint64_t ended_at;
    struct queued *next; /* the next task that has not ended, in the host's order */
};

static struct {
    struct queued *first, **end; /* the tasks that have not ended */
    uint32_t *counts;            /* for each line, the number of its tasks so far */
    unsigned lines;              /* number of lines */
    /* for each device the legacy default stream: it and the device's blocking streams wait for each other */
    struct machine_stream legacy[MOST_DEVICES];
    struct machine_stream of_thread[MOST_DEVICES]; /* the default streams of the only thread */
    struct machine_stream *streams;                /* all other streams, which the program created */
    bool has_branches;
    struct clock *host, *everything; /* the tasks whose effects the host knows, and all tasks so far */
    struct random random;
    cudaError_t error; /* cudaSuccess until a deadlock occurs; after it, all functions return this error */
    bool is_going_on;
} all;

/* ---- streams and lines ---- */

static unsigned new_line(void)
{
    all.counts = with_room(all.counts, sizeof *all.counts, all.lines, 1);
    all.counts[all.lines] = 0;
    return all.lines++;
}

unsigned queue_new_line(void)
{
    all.has_branches = true;
    return new_line();
}

static void end_process(void)
{
    queue_wait_for_all();
}

/* Prepares everything before the first task or stream. */
static void begin(void)
{
    if (all.end)
        return;
    all.end = &all.first;
    all.random = the_machine.random;
    for (unsigned d = 0; d < devices_shown(); d++) {
        all.legacy[d] = (struct machine_stream){.waits_for_legacy = true, .line = new_line(), .device = d};
        all.of_thread[d] = (struct machine_stream){.waits_for_legacy = true, .line = new_line(), .device = d};
    }
    atexit(end_process);
}

void queue_stream_begins(struct machine_stream *stream, bool waits)
{
    begin();
    stream->waits_for_legacy = waits;
    stream->line = new_line();
    stream->next = all.streams;
    all.streams = stream;
}

bool null_is_stream_of_thread;

struct machine_stream *queue_stream_of(cudaStream_t stream)
{
    begin();
    if (stream == machine_stream_of_thread || (!stream && null_is_stream_of_thread))
        return &all.of_thread[device_chosen()];
    return !stream || stream == machine_legacy_stream ? &all.legacy[device_chosen()] : stream;
}

/* Has the program at most one stream, so that all of its tasks are in one order? `legacy` says whether the
 * legacy stream has had a task, or gets one now. */
static bool is_one_stream(bool legacy)
{
    unsigned count = (legacy ? 1u : 0) + (all.of_thread->last ? 1u : 0);
    bool all_wait = true;
    if (all.has_branches || devices_shown() > 1)
        return false;
    for (const struct machine_stream *s = all.streams; s; s = s->next) {
        count++;
        all_wait = all_wait && s->waits_for_legacy;
    }
    return count <= 1 || (count == 2 && all_wait && legacy && !all.of_thread->last);
}

bool queue_overlaps(void)
{
    return !is_one_stream(true);
}

/* ---- tasks ---- */

struct queued *queue_keep(struct queued *queued)
{
    if (queued)
        queued->references++;
    return queued;
}

void queue_drop(struct queued *queued)
{
    if (!queued || --queued->references)
        return;
    clock_drop(queued->order.clock);
    free(queued);
}

static void drop_needs(struct queued *queued)
{
    for (size_t i = 0; i < queued->need_count; i++)
        queue_drop(queued->needs[i]);
    free(queued->needs);
    queued->needs = NULL;
    queued->need_count = 0;
}

static void add_need(struct queued *queued, struct queued *need)
{
    if (!need)
        return;
    clock_join(&queued->order.clock, need->order.clock);
    clock_add(&queued->order.clock, need->order.stamp);
    if (need->state == ENDED)
        return;
    queued->needs = with_room(queued->needs, sizeof(struct queued *), queued->need_count, 1);
    queued->needs[queued->need_count++] = queue_keep(need);
}

static void set_record(struct record *record, struct queued *queued)
{
    queue_drop(record->queued);
    record->queued = queue_keep(queued);
}

static struct queued *make(struct machine_stream *stream, struct task *task, unsigned line)
{
    struct queued *queued = allocate(sizeof *queued);
    *queued = (struct queued){.task = *task, .stream = stream, .references = 1};
    queued->order.stamp = (struct stamp){line, ++all.counts[line]};
    queued->order.instruction = task->instruction;
    clock_join(&queued->order.clock, all.host);
    return queued;
}

/* Adds the task to the list of tasks that have not ended; the list holds a reference. */
static void append(struct queued *queued)
{
    clock_join(&all.everything, queued->order.clock);
    clock_add(&all.everything, queued->order.stamp);
    *all.end = queue_keep(queued);
    all.end = &queued->next;
}

/* Adds the tasks that must end before the next task of the stream begins. */
static void add_needs_of_stream(struct queued *queued, struct machine_stream *stream)
{
    add_need(queued, stream->last);
    if (stream != &all.legacy[stream->device]) {
        if (stream->waits_for_legacy)
            add_need(queued, all.legacy[stream->device].last);
        return;
    }
    add_need(queued, all.of_thread[stream->device].last);
    for (struct machine_stream *s = all.streams; s; s = s->next)
        if (s->waits_for_legacy && s->device == stream->device)
            add_need(queued, s->last);
}

/* Adds the task as the last one of its stream. */
static void append_to_stream(struct queued *queued)
{
    struct machine_stream *stream = queued->stream;
    add_needs_of_stream(queued, stream);
    queue_drop(stream->last);
    stream->last = queued;
    append(queued);
}

struct queued *queue_add_after(struct machine_stream *stream, struct task *task, struct queued *const *needs,
                               size_t count, unsigned line)
{
    struct queued *queued = make(stream, task, line);
    for (size_t i = 0; i < count; i++)
        add_need(queued, needs[i]);
    if (task->kind == TASK_RECORD)
        set_record(task->record, queued);
    append(queued);
    return queued;
}

void queue_join(struct machine_stream *stream, struct queued *const *needs, size_t count)
{
    struct queued *queued = make(stream, &(struct task){.kind = TASK_NOTHING}, stream->line);
    for (size_t i = 0; i < count; i++)
        add_need(queued, needs[i]);
    append_to_stream(queued);
}

struct queued *queue_begin(struct machine_stream *stream)
{
    queue_join(stream, NULL, 0);
    return queue_keep(stream->last);
}

cudaError_t queue_add(struct machine_stream *stream, struct task *task)
{
    if (all.error != cudaSuccess) {
        task_end(task);
        return all.error;
    }
    struct queued *queued = make(stream, task, stream->line);
    if (task->kind == TASK_RECORD)
        set_record(task->record, queued);
    append_to_stream(queued);
    return cudaSuccess;
}

/* ---- tasks begin and end ---- */

static bool may_begin(const struct queued *queued)
{
    for (size_t i = 0; i < queued->need_count; i++)
        if (queued->needs[i]->state != ENDED)
            return false;
    return true;
}

static void end(struct queued *queued)
{
    queued->state = ENDED;
    queued->ended_at = the_machine.now;
    drop_needs(queued);
    task_end(&queued->task);
}

static void begin_kernel(struct queued *queued)
{
    struct machine_stream *stream = queued->stream;
    if (fault_skips_kernels() || sample_leaves_out(&queued->task.launch)) {
        end(queued);
        return;
    }
    /* Kernels of a single stream never overlap, so they run as they do on a machine without queues. */
    stream->overlaps = !queued->order.is_alone;
    int cost = launch_begin(machine_blocks(&queued->task.launch));
    the_machine.now += (uint64_t)cost;
    the_machine.counters.launches++;
    queued->state = RUNS;
    scheduler_begin(&queued->task.launch, stream, &queued->order, &queued->kernel_ended);
}

/* Are the kept writes of ended tasks known to the host and to all tasks that have not ended? */
static bool all_know_all(void)
{
    if (!weak_knows_all(all.host))
        return false;
    for (const struct queued *queued = all.first; queued; queued = queued->next)
        if (queued->state != ENDED && !weak_knows_all(queued->order.clock))
            return false;
    return true;
}

static void begin_task(struct queued *queued)
{
    queued->order.device = queued->stream->device;
    queued->order.is_alone = is_one_stream(all.legacy->last);
    queued->order.is_only = queued->order.is_alone && !all.streams;
    queued->order.knows_all = all_know_all();
    if (queued->task.kind == TASK_KERNEL) {
        begin_kernel(queued);
        return;
    }
    bool is_tracked = !queued->order.is_alone || (task_shares_memory(&queued->task) && !queued->host_waits);
    bool is_call = queued->task.kind == TASK_CALL;
    if (is_call)
        weak_set_host_clock(queued->order.clock); /* the function knows its stream's effects */
    task_do(&queued->task, &queued->order, is_tracked);
    if (is_call)
        clock_join(&all.host, queued->order.clock); /* the function may tell other host code that it ran */
    weak_set_host_clock(all.host);
    end(queued);
}

/* Begins each task that may begin, and ends each task whose kernel has ended. Returns whether it began or
 * ended any. */
static bool pump_once(void)
{
    bool has_done = false;
    for (struct queued **place = &all.first; *place;) {
        struct queued *queued = *place;
        if (queued->state == WAITS && may_begin(queued) &&
            (queued->task.kind != TASK_KERNEL || scheduler_may_overlap())) {
            begin_task(queued);
            has_done = true;
        }
        if (queued->state == RUNS && queued->kernel_ended) {
            end(queued);
            has_done = true;
        }
        if (queued->state != ENDED) {
            place = &queued->next;
            continue;
        }
        *place = queued->next;
        if (!*place)
            all.end = place;
        queue_drop(queued);
    }
    return has_done;
}

/* Ends tasks whose kernels have ended and begins tasks that may begin, until neither is possible. This is a
 * loop because another kernel can end while a kernel begins. */
static void pump(void)
{
    if (all.is_going_on) /* true if this call comes from a host function that a stream calls */
        return;
    all.is_going_on = true;
    weak_set_host_clock(all.host);
    while (pump_once())
        ;
    all.is_going_on = false;
}

/* Ends all tasks after a deadlock. */
static cudaError_t give_up(void)
{
    scheduler_give_up();
    for (struct queued *queued; (queued = all.first);) {
        all.first = queued->next;
        end(queued);
        queue_drop(queued);
    }
    all.end = &all.first;
    return all.error = cudaErrorLaunchTimeout;
}

/* Lets tasks go on until this one, or all if it is NULL, has ended. Returns false if kernels wait in vain. */
static bool run_until(const struct queued *queued)
{
    for (;;) {
        pump();
        if (queued ? queued->state == ENDED : !all.first)
            return true;
        if (!scheduler_until_end())
            return false;
    }
}

static void host_learns(struct clock *clock)
{
    clock_join(&all.host, clock);
    weak_set_host_clock(all.host);
    the_machine.host_at = the_machine.now;
}

cudaError_t queue_wait(struct queued *queued)
{
    if (!queued)
        return all.error;
    if (all.is_going_on)
        return cudaErrorNotPermitted; /* a host function that a stream calls may not wait */
    queued->host_waits = true;
    if (!run_until(queued))
        return give_up();
    clock_add(&queued->order.clock, queued->order.stamp);
    host_learns(queued->order.clock);
    return all.error;
}

cudaError_t queue_wait_for_all(void)
{
    if (!all.end || all.is_going_on)
        return all.error;
    if (!run_until(NULL))
        return give_up();
    host_learns(all.everything);
    return all.error;
}

cudaError_t queue_wait_for_device(void)
{
    unsigned device = device_chosen();
    if (devices_shown() == 1)
        return queue_wait_for_all();
    begin();
    cudaError_t error = queue_wait(all.legacy[device].last);
    if (error == cudaSuccess)
        error = queue_wait(all.of_thread[device].last);
    for (struct machine_stream *s = all.streams; s && error == cudaSuccess; s = s->next)
        if (s->device == device)
            error = queue_wait(s->last);
    return error;
}

/* after this number of queries in a row during which all kernels wait in vain, the program counts as
 * deadlocked */
#define MOST_QUERIES 1000

cudaError_t queue_query(struct queued *queued)
{
    static unsigned in_vain;
    if (!queued || all.error != cudaSuccess)
        return all.error;
    if (!run_until(queued))
        return ++in_vain < MOST_QUERIES ? cudaErrorNotReady : give_up();
    in_vain = 0;
    return queue_wait(queued);
}

uint64_t queue_ended_at(const struct queued *queued)
{
    return queued->ended_at;
}

/* ---- how far tasks come before the host waits ---- */

void queue_go_on_to_end(void)
{
    if (all.first && !all.is_going_on)
        run_until(NULL);
}

/* Will a stream call a function of the host? The host can wait for that call without calling CUDA. */
static bool will_call(void)
{
    for (const struct queued *queued = all.first; queued; queued = queued->next)
        if (queued->task.kind == TASK_CALL)
            return true;
    return false;
}

/* Decides how far tasks go before the host continues. Tasks of a single stream are completed, unless they
 * wait for the host. Tasks of several streams begin together under the plain schedule. Under other schedules,
 * chance decides whether all tasks end, only the tasks that may begin do so, or no task begins. */
cudaError_t queue_go_on(void)
{
    enum { END, BEGIN, STAY } far = END;
    if (!is_one_stream(all.legacy->last) && !will_call())
        far = the_machine.schedule == MACHINE_ROUND_ROBIN ? BEGIN : (random_next(&all.random) >> 32) % 3;
    if (far == STAY && !departs())
        far = BEGIN;
    if (far == END)
        run_until(NULL);
    else if (far == BEGIN)
        pump();
    return all.error;
}
