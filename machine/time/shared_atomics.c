#include "machine/time/shared_atomics.h"
#include "machine/memory/shared_memory.h"
#include "machine/time/atomic_queue.h"

bool shared_atomics_loop(const struct warp *warp, lane_set lanes)
{
    unsigned first = first_lane(lanes);
    return the_machine.description.shared_loop_lane && warp->lanes[first].way == ATOMIC_LOOPS &&
           shared_memory_has(warp->addresses[first]);
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
        uintptr_t word = warp->addresses[i] / bytes, bank = word % (banks ? banks : 1);
        bool counted = false;
        if (first->way == ATOMIC_COUNTS)
            FOR_EACH_LANE(j, lanes & (LANE(i) - 1))
        if (warp->addresses[j] / bytes == word) {
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

/* Charges an atomic that is a loop around a compare-and-swap. Of the lanes that change the same word, one
 * succeeds in each iteration. Loops of different warps on one word overlap in part. */
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
        uint64_t *free_at = atomic_queue_free_at(shared_memory_word(warp->block, warp->addresses[i])),
                 start = now;
        if (*free_at > start * 1000)
            start = *free_at / 1000;
        *free_at = (start + serial) * 1000;
        FOR_EACH_LANE(j, group->lanes & (LANE(i) - 1))
        if (warp->addresses[j] == warp->addresses[i] && warp->more[j].effect_at + lane > start)
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
