/* The kernels of a run: what the host's launches become. */
#ifndef MACHINE_KERNELS_H
#define MACHINE_KERNELS_H

#include "machine/state.h"

/* Makes a kernel of the launch, whose code has been read then, and opens a run for it unless one is open
 * for kernels that overlap. */
struct kernel kernels_prepare(struct run *run, const struct machine_launch *launch,
                              const struct machine_stream *stream);

/* Puts the prepared kernel into the run; its blocks may begin from now on. */
struct kernel *kernels_add(struct run *run, const struct kernel *prepared);

/* The kernel that the stream has in progress, or NULL if it has none. If `stream` is NULL, any stream's. */
struct kernel *kernels_of(struct run *run, const struct machine_stream *stream);

#endif
