/* The event loop, in which kernels run. */
#ifndef MACHINE_SCHEDULER_H
#define MACHINE_SCHEDULER_H

#include "machine/state.h"

/* Starts a kernel at the machine's present time. The caller has checked the launch, and the stream has no
 * kernel in progress. */
void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream);

/* Runs until the stream's kernel has ended, or all kernels have if `stream` is NULL, and advances the
 * machine's clock to this time. Returns cudaErrorLaunchTimeout after a deadlock, which ends all kernels. */
cudaError_t scheduler_wait(const struct machine_stream *stream);

#endif
