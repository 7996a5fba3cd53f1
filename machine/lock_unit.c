/*
 * The lock unit of Fermi's shared memory (Li 2015, section 3 and Figure 1): lock bits apart from the memory,
 * each for all words whose addresses are a stride of lock_bits apart. LDSLK loads a word and tries its bit in
 * one access; STSUL stores a word and frees its bit, whoever holds it. All blocks of a multiprocessor share
 * the bits.
 */
#include "machine/state.h"

/* The word's place in its multiprocessor's shared memory. */
size_t lock_word(const struct lane *lane, uintptr_t address)
{
    return (lane->warp->block->place * shared_memory_bytes() + shared_memory_offset(address)) / 4;
}

struct lock_bit *lock_bit_of(const struct lane *lane, uintptr_t address)
{
    size_t bits = (size_t)the_machine.description.lock_bits;
    return &lane->warp->block->sm->locks[lock_word(lane, address) % bits];
}

/* Takes the word's bit for the lane; false if somebody has it. */
bool lock_try(struct lane *lane, uintptr_t address)
{
    struct sm *sm = lane->warp->block->sm;
    struct lock_bit *bit = lock_bit_of(lane, address);
    if (!bit->used) {
        bit->used = true;
        if (++sm->locks_used > the_machine.counters.lock_bits)
            the_machine.counters.lock_bits = sm->locks_used;
    }
    if (bit->taken)
        return false;
    bit->taken = true;
    bit->block = lane->warp->block->index;
    bit->thread = lane->thread;
    bit->word = lock_word(lane, address);
    return true;
}

void lock_release(struct lane *lane, uintptr_t address)
{
    lock_bit_of(lane, address)->taken = false;
}
