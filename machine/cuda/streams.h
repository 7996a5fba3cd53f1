/* Streams. */
#ifndef MACHINE_STREAMS_H
#define MACHINE_STREAMS_H

#include "machine/cuda/tasks.h"

/* Gives the stream a copy of the task: the task is captured, queued, or done at once. */
cudaError_t stream_give(cudaStream_t stream, const struct task *task);

#endif
