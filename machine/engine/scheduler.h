/* The event loop, which runs kernels. */
#ifndef MACHINE_SCHEDULER_H
#define MACHINE_SCHEDULER_H

#include "machine/state.h"

/* Starts a kernel now, by the machine's clock. The stream has no other kernel in progress, and the launch
 * has been checked. */
void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream);

/* Runs until the stream's kernel has ended, or until every kernel has if `stream` is NULL, and advances
 * the machine's clock to this time. Returns cudaErrorLaunchTimeout after a deadlock; then no kernel is
 * left. */
cudaError_t scheduler_wait(const struct machine_stream *stream);

#endif
