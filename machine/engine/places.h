/*
 * Which kernel's blocks start where there is room. A multiprocessor takes blocks of several kernels within
 * its limits on threads, shared memory and blocks, as the occupancy calculator counts them for one kernel.
 * The kernel whose stream has the higher priority comes first, then the kernel that was launched first.
 */
#ifndef MACHINE_PLACES_H
#define MACHINE_PLACES_H

#include "machine/state.h"

/* Has the kernel begun, and does it have blocks left that belong to the multiprocessor's device? */
bool places_wanted(const struct kernel *kernel, const struct sm *sm);

/* How many blocks of the kernel the multiprocessor can take in addition to its present blocks. */
size_t places_free(const struct sm *sm, const struct kernel *kernel);

/* The first kernel that has begun, has blocks left and fits on the multiprocessor, or NULL if there is
 * none. */
struct kernel *places_next(struct run *run, const struct sm *sm);

/* The first kernel that has not begun and may begin, or NULL. A cooperative kernel needs places for all
 * its blocks. */
struct kernel *places_next_to_begin(struct run *run);

#endif
