/*
 * The lock unit of Fermi's shared memory (Li 2015, section 3 and Figure 1), whose lock bits are not part of
 * the memory. Words whose addresses differ by a multiple of lock_bits words share one bit. LDSLK loads a word
 * and tries its bit in one access; STSUL stores a word and frees its bit, whichever thread holds it. All
 * blocks of a multiprocessor share the bits.
 */
#ifndef MACHINE_LOCK_UNIT_H
#define MACHINE_LOCK_UNIT_H

#include "machine/state.h"

/* A lock bit. */
struct lock_bit {
    bool taken;             /* does a thread hold the bit? */
    bool used;              /* has any thread ever tried to take the bit? */
    uint64_t turns;         /* number of times that the bit has been taken */
    unsigned block, thread; /* the thread that took the bit last */
    size_t word;            /* the word through which the thread took the bit */
};

/* lock_word() returns the number of the word at this address in the multiprocessor's shared memory;
 * lock_bit_of() returns its lock bit. */
size_t lock_word(const struct block *block, uintptr_t address);
struct lock_bit *lock_bit_of(const struct block *block, uintptr_t address);

/* Takes the word's lock bit for the thread. Returns false if any thread holds the bit already. */
bool lock_try(struct block *block, unsigned thread, uintptr_t address);
void lock_release(struct block *block, uintptr_t address);

#endif
