#include "machine/memory/lock_unit.h"
#include "machine/memory/shared_memory.h"

size_t lock_word(const struct block *block, uintptr_t address)
{
    return (block->place * block->kernel->launch.shared_bytes + shared_memory_offset(block, address)) / 4;
}

struct lock_bit *lock_bit_of(const struct block *block, uintptr_t address)
{
    size_t bits = (size_t)the_machine.description.lock_bits;
    return &block->sm->locks[lock_word(block, address) % bits];
}

bool lock_try(struct block *block, unsigned thread, uintptr_t address)
{
    struct lock_bit *bit = lock_bit_of(block, address);
    if (!bit->used) {
        bit->used = true;
        if (++block->sm->locks_used > the_machine.counters.lock_bits)
            the_machine.counters.lock_bits = block->sm->locks_used;
    }
    if (bit->taken)
        return false;
    bit->taken = true;
    bit->turns++;
    bit->block = block->index;
    bit->thread = thread;
    bit->word = lock_word(block, address);
    return true;
}

void lock_release(struct block *block, uintptr_t address)
{
    lock_bit_of(block, address)->taken = false;
}
