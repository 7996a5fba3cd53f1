/* Streams without queues (machine/cuda/queues.h describes queues): a task is complete when the function of
 * the runtime that starts it returns. The exception is a kernel in a stream made with cudaStreamNonBlocking,
 * which has only begun when the function returns. */
#ifndef MACHINE_AT_ONCE_H
#define MACHINE_AT_ONCE_H

#include "machine/cuda/tasks.h"

/* Waits for the stream's kernel, or for all kernels if `stream` is NULL. Counts the time until then as
 * time of kernels. */
cudaError_t stream_wait(const struct machine_stream *stream);

/* Waits like cudaDeviceSynchronize(), without a check for hangs (below). */
cudaError_t device_wait(void);

/* Returns `stream`, or the default stream if `stream` is NULL or one of CUDA's numbers for default
 * streams. */
struct machine_stream *stream_or_default(cudaStream_t stream);

/* Waits for the stream's kernel, lets `cost` time units pass and launches the kernel. Waits for its end, too,
 * unless kernels of the stream overlap with the host. */
cudaError_t at_once_launch(const struct machine_launch *launch, struct machine_stream *stream, int cost);
/* Does a task that is not a kernel. */
cudaError_t at_once_do(const struct task *task, struct machine_stream *stream);

/*
 * Kernels that never end. In these streams a kernel runs before the host goes on, so a deadlock of the kernel
 * alone does not prove that it never ends: on a GPU, the host or another stream may later write what it
 * polls. It is a hang if the host waits for the kernel and until then no other stream has got a task and the
 * host has not written to memory that it shares with kernels.
 */

/* Called after a deadlock of kernels for which the host or a task of the stream waits. Returns the error for
 * the host's call: cudaSuccess if hangs are watched, because on a GPU this call does not wait for the
 * kernels. */
cudaError_t hang_suspected(const struct machine_stream *stream);

/* Called before the stream does a task, and after it with the task's error. hang_task_ends() returns this
 * error, or else the error of a kernel that waited in vain and turned out not to hang. */
void hang_task_begins(const struct machine_stream *stream);
cudaError_t hang_task_ends(cudaError_t error);

void hang_stream_ends(const struct machine_stream *stream);

/* Called when the host waits for the work that the stream, or each stream if it is NULL, was given up to this
 * time. Does not return if a kernel hangs. Returns the error of a kernel that waited in vain but does
 * not hang. */
cudaError_t hang_host_waits(const struct machine_stream *stream, uint64_t until);

#endif
