/* Side streams for work that may overlap. Their work begins after all work that harness_stream() got before
 * fork_streams, and ends before the work that it gets after join_streams. And the option --early, by which
 * the work of a run may overlap with the run before. */
#ifndef HARNESS_STREAMS_H
#define HARNESS_STREAMS_H

#include "harness/platform.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIDE_STREAMS = 4 };

/* Returns the side stream with this number; it is valid between fork_streams and join_streams. */
cudaStream_t side_stream(int number);

/* Makes work that is enqueued later on the side streams begin after the work that harness_stream() has
 * now. */
void fork_streams(void);

/* Makes work that is enqueued later on harness_stream() begin after the work that the side streams have
 * now. */
void join_streams(void);

/* The option --early: if a run is a single kernel of the suite, it may begin while the run before it ends, by
 * programmatic dependent launch. The experiment launches the kernel with programmatic = runs_begin_early(),
 * and the kernel calls begin_early() before it touches memory. */

bool runs_begin_early(void);
void begin_runs_early(bool early);

#ifdef __cplusplus
}
#endif

#endif
