/* Streams without queues (machine/cuda/queues.h describes those with queues): a task is complete when the
 * function of the runtime that starts it returns. The exception is a kernel in a stream made with
 * cudaStreamNonBlocking, which has only begun by then. */
#ifndef MACHINE_AT_ONCE_H
#define MACHINE_AT_ONCE_H

#include "machine/cuda/tasks.h"

/* Waits for the stream's kernel, or for all kernels if `stream` is NULL. Counts the time until then as
 * time of kernels. */
cudaError_t stream_wait(const struct machine_stream *stream);

/* Does what cudaDeviceSynchronize() does, without a look at hangs (machine/cuda/hangs.h). */
cudaError_t device_wait(void);

/* Returns the stream itself, or the default stream if `stream` is NULL or the number of one. */
struct machine_stream *stream_or_default(cudaStream_t stream);

/* Launches a kernel after `cost` time units. */
cudaError_t at_once_launch(const struct machine_launch *launch, struct machine_stream *stream, int cost);
/* Spends the time of the copy's bytes between the host and a device (launch_copy()). */
void at_once_spend_copy(const struct machine_copy *copy);
/* Does a task that is no kernel. */
cudaError_t at_once_do(const struct task *task, struct machine_stream *stream);

#endif
