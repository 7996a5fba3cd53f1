/* Side streams for work that may overlap. Their work begins after all work that harness_stream() got before
 * fork_streams, and ends before the work that it gets after join_streams. */
#ifndef HARNESS_STREAMS_H
#define HARNESS_STREAMS_H

#include "harness/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SIDE_STREAMS = 4 };

/* Returns the side stream with this number; it is valid between fork_streams and join_streams. */
cudaStream_t side_stream(int number);

/* Lets the side streams begin after the present work of harness_stream(). */
void fork_streams(void);

/* Lets harness_stream() wait for the side streams. */
void join_streams(void);

#ifdef __cplusplus
}
#endif

#endif
