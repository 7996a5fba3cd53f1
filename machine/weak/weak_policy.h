/*
 * What an access gets, of all that PTX allows (machine/weak/memory_model.h): the policy of the machine's
 * memory chooses for the running lane. The oldest; any, by chance; or the newest, but for what the
 * first-level cache of the lane's multiprocessor still has, which is told here what is accessed.
 *
 * Places in memory are given by home (machine/weak/cells.h).
 */
#ifndef MACHINE_WEAK_POLICY_H
#define MACHINE_WEAK_POLICY_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* Before and after a launch on a weak machine. */
void weak_policy_launch_begins(const struct kernel *kernel);
void weak_policy_launch_ends(void);

/* ---- which ---- */

/* The position of the message that a load gets. A strong one gets the newest now and then under every
 * policy, so that who polls comes on. */
unsigned weak_choose_for_load(const struct history *history, struct strength strength);

/* Of what an atomic reads: the newest; or, of too narrow a scope to see others' writes, an older one:
 * then theirs are lost. */
unsigned weak_choose_for_atomic(const struct history *history, enum machine_scope scope);

/* Where the message of a store goes: the end, or now and then any place that PTX leaves open. */
unsigned weak_choose_for_store(const struct history *history, enum machine_scope scope);

/* Does a weak load of this word, whose newest value it need not get, get the one before? What a cache
 * has may be older still; but the one before is allowed for sure. */
bool weak_chooses_previous(uintptr_t home);

/* The same of a byte of a word that is written in parts. */
bool weak_chooses_previous_byte(void);

/* ---- what the cache has; nothing under the other policies ---- */

void weak_cache_load(uintptr_t word); /* with the value that memory has now */
void weak_cache_store(uintptr_t home);
/* A read or a fence: it empties the cache if it acquires what other blocks wrote. */
void weak_cache_acquire(struct strength strength);

#endif
