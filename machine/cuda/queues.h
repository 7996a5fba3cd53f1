/*
 * Streams as queues (gpusync-check): a task begins when the tasks before it have ended, in its stream and
 * after the events that it waits for. Tasks of different streams overlap, and the host goes on meanwhile.
 * How far the tasks come before the host waits for them is drawn by chance. On other machines
 * (machine/cuda/streams.c) a task is done when the host asks for it.
 */
#ifndef MACHINE_QUEUES_H
#define MACHINE_QUEUES_H

#include "machine/cuda/tasks.h"

/* Are streams queues? */
extern bool queues_are_on;

struct queued;

/* Adds a task to the stream (NULL: the default stream), which takes over what the task owns. */
cudaError_t queue_add(struct machine_stream *stream, struct task *task);

/* Adds a task with the stream's place in the order, after these tasks, of which none may be NULL. It is no
 * part of the stream. `line` says where it stands in the order of tasks (machine/weak/clocks.h). The
 * caller owns a reference. */
struct queued *queue_add_after(struct machine_stream *stream, struct task *task, struct queued *const *needs,
                               size_t count, unsigned line);
/* Adds an empty task to the stream, after these tasks. */
void queue_join(struct machine_stream *stream, struct queued *const *needs, size_t count);
/* The last task of a stream, or NULL; the stream owns the reference. */
struct queued *queue_last(struct machine_stream *stream);
/* Adds an empty task that comes after all that the stream's next task would come after. The caller owns the
 * reference. */
struct queued *queue_begin(struct machine_stream *stream);
void queue_drop(struct queued *queued);
struct queued *queue_keep(struct queued *queued);
/* Makes a line for a branch of a graph, whose tasks overlap with those of other branches. */
unsigned queue_new_line(void);
unsigned queue_line_of(const struct machine_stream *stream);

/* Lets tasks go on as far as chance has it. To be called after tasks were added. Returns
 * cudaErrorLaunchTimeout after a deadlock. */
cudaError_t queue_go_on(void);

/* Lets tasks go on until all have ended or wait in vain: the host may wait for them by reading memory. */
void queue_go_on_to_end(void);

/* The host waits for the task and those before it, or for all tasks if `queued` is NULL. Returns
 * cudaErrorLaunchTimeout if kernels wait in vain. */
cudaError_t queue_wait(struct queued *queued);
cudaError_t queue_wait_for_all(void);
/* Lets tasks go on, and returns cudaErrorNotReady if the task has not ended. */
cudaError_t queue_query(struct queued *queued);
uint64_t queue_ended_at(const struct queued *queued);

/* A new stream; `waits` says whether its tasks and those of the legacy default stream wait for each other. */
void queue_stream_begins(struct machine_stream *stream, bool waits);
struct machine_stream *queue_stream_of(cudaStream_t stream);

#endif
