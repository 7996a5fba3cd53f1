#include "machine/time/atomic_queue.h"

/* A hash table with open addressing, emptied at every launch. */
#define ATOMIC_SLOTS 65536u
static struct {
    uintptr_t address;
    uint64_t free_at;
} queue[ATOMIC_SLOTS];
static unsigned used[ATOMIC_SLOTS], used_count;

void atomic_queue_forget(void)
{
    for (unsigned i = 0; i < used_count; i++)
        queue[used[i]].address = 0;
    used_count = 0;
}

/* Returns the slot that has the address, or the free slot in which it belongs. */
static unsigned slot_of(uintptr_t address)
{
    unsigned slot = (unsigned)((address >> 2) * 2654435761u) % ATOMIC_SLOTS;
    while (queue[slot].address && queue[slot].address != address)
        slot = (slot + 1) % ATOMIC_SLOTS;
    return slot;
}

bool atomic_queue_has(uintptr_t address)
{
    return queue[slot_of(address)].address != 0;
}

uint64_t *atomic_queue_free_at(uintptr_t address)
{
    unsigned slot = slot_of(address);
    if (!queue[slot].address) {
        if (used_count == ATOMIC_SLOTS / 2)
            return atomic_queue_forget(), atomic_queue_free_at(address);
        queue[slot].address = address;
        queue[slot].free_at = 0;
        used[used_count++] = slot;
    }
    return &queue[slot].free_at;
}
