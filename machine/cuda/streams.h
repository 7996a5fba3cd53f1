/* Streams and events. */
#ifndef MACHINE_STREAMS_H
#define MACHINE_STREAMS_H

#include "machine/cuda/tasks.h"

/* Waits for the stream's kernel, or for all kernels if `stream` is NULL. Counts the time until then as
 * time of kernels. */
cudaError_t stream_wait(const struct machine_stream *stream);

/* Returns the stream itself, or the default stream if `stream` is NULL or the number of one. */
struct machine_stream *stream_or_default(cudaStream_t stream);

/* Gives the stream a task, which is copied: it is captured, queued, or done at once. */
cudaError_t stream_give(cudaStream_t stream, const struct task *task);

/* Do a task at once, as streams do that are no queues: stream_run_after() launches a kernel after `cost` time units,
 * stream_do() does any other task. */
cudaError_t stream_run_after(const struct machine_launch *launch, struct machine_stream *stream, int cost);
cudaError_t stream_do(const struct task *task, struct machine_stream *stream);

/* Notes that the event's last record is this task. */
struct queued;
void event_set(cudaEvent_t event, struct queued *record);

#endif
