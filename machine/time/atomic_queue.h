/* The times from which atomics can be served: a time for each address or, if the machine has units that do
 * atomics in its L2 cache, a time for each unit. */
#ifndef MACHINE_ATOMIC_QUEUE_H
#define MACHINE_ATOMIC_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

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
