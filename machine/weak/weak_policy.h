/*
 * Which value an access gets, of all that PTX allows (machine/weak/memory_model.h): the policy of the
 * machine's memory chooses for the running lane. The policies are: the oldest value; a random one; or the
 * newest, except for lines that the first-level cache of the lane's multiprocessor still has. The cache is
 * told here which words are accessed.
 *
 * Places in memory are given by home (machine/weak/cells.h).
 */
#ifndef MACHINE_WEAK_POLICY_H
#define MACHINE_WEAK_POLICY_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* Begin and end a launch on a weak machine. */
void weak_policy_launch_begins(const struct kernel *kernel);
void weak_policy_launch_ends(void);

/* ---- choices ---- */

/* Returns the position of the message that a load gets. Under every policy a strong load gets the newest
 * message now and then, so that a polling thread makes progress. */
unsigned weak_choose_for_load(const struct history *history, struct strength strength);

/* Returns the position of the message that an atomic reads: the newest; or, if its scope is too narrow to see
 * the writes of other threads, an older one, so that those writes are lost. */
unsigned weak_choose_for_atomic(const struct history *history, enum machine_scope scope);

/* Returns the position of a store's message: the end, or now and then any position that PTX allows. */
unsigned weak_choose_for_store(const struct history *history, enum machine_scope scope);

/* Returns whether a weak load of this word, which need not get the newest value, gets the value before it. A
 * cache may have an even older value, but the value before the newest is certainly allowed. */
bool weak_chooses_previous(uintptr_t home);

/* Makes the same choice for a byte of a word that is written in parts. */
bool weak_chooses_previous_byte(void);

/* ---- the content of the cache; these functions do nothing under the other policies ---- */

void weak_cache_load(uintptr_t word); /* the cache gets the value that memory has now */
void weak_cache_store(uintptr_t home);
/* Tells the cache of a read or a fence, which empties the cache if it acquires what other blocks wrote. */
void weak_cache_acquire(struct strength strength);

#endif
