/* Functions with which the host waits until the kernels of a stream have ended. */
#ifndef MACHINE_STREAMS_H
#define MACHINE_STREAMS_H

#include "machine/state.h"

/* Waits for the stream's kernel, or for all kernels if `stream` is NULL. Counts the time until then as
 * time of kernels. */
cudaError_t stream_wait(const struct machine_stream *stream);

/* Returns the stream itself, or the default stream if `stream` is NULL. */
const struct machine_stream *stream_or_default(cudaStream_t stream);

#endif
