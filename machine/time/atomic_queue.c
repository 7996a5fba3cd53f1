#include "machine/time/atomic_queue.h"
#include "base/map.h"
#include "machine/memory/arrays.h"
#include "machine/state.h"

/* the largest number of words that are kept; when it is reached, all are forgotten */
#define MOST_WORDS 32768

struct queued {
    uintptr_t address;
    uint64_t free_at; /* the time at which the next atomic on the address can begin */
};
static struct map queue = MAP(struct queued, address);

void atomic_queue_forget(void)
{
    map_clear(&queue);
}

bool atomic_queue_has(uintptr_t address)
{
    return map_find(&queue, &address);
}

uint64_t *atomic_queue_free_at(uintptr_t address)
{
    struct queued *queued = map_find(&queue, &address);
    if (!queued && queue.count == MOST_WORDS)
        atomic_queue_forget();
    if (!queued)
        queued = map_get(&queue, &address);
    return &queued->free_at;
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
    return unit;
}
