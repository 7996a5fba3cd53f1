/* Several streams, for what may overlap: all of it begins after what harness_stream() has and ends before what it
 * gets next. */
#ifndef HARNESS_STREAMS_H
#define HARNESS_STREAMS_H

#include "harness/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIDE_STREAMS = 4 };

/* From fork_streams to join_streams: one of them. */
cudaStream_t side_stream(int number);

void fork_streams(void);
void join_streams(void);

/* Stores the value on the device when all that the stream got before is done, behind a fence: a kernel that runs already
 * and loads it by load_relaxed_system, then fence_acquire_system, finds what was copied before. (CUDA Driver API,
 * cuStreamWriteValue32) */
void stream_write(cudaStream_t stream, unsigned *to, unsigned value);

#ifdef __cplusplus
}
#endif

#endif
