#include "machine/time/atomic_queue.h"
#include "machine/memory/arrays.h"
#include "machine/state.h"

/* A hash table with open addressing: for each address, the time at which the next atomic on it can begin. It
 * is emptied at every launch. */
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

uintptr_t atomic_queue_server(uintptr_t address)
{
    const struct machine_description *d = &the_machine.description;
    if (!d->atomic_units)
        return address;
    uintptr_t bytes = (uintptr_t)d->atomic_unit_lines * (uintptr_t)d->global_width * 4,
              lines = array_fixed_address(address) / bytes;
    /* Neighbouring lines belong to different units. After each round of all units, the assignment shifts by 7
     * units. */
    uintptr_t units = (uintptr_t)d->atomic_units, unit = (lines + lines / units * 7) % units;
    /* the result is not 0, and is a multiple of 4, because slot_of() drops the lowest two bits */
    return (unit + 1) * 4;
}
