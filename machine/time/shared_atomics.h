/* The time of atomics on shared memory, on a machine that knows how the lanes of a warp take turns there
 * (shared_atomic_lane). */
#ifndef MACHINE_SHARED_ATOMICS_H
#define MACHINE_SHARED_ATOMICS_H

#include "machine/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets the times at which the group's atomics on shared memory take effect (struct group, `parts`), and the
 * time at which all are complete. The atomics are dispatched now. */
void shared_atomics_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now);

/* Returns whether the lanes wait for the atomic although nothing uses its result, because it is a loop. */
bool shared_atomics_loop(const struct warp *warp, lane_set lanes);

/* For each address, or for each unit of the L2 cache that does atomics: the time from which it can serve the
 * next atomic. */

/* Called before a launch: forgets all addresses. */
void atomic_queue_forget(void);

/* Has an atomic of this launch changed the word? */
bool atomic_queue_has(uintptr_t address);

/* Returns the time at which the address is free, in thousandths of a time unit. The caller raises it by the
 * time that its atomic takes. The pointer is valid until the next call. */
uint64_t *atomic_queue_free_at(uintptr_t address);

/* Returns the queue's key for an atomic on this address. Atomics with equal keys are served one after
 * another: the key stands for the address itself, or for a unit of the L2 cache. */
uintptr_t atomic_queue_server(uintptr_t address);

#endif
