/*
 * Weak memory for the kernels of the machine: the accesses and fences of its lanes, each from its beginning
 * to its end. machine/weak/memory_model.h says what PTX allows an access to read, machine/weak/weak_policy.h
 * which of these values it gets.
 *
 * A hook comes before an access and does not carry its value. So if a load is to see an older value, the
 * machine plants that value in memory, and restores the newest value when the lane stops next; then it also
 * reads back what a store wrote. No lane runs between two stops of another lane, so no other lane sees the
 * planted value.
 *
 * Reads of a word that is accessed in different sizes get the newest value.
 */
#ifndef MACHINE_WEAK_MEMORY_H
#define MACHINE_WEAK_MEMORY_H

#include "machine/weak/memory_model.h"

#include <stddef.h>

/* Called before and after a launch; no effect on a coherent machine. */
void weak_launch_begins(void);
void weak_launch_ends(void);

/* The host waits for the device, or copies: a launch behind that does not depend on the one before. */
void weak_host_waits(void);

/* ---- in the running lane, whose turn it is; on a weak machine only ---- */

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);

/* Called around an atomic's reading and writing of memory; `wrote`: a compare-and-swap
 * may not have written. */
void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_atomic_ends(bool wrote);

/* The last access is complete: a lane has stopped, or a copy goes on. */
void weak_access_ends(void);

/* A fence, and the acquire that follows an acquiring load. */
void weak_fence(struct strength strength);

#endif
