/* The event loop: which lanes continue at which time. */
#ifndef MACHINE_SCHEDULER_H
#define MACHINE_SCHEDULER_H

#include "machine/state.h"

/* Starts a kernel now, by the machine's clock; the stream has no other kernel in progress, and the launch has
 * been checked. */
void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream);

/* Runs until the stream's kernel (NULL: until every kernel) has ended and advances the machine's clock to
 * this time. After a deadlock no kernel is left. */
cudaError_t scheduler_wait(const struct machine_stream *stream);

#endif
