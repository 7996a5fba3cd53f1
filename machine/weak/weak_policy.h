/*
 * Chooses the value that an access of the running lane gets, among all values that PTX allows
 * (machine/weak/memory_model.h). The memory that the machine is set to has one of three policies: the oldest
 * value; a random value; or the newest value, except for words in lines that the first-level cache of the
 * lane's multiprocessor still holds. The functions below also update this cache. A word is identified by its
 * home (machine/weak/cells.h).
 */
#ifndef MACHINE_WEAK_POLICY_H
#define MACHINE_WEAK_POLICY_H

#include "machine/weak/memory_model.h"
#include "machine/state.h"

/* Called when a launch on a weak machine begins, and when it ends. */
void weak_policy_launch_begins(const struct kernel *kernel);
void weak_policy_launch_ends(void);

/* ---- choices ---- */

/* Returns the position of the message that a load gets. Under every policy, a strong load sometimes gets
 * the newest message, so that a polling thread makes progress. */
unsigned weak_choose_for_load(const struct history *history, struct strength strength);

/* Returns the position of the message that an atomic reads: the newest, or an older one if the atomic's
 * scope does not include the threads that wrote the newer ones. Then these writes are lost. */
unsigned weak_choose_for_atomic(const struct history *history, enum machine_scope scope);

/* Returns the position at which a store's message is inserted: usually the end, sometimes an earlier position
 * that PTX allows. */
unsigned weak_choose_for_store(const struct history *history, enum machine_scope scope);

/* While this is set, each load or store chooses, if PTX allows it, a message that is older than the newest by
 * the same number of messages as the last choice. So the halves of a vector stay together. */
void weak_choices_follow(bool follow);

/* Returns whether a weak load gets the word's previous value instead of its newest one, where PTX allows
 * both. If the cache holds an even older value, the load still gets the previous one, because only this one
 * is known to be allowed. */
bool weak_chooses_previous(uintptr_t home);

/* Makes the choice of weak_chooses_previous() for a byte of a word that is written in parts. */
bool weak_chooses_previous_byte(void);

/* ---- the content of the L1 cache; these functions do nothing under a policy without the cache ---- */

void weak_cache_load(uintptr_t word); /* puts memory's present value of the word into the cache */
void weak_cache_store(uintptr_t home);
/* Tells the cache that the lane makes a read or a fence with this strength. If this acquires what other
 * blocks wrote, the cache is emptied. */
void weak_cache_acquire(struct strength strength);

#endif
