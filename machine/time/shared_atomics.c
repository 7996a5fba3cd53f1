#include "machine/time/shared_atomics.h"
#include "machine/memory/arrays.h"
#include "machine/memory/shared_memory.h"
#include "machine/state.h"

bool shared_atomics_loop(const struct warp *warp, lane_set lanes)
{
    unsigned first = first_lane(lanes);
    return the_machine.description.shared_loop_lane && warp->lanes[first].way == ATOMIC_LOOPS &&
           shared_memory_has(address_of_lane(warp, first));
}

/*
 * Sets turns[lane] to the number of lanes that the lane waits for. Lanes whose words are in one bank take
 * turns. Lanes that change the same word take turns, too, unless they count: the hardware adds the number of
 * lanes to the word at once. Returns the number of turns.
 */
static unsigned take_turns(const struct warp *warp, lane_set lanes, unsigned turns[MACHINE_MAX_WARP])
{
    const struct lane *first = &warp->lanes[first_lane(lanes)];
    uintptr_t bytes = first->bytes > 4 ? first->bytes : 4,
              banks = (uintptr_t)the_machine.description.shared_banks * 4 / bytes;
    unsigned load[MACHINE_MAX_WARP] = {0}, most = 0;
    FOR_EACH_LANE(i, lanes)
    {
        uintptr_t word = address_of_lane(warp, i) / bytes, bank = word % (banks ? banks : 1);
        bool counted = false;
        if (first->way == ATOMIC_COUNTS)
            FOR_EACH_LANE(j, lanes & (LANE(i) - 1))
        if (address_of_lane(warp, j) / bytes == word) {
            turns[i] = turns[j];
            counted = true;
        }
        if (!counted)
            turns[i] = load[bank]++;
        most = turns[i] > most ? turns[i] : most;
    }
    return most + 1;
}

/* Charges an atomic that is one instruction. Each turn takes the warp the time `lane`, and the pipeline of
 * the shared memory the time `serial`. */
static void charge_turns(struct sm *sm, struct warp *warp, struct group *group, uint64_t now, uint64_t lane,
                         uint64_t serial)
{
    unsigned turns[MACHINE_MAX_WARP];
    uint64_t count = take_turns(warp, group->lanes, turns), start = now;
    if (sm->shared_slot > start)
        start = sm->shared_slot;
    if (warp->shared_atomics_at > start)
        start = warp->shared_atomics_at;
    /* a warp issues its next instruction for all lanes at once, so they go on together after the last turn */
    group->effect_at = start + (count - 1) * lane;
    warp->shared_atomics_at = start + count * lane;
    sm->shared_slot = start + count * serial;
    the_machine.counters.bank_conflicts += count - 1;
    group->complete_at = start + (count - 1) * lane + (uint64_t)the_machine.description.shared_atomic_latency;
}

/* Charges an atomic that is a loop around a compare-and-swap. In each iteration one lane of those that change
 * the same word succeeds. Loops of different warps on one word overlap in part. */
static void charge_loops(struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    bool is_wide = warp->lanes[first_lane(group->lanes)].bytes > 4;
    uint64_t lane =
                 (uint64_t)(is_wide && d->shared_loop_64_lane ? d->shared_loop_64_lane : d->shared_loop_lane),
             serial = (uint64_t)d->shared_loop_serial;
    group->complete_at = now;
    group->parts = true;
    FOR_EACH_LANE(i, group->lanes)
    {
        uint64_t *free_at = atomic_queue_free_at(shared_memory_word(warp->block, address_of_lane(warp, i))),
                 start = now;
        if (*free_at > start * 1000)
            start = *free_at / 1000;
        *free_at = (start + serial) * 1000;
        FOR_EACH_LANE(j, group->lanes & (LANE(i) - 1))
        if (address_of_lane(warp, j) == address_of_lane(warp, i) && warp->more[j].effect_at + lane > start)
            start = warp->more[j].effect_at + lane;
        warp->more[i].effect_at = start;
        if (start + lane > group->complete_at)
            group->complete_at = start + lane;
    }
}

/* Lanes that use one mbarrier are served together; cost.c adds the time between different mbarriers. */
static void charge_mbarriers(struct group *group, uint64_t now)
{
    group->effect_at = now;
    group->complete_at = now + (uint64_t)the_machine.description.shared_atomic_latency;
}

void shared_atomics_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    const struct lane *first = &warp->lanes[first_lane(group->lanes)];
    if (first->of_mbarrier)
        charge_mbarriers(group, now);
    else if (shared_atomics_loop(warp, group->lanes))
        charge_loops(warp, group, now);
    else if (first->way == ATOMIC_SWAPS && d->shared_swap_lane)
        charge_turns(sm, warp, group, now, (uint64_t)d->shared_swap_lane, (uint64_t)d->shared_swap_serial);
    else
        charge_turns(sm, warp, group, now, (uint64_t)d->shared_atomic_lane,
                     (uint64_t)d->shared_atomic_serial);
}

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
