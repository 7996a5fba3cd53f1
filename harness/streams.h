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

#ifdef __cplusplus
}
#endif

#endif
