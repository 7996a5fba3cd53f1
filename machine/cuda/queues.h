/*
 * Streams as queues (gpusync-check): a task begins when the earlier tasks of its stream, and the tasks before
 * the events that it waits for, have ended. Tasks of different streams overlap, and the host continues
 * meanwhile. Chance decides how far tasks get before the host waits for them. On machines without queues
 * (machine/cuda/streams.c), a task is complete when the function that starts it returns.
 */
#ifndef MACHINE_QUEUES_H
#define MACHINE_QUEUES_H

#include "machine/cuda/tasks.h"

/* Are streams queues? */
extern bool queues_are_on;

struct queued;

/* Adds a task to the stream (NULL: the default stream), which takes over what the task owns. */
cudaError_t queue_add(struct machine_stream *stream, struct task *task);

/* Adds a task that needs these tasks, none of which is NULL. The task has the priority and the
 * multiprocessors of `stream` but is not part of the stream. `line` gives its place in the order of tasks
 * (machine/weak/clocks.h). The caller owns a reference. */
struct queued *queue_add_after(struct machine_stream *stream, struct task *task, struct queued *const *needs,
                               size_t count, unsigned line);
/* Adds an empty task to the stream, after these tasks. */
void queue_join(struct machine_stream *stream, struct queued *const *needs, size_t count);
/* Adds an empty task that needs the tasks which the stream's next task would need. The caller owns the
 * reference. */
struct queued *queue_begin(struct machine_stream *stream);
void queue_drop(struct queued *queued);
struct queued *queue_keep(struct queued *queued);
/* Makes a line for a branch of a graph; tasks of different branches overlap. */
unsigned queue_new_line(void);

/* Lets tasks go on, as far as chance decides. Must be called after tasks have been added. Returns
 * cudaErrorLaunchTimeout after a deadlock. */
cudaError_t queue_go_on(void);

/* Lets tasks go on until each has ended or waits in vain, because the host may wait for them by reading
 * memory. */
void queue_go_on_to_end(void);

/* Makes the host wait for the task and for the tasks that it needs, or for all tasks if `queued` is NULL.
 * Returns cudaErrorLaunchTimeout if kernels wait in vain. */
cudaError_t queue_wait(struct queued *queued);
cudaError_t queue_wait_for_all(void);
/* Waits for the tasks of the chosen device. */
cudaError_t queue_wait_for_device(void);
/* Lets tasks go on, and returns cudaErrorNotReady if the task has not ended. */
cudaError_t queue_query(struct queued *queued);
uint64_t queue_ended_at(const struct queued *queued);

/* Registers a new stream. `waits` means that its tasks and the tasks of the legacy default stream wait for
 * each other. */
void queue_stream_begins(struct machine_stream *stream, bool waits);
/* May tasks of two streams overlap, if the default stream gets one now? */
bool queue_overlaps(void);
struct machine_stream *queue_stream_of(cudaStream_t stream);

#endif
