/*
 * Weak memory for the kernels of the machine: the accesses and fences of its lanes, each from its beginning
 * to its end. machine/weak/memory_model.h says what PTX allows an access to read, machine/weak/weak_policy.h
 * which of these values it gets.
 *
 * A call comes before an access and does not carry its value. So if a load is to see an older value, the
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

/* ---- called by the running lane, on a weak machine only ---- */

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);

/* weak_atomic_begins() is called before an atomic reads and writes memory, weak_atomic_ends() after it.
 * `wrote` is false for a compare-and-swap that did not write. */
void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction);
void weak_atomic_ends(bool wrote);

/* Completes the last access: called when a lane has stopped, or when a copy has made an access. */
void weak_access_ends(void);

/* Does a fence of the running lane, or the acquire part of an acquiring load. */
void weak_fence(struct strength strength);

#endif
