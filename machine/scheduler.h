/* The event loop: which lanes go on when. */
#ifndef MACHINE_SCHEDULER_H
#define MACHINE_SCHEDULER_H

#include "machine/state.h"

/* Runs one kernel to its end and moves the machine's clock there. The launch was checked. */
cudaError_t scheduler_run(const struct machine_launch *launch);

#endif
