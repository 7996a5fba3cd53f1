/*
 * Which kernel's blocks come in where there is room. A multiprocessor takes blocks of several kernels as long as their
 * threads, shared memory and number are not too many, as the occupancy calculator counts for one; the kernel whose
 * stream has the higher priority is first, then the one that was launched first.
 */
#ifndef MACHINE_PLACES_H
#define MACHINE_PLACES_H

#include "machine/state.h"

/* Has the kernel begun, and blocks left of those that the multiprocessor's device has? */
bool places_wanted(const struct kernel *kernel, const struct sm *sm);

/* How many blocks of the kernel the multiprocessor can take beside those that it has. */
size_t places_free(const struct sm *sm, const struct kernel *kernel);

/* Of the kernels that have begun and have blocks left, the first that finds a place there; NULL: none. */
struct kernel *places_next(struct run *run, const struct sm *sm);

/* The first of those that have not begun and may: a cooperative one needs places for all its blocks at once. */
struct kernel *places_next_to_begin(struct run *run);

#endif
