/*
 * Decides which kernel's blocks begin on a multiprocessor that has room. A multiprocessor takes blocks of
 * several kernels within its limits on threads, shared memory, registers and blocks, as the occupancy
 * calculator counts them for one kernel. A kernel whose stream has a higher priority comes first; among
 * equal priorities, the kernel that was launched first.
 */
#ifndef MACHINE_PLACES_H
#define MACHINE_PLACES_H

#include "machine/state.h"

/* Returns whether the kernel has begun and has blocks left that belong to the multiprocessor's device. */
bool places_wanted(const struct kernel *kernel, const struct sm *sm);

/* Returns how many more blocks of the kernel the multiprocessor can take in addition to its present
 * blocks. */
size_t places_free(const struct sm *sm, const struct kernel *kernel);

/* Returns the first kernel that has begun and has blocks left, one of which fits on the multiprocessor,
 * or NULL if there is none. */
struct kernel *places_next(struct run *run, const struct sm *sm);

/* Returns the first kernel that has not begun and may begin, or NULL. A cooperative kernel may begin only
 * if there are places for all its blocks. */
struct kernel *places_next_to_begin(struct run *run);

#endif
