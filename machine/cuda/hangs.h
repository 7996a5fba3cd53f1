/*
 * Kernels that never end, in streams without queues (machine/cuda/at_once.h). There a kernel runs before the
 * host goes on, so a deadlock of the kernel alone does not prove that it never ends: on a GPU, the host or
 * another stream may later write what it polls. It is a hang if the host waits for the kernel and until then
 * no other stream has got a task and the host has not written to memory that it shares with kernels.
 */
#ifndef MACHINE_HANGS_H
#define MACHINE_HANGS_H

#include "machine/state.h"

/* Called after a deadlock of kernels for which a task of the stream, or the host, waits. Returns the error of
 * the function of the runtime: none if hangs are watched, because on a GPU this function does not wait. */
cudaError_t hang_suspected(const struct machine_stream *stream);

/* Called before the stream does a task, and after it with the task's error. hang_task_ends() returns this
 * error, or that of a kernel that waited in vain and of which it is known now that it is no hang. */
void hang_task_begins(const struct machine_stream *stream);
cudaError_t hang_task_ends(cudaError_t error);

void hang_stream_ends(const struct machine_stream *stream);

/* Called when the host waits for the work that the stream, or each stream if it is NULL, was given up to this
 * time. Does not return if this is a hang; returns the error of a kernel that waited in vain and is none. */
cudaError_t hang_host_waits(const struct machine_stream *stream, uint64_t until);

#endif
