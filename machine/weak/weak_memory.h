/*
 * Weak memory for the kernels of the machine: the accesses and fences of its lanes, each from its
 * beginning to its end. machine/weak/memory_model.h says what PTX allows an access to read,
 * machine/weak/weak_policy.h which of that it gets.
 *
 * The hooks come before an access and do not carry its value. So a load that is to see an older
 * value finds it planted in memory, and the newest is put back when the lane stops next; what a
 * store wrote is read back there too. No lane runs between two stops of another, so nobody else
 * sees the planted value.
 *
 * Where a word is accessed in different sizes, reads get the newest value.
 */
#ifndef MACHINE_WEAK_MEMORY_H
#define MACHINE_WEAK_MEMORY_H

#include "machine/weak/memory_model.h"

#include <stddef.h>

/* Before and after a launch; nothing on a coherent machine. */
void weak_launch_begins(void);
void weak_launch_ends(void);

/* ---- in the running lane, whose turn it is; on a weak machine only ---- */

/* To be called whenever the lane stops: the access that it did last is complete. */
void weak_finish_access(void);

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);

/* Around an atomic's reading and writing of memory; `wrote`: a compare-and-swap may not. */
void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_atomic_ends(bool wrote);

/* A fence, and the acquire that follows a load that has one. */
void weak_fence(struct strength strength);

#endif
