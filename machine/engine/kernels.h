/* The kernels of a run, which are made from the host's launches. */
#ifndef MACHINE_KERNELS_H
#define MACHINE_KERNELS_H

#include "machine/state.h"

/* Makes a kernel from the launch and reads the kernel's code. Opens a run for the kernel, unless a run of
 * overlapping kernels is open. `order` is the launch's place among the tasks of all streams, or NULL if
 * streams are no queues (machine/cuda/queues.h); it must live until the kernel is added. */
struct kernel kernels_prepare(struct run *run, const struct machine_launch *launch,
                              const struct machine_stream *stream, const struct task_order *order);

/* Adds the prepared kernel to the run. The kernel's blocks may begin from now on. */
struct kernel *kernels_add(struct run *run, const struct kernel *prepared);

/* Returns the kernel in progress of the stream, or of any stream if `stream` is NULL. Returns NULL if
 * there is none. */
struct kernel *kernels_of(struct run *run, const struct machine_stream *stream);

#endif
