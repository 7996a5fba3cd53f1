/*
 * The lock unit of Fermi's shared memory (Li 2015, section 3 and Figure 1): lock bits apart from the memory.
 * Words whose addresses differ by a multiple of lock_bits words share one bit. LDSLK loads a word and tries
 * its bit in one access; STSUL stores a word and frees its bit, whichever thread holds it. All blocks of a
 * multiprocessor share the bits.
 */
#ifndef MACHINE_LOCK_UNIT_H
#define MACHINE_LOCK_UNIT_H

#include "machine/state.h"

/* The number of the word at the address in its multiprocessor's shared memory, and its lock bit. */
size_t lock_word(const struct block *block, uintptr_t address);
struct lock_bit *lock_bit_of(const struct block *block, uintptr_t address);

/* Takes the word's bit for the thread. Returns false if a thread has it already. */
bool lock_try(struct block *block, unsigned thread, uintptr_t address);
void lock_release(struct block *block, uintptr_t address);

#endif
