/*
 * Computes the cost of a request, which the lanes of a warp at the same instruction make together. Global
 * memory is a UMM: one slot of its pipeline for each address group (Nakano 2013, section 2). Shared memory is
 * a DMM: a request takes one slot for each of the words that the busiest bank must serve one after another.
 * With latency l, a request for k slots that gets its first slot at t is complete at t + k - 1 + l.
 * One file because all requests take slots of the same pipelines.
 */
#include "machine/time/cost.h"
#include "machine/memory/arrays.h"
#include "machine/memory/l2_halves.h"
#include "machine/memory/cache_tags.h"
#include "machine/memory/devices.h"
#include "machine/memory/shared_memory.h"
#include "machine/time/shared_atomics.h"
#include "machine/time/atomic_queue.h"
#include "machine/time/work.h"

#include <string.h>

/* The time of the next free slot of each device's memory and L2 cache, and of each link between two devices,
 * in parts of a time unit (PARTS_OF_A_GROUP). */
static uint64_t global_slot[MOST_DEVICES], l2_slot[MOST_DEVICES], link_slot[MOST_DEVICES][MOST_DEVICES];
static uint64_t fence_free_at; /* time at which the next fence may start */

void cost_reset(void)
{
    atomic_queue_forget();
    memset(global_slot, 0, sizeof global_slot);
    memset(l2_slot, 0, sizeof l2_slot);
    memset(link_slot, 0, sizeof link_slot);
    fence_free_at = 0;
}

/* ---- pipeline slots ---- */

#define MOST_UNITS (MACHINE_MAX_WARP * 8)

/* The size of units of memory, for instance words or address groups. If it is a power of two, a shift
 * replaces the division by it. */
struct units {
    uintptr_t bytes;
    int shift; /* binary logarithm of `bytes`; -1 if `bytes` is not a power of two */
};

static struct units units_of(uintptr_t bytes)
{
    return (struct units){bytes, bytes & (bytes - 1) ? -1 : __builtin_ctzll(bytes)};
}

static uintptr_t unit_at(struct units units, uintptr_t address)
{
    return units.shift < 0 ? array_fixed_address(address) / units.bytes : address >> units.shift;
}

/* Converts the number of a unit to a number that is equal in every run of the program. */
static uint64_t fixed_unit(struct units units, uintptr_t unit)
{
    return units.shift < 0 ? unit : array_fixed_address(unit << units.shift) >> units.shift;
}

/* Adds a unit to the units in ascending order, unless it is there. Most requests add each unit at the end, or
 * add again what another lane has added. */
static unsigned add_unit(uintptr_t *touched, unsigned count, uintptr_t unit)
{
    unsigned at = count;
    while (at && touched[at - 1] > unit)
        at--;
    if (at && touched[at - 1] == unit)
        return count;
    memmove(touched + at + 1, touched + at, (count - at) * sizeof *touched);
    touched[at] = unit;
    return count + 1;
}

#define PTX_ROW 32 /* lanes of a warp of PTX */

/* Do the lanes of a warp access consecutive words, in the order of the lanes? */
static bool is_row(const struct warp *warp, lane_set lanes)
{
    const uintptr_t *addresses = warp->addresses;
    uintptr_t apart = 0, begin = addresses[0], bytes = warp->lanes[0].bytes;
    if (lanes != UINT32_MAX || begin % bytes)
        return false;
    for (unsigned l = 0; l < PTX_ROW; l++)
        apart |= addresses[l] ^ (begin + l * bytes);
    return !apart;
}

/* Stores in `touched` the distinct units that the lanes access, in ascending order, at most 8 for each
 * lane. Returns the number of units stored. */
static unsigned distinct_units(const struct warp *warp, lane_set lanes, struct units units,
                               uintptr_t *touched)
{
    unsigned found = 0, leader = first_lane(lanes);
    if (warp->together && units.shift >= 0 && is_row(warp, lanes)) {
        uintptr_t begin = warp->addresses[0], end = begin + PTX_ROW * warp->lanes[leader].bytes - 1;
        for (uintptr_t u = begin >> units.shift; u <= end >> units.shift; u++)
            touched[found++] = u;
        return found;
    }
    FOR_EACH_LANE(i, lanes)
    {
        uintptr_t address = warp->addresses[i];
        unsigned told = warp->together ? leader : i;
        uintptr_t first = unit_at(units, address),
                  last = unit_at(units, address + warp->lanes[told].bytes - 1);
        for (uintptr_t u = first; u <= last && u < first + 8; u++)
            found = add_unit(touched, found, u);
    }
    return found;
}

/* Returns the largest number of these words that are in one bank. */
static unsigned bank_load(const uintptr_t *words, unsigned count, int banks)
{
    unsigned load[MACHINE_MAX_WARP] = {0}, most = 1;
    bool power = (banks & (banks - 1)) == 0;
    for (unsigned i = 0; i < count; i++) {
        uintptr_t at = power ? words[i] & (uintptr_t)(banks - 1) : words[i] % (uintptr_t)banks;
        most = ++load[at] > most ? load[at] : most;
    }
    return most;
}

/* the numbers of slots that a request takes of the pipelines of L2 and of global memory */
struct slots {
    unsigned of_l2, of_memory;
};

/* Returns the slots of a request to global memory: the number of its address groups that no cache holds, or
 * of its words in one bank. The multiprocessor's L1 cache serves plain loads only. */
static struct slots global_slots(const struct sm *sm, const struct warp *warp, const struct group *group)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t touched[MOST_UNITS];
    struct units units = units_of((d->global_banks ? 1 : (uintptr_t)d->global_width) * 4);
    struct slots slots = {0, 0};
    unsigned found = distinct_units(warp, group->lanes, units, touched);
    bool has_l1 = d->l1_latency && group->plain_load && !warp->lanes[first_lane(group->lanes)].past_l1;
    if (d->global_banks)
        found = bank_load(touched, found, d->global_banks);
    if (!has_l1 && !d->l2_groups_per_1000_units)
        return (struct slots){found, found};
    for (unsigned i = 0; i < found; i++) {
        uint64_t line = fixed_unit(units, touched[i]);
        if (has_l1 && cache_tags_find(sm->index, sm->acquires, line))
            continue;
        slots.of_l2++;
        slots.of_memory += !d->l2_groups_per_1000_units || !l2_tags_find(line);
    }
    return slots;
}

/* ---- the cost of each kind of request ---- */

/* The time of a pipeline is counted in parts: an address group takes this number of them, and a time
 * unit has groups_per_1000_units of them. */
#define PARTS_OF_A_GROUP 1000

/* The times at which a pipeline serves the first and the last of the slots that a request has taken. */
struct service {
    uint64_t first, last;
};

/* Takes the next k free slots of a pipeline, not before `now`. Returns the times of the first and the last
 * slot. */
static struct service take_slots(uint64_t *slot, int groups_per_1000_units, uint64_t now, unsigned k)
{
    uint64_t parts = (uint64_t)groups_per_1000_units;
    struct service service;
    if (*slot < now * parts)
        *slot = now * parts;
    service.first = *slot / parts;
    *slot += k * PARTS_OF_A_GROUP;
    service.last = (*slot - PARTS_OF_A_GROUP) / parts;
    return service;
}

/* Takes slots of a further pipeline for a request that passes through it after another one, or together with
 * it. If the pipeline has no rate, it serves any number of slots at once. */
static struct service pass(uint64_t *slot, int groups_per_1000_units, struct service before, unsigned k)
{
    if (!groups_per_1000_units || !k)
        return before;
    struct service service = take_slots(slot, groups_per_1000_units, before.first, k);
    if (service.last < before.last)
        service.last = before.last;
    return service;
}

/* Returns whether the address is in the memory of another device, if the links between devices have a
 * latency. Sets `device` to the memory's device. */
static bool is_away(const struct sm *sm, uintptr_t address, unsigned *device)
{
    *device = device_count() > 1 ? device_of_address(address) : 0;
    return the_machine.description.link_latency && *device != device_of_sm(sm);
}

/* Returns the one-way latency of a link, without the time of the memory itself. */
static uint64_t link_trip(void)
{
    const struct machine_description *d = &the_machine.description;
    return d->link_latency > d->global_latency ? (uint64_t)(d->link_latency - d->global_latency) / 2 : 0;
}

/* Returns how much later an atomic on global memory reaches it than a load would. */
static uint64_t atomic_trip(void)
{
    const struct machine_description *d = &the_machine.description;
    return d->store_delay && d->atomic_latency > d->global_latency
               ? (uint64_t)(d->atomic_latency - d->global_latency) / 2
               : 0;
}

/* Returns whether the multiprocessor is far from the L2 cache's half that has the words. GPUs do not tell
 * which half this is: here the half of the first multiprocessors has all words. */
static bool is_far(const struct sm *sm)
{
    unsigned near = (unsigned)the_machine.description.atomic_near_multiprocessors;
    return near && sm->index / near % 2;
}

static uint64_t far_latency(const struct sm *sm)
{
    return is_far(sm) ? (uint64_t)the_machine.description.atomic_far_latency : 0;
}

/* Notes that a store of these lanes is done at this time, for fences that wait for all of their stores. */
static void note_stores(struct warp *warp, lane_set lanes, uint64_t done_at)
{
    FOR_EACH_LANE(i, told_lanes(warp, lanes))
    if (warp->lanes[i].stores_done_at < done_at)
        warp->lanes[i].stores_done_at = done_at;
}

/* A fence waits for stores to global memory. Returns the time from the end of these stores to the end of the
 * fence. */
static uint64_t fence_after_stores(const struct sm *sm)
{
    const struct machine_description *d = &the_machine.description;
    return (uint64_t)(d->fence_store_latency + (is_far(sm) ? d->fence_store_far_latency : 0));
}

/* Returns how much earlier the group's lanes would have made this request if they had not waited for the
 * effect of their last strong store. On a GPU they do not wait: on the machine a lane has one request at a
 * time, so what follows the store takes that much less. */
static uint64_t waited_for_store(const struct warp *warp, const struct group *group, uint64_t now)
{
    uint64_t stored = warp->more[first_lane(group->lanes)].stored_at, until = stored < now ? stored : now;
    return until > group->ready_at ? until - group->ready_at : 0;
}

/* Charges a store. A strong store takes effect later, by store_delay and by the link's latency, because
 * another thread may poll for it. A plain store takes effect at once, and only fences wait for its later
 * end. */
static void charge_store(struct warp *warp, struct group *group, bool away, uint64_t now)
{
    uint64_t later = group->value_at > now ? group->value_at - now : 0,
             earlier = waited_for_store(warp, group, now), delay = 0;
    note_stores(warp, group->lanes, group->complete_at + later - earlier);
    if (the_machine.description.posted_stores)
        group->complete_at = group->effect_at + 1 - earlier;
    if (warp->lanes[first_lane(group->lanes)].plain)
        return;
    delay = (uint64_t)the_machine.description.store_delay + (away ? link_trip() : 0);
    group->effect_at += delay > earlier ? delay - earlier : 0;
    FOR_EACH_LANE(i, told_lanes(warp, group->lanes)) warp->more[i].stored_at = group->effect_at;
}

/* Returns how much longer a load takes because the line of the address is far from the multiprocessor: from 0
 * to 2 * global_spread. GPUs do not tell where lines are, so a hash of the line and the multiprocessor
 * decides. */
static uint64_t distance(const struct sm *sm, uintptr_t address)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t line = array_fixed_address(address) / ((uint64_t)d->global_width * 4),
             hash = (line * 132 + sm->index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash >> 40) % (2 * (uint64_t)d->global_spread + 1);
}

/* Notes in which half of L2 the group's lines are written or read. Returns whether a line must come from the
 * other half. */
static bool crosses_halves(const struct sm *sm, const struct warp *warp, const struct group *group)
{
    uintptr_t touched[MOST_UNITS];
    struct units units = units_of((uintptr_t)the_machine.description.global_width * 4);
    unsigned found = distinct_units(warp, group->lanes, units, touched);
    bool crosses = false;
    for (unsigned i = 0; i < found; i++) {
        uint64_t line = fixed_unit(units, touched[i]);
        if (group->kind == REQUEST_ATOMIC)
            l2_halves_atomic(line);
        else if (group->kind == REQUEST_STORE)
            l2_halves_store(line, is_far(sm));
        else
            crosses |= l2_halves_load(line, is_far(sm));
    }
    return crosses;
}

static void charge_global(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t address = warp->addresses[first_lane(group->lanes)];
    struct slots slots = global_slots(sm, warp, group);
    unsigned k = slots.of_l2, device;
    bool away = is_away(sm, address, &device);
    if (!k) {
        group->effect_at = now;
        group->complete_at = now + (uint64_t)d->l1_latency;
        return;
    }
    struct service service = {now, now};
    if (away)
        service = pass(&link_slot[device_of_sm(sm)][device], d->link_groups_per_1000_units, service, k);
    service = pass(&sm->l2_way_slot, d->sm_groups_per_1000_units, service, k);
    service = pass(&l2_slot[device], d->l2_groups_per_1000_units, service, k);
    service = pass(&global_slot[device], d->global_groups_per_1000_units, service, slots.of_memory);
    if (group->kind == REQUEST_LOAD)
        warp->accessed |= group->lanes;
    group->effect_at = service.first;
    group->complete_at = service.last + (uint64_t)(away ? d->link_latency : d->global_latency);
    if (d->global_spread && !away && group->kind == REQUEST_LOAD)
        group->complete_at += distance(sm, address) - (uint64_t)d->global_spread;
    the_machine.counters.transactions += k;
    the_machine.counters.l2_misses += slots.of_memory;
    if (d->crossing_latency && !away && crosses_halves(sm, warp, group))
        group->complete_at += (uint64_t)d->crossing_latency;
    if (group->kind == REQUEST_STORE)
        return charge_store(warp, group, away, now);
    if (d->atomic_polled_latency && atomic_queue_has(address))
        group->complete_at += (uint64_t)(d->atomic_polled_latency - d->global_latency);
    uint64_t earlier = waited_for_store(warp, group, now), least = group->effect_at;
    group->complete_at = group->complete_at > least + earlier ? group->complete_at - earlier : least;
}

/* Returns the time by which the last mbarrier of a request is served later than another word would be. The
 * mbarriers that one warp uses are served one after another. The mbarriers that different warps of a
 * multiprocessor use are served one after another, too, but faster. A warp that has to wait sleeps in its
 * try_wait on a GPU, so its further tries on the machine are not served. */
static uint64_t mbarriers_wait(struct sm *sm, struct warp *warp, lane_set lanes, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t words[MOST_UNITS];
    if (!warp->lanes[first_lane(lanes)].of_mbarrier || warp->tries_again & LANE(first_lane(lanes)))
        return 0;
    unsigned count = distinct_units(warp, lanes, units_of(8), words);
    uint64_t start = sm->mbarrier_slot > now ? sm->mbarrier_slot : now;
    if (warp->mbarriers_at > start)
        start = warp->mbarriers_at;
    sm->mbarrier_slot = start + count * (uint64_t)d->mbarrier_serial;
    warp->mbarriers_at = start + (count - 1) * (uint64_t)d->mbarrier_lane;
    return warp->mbarriers_at - now;
}

/* ---- shared memory of other blocks of a cluster ---- */

static uint64_t cluster_load_latency(void)
{
    const struct machine_description *d = &the_machine.description;
    return (uint64_t)(d->cluster_load_latency ? d->cluster_load_latency : d->global_latency);
}

/* Returns the one-way latency to another multiprocessor of the cluster, without the time of the shared memory
 * itself. */
static uint64_t cluster_trip(void)
{
    uint64_t own = (uint64_t)the_machine.description.shared_latency;
    return cluster_load_latency() > own ? (cluster_load_latency() - own) / 2 : 0;
}

/* Returns which of these lanes access a word in the shared memory of another block. */
static lane_set lanes_in_cluster(const struct warp *warp, lane_set lanes)
{
    lane_set found = 0;
    if (warp->block->cluster->count > 1)
        FOR_EACH_LANE(i, lanes)
    if (shared_memory_is_of_other(warp->block, warp->addresses[i]))
        found |= LANE(i);
    return found;
}

uint64_t cost_way_of_atomic(const struct warp *warp, uintptr_t address)
{
    if (!shared_memory_has(address))
        return atomic_trip();
    return shared_memory_is_of_other(warp->block, address) ? cluster_trip() : 0;
}

/* Takes slots of the connection to other multiprocessors for the lines of these lanes' words. */
static struct service send_to_cluster(struct sm *sm, const struct warp *warp, lane_set lanes, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    uintptr_t lines[MOST_UNITS];
    if (!d->cluster_groups_per_1000_units)
        return (struct service){now, now};
    unsigned count = distinct_units(warp, lanes, units_of((uintptr_t)d->global_width * 4), lines);
    return take_slots(&sm->cluster_slot, d->cluster_groups_per_1000_units, now, count);
}

/* Adds the latency to other multiprocessors to a load or store of these lanes. Both take effect after the
 * one-way latency, so that a load and a store keep their order. */
static void charge_cluster_access(struct sm *sm, struct warp *warp, struct group *group, lane_set lanes,
                                  uint64_t now)
{
    if (!lanes)
        return;
    struct service service = send_to_cluster(sm, warp, lanes, now);
    bool is_store = group->kind == REQUEST_STORE;
    uint64_t later = fence_after_stores(sm);
    uint64_t arrives_at = service.first + cluster_trip(), done_at = service.last + cluster_load_latency();
    if (group->effect_at < arrives_at)
        group->effect_at = arrives_at;
    /* A fence ends `later` time units after the noted end of the last store. Stores to the cluster do not
     * need this time, so their noted end is earlier by it, and the fence ends when they end. */
    if (is_store)
        note_stores(warp, lanes, done_at - (done_at < later ? done_at : later));
    if (is_store && the_machine.description.posted_stores)
        done_at = service.first + 1;
    if (group->complete_at < done_at)
        group->complete_at = done_at;
}

/* Adds the latency to other multiprocessors and back to an atomic of these lanes of the group. */
static void charge_cluster_atomic(struct sm *sm, struct warp *warp, struct group *group, lane_set lanes,
                                  uint64_t now)
{
    if (!lanes)
        return;
    uint64_t wait = send_to_cluster(sm, warp, lanes, now).last - now;
    if (!group->parts && lanes != group->lanes)
        FOR_EACH_LANE(i, group->lanes) warp->more[i].effect_at = group->effect_at;
    group->parts = group->parts || lanes != group->lanes;
    group->effect_at += wait + cluster_trip();
    if (group->parts)
        FOR_EACH_LANE(i, lanes) warp->more[i].effect_at += wait + cluster_trip();
    group->complete_at += wait + 2 * cluster_trip();
}

/* ---- shared memory ---- */

/* Returns the number of pipeline slots that a request to shared memory takes. */
static unsigned shared_slots(const struct warp *warp, lane_set lanes)
{
    unsigned banks = (unsigned)the_machine.description.shared_banks,
             bytes = warp->lanes[first_lane(lanes)].bytes;
    uintptr_t words[MOST_UNITS];
    if (warp->together && bytes % 4 == 0 && is_row(warp, lanes))
        return (PTX_ROW * bytes / 4 + banks - 1) / banks;
    unsigned distinct = distinct_units(warp, lanes, units_of(4), words);
    return bank_load(words, distinct, (int)banks);
}

static void charge_shared(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    unsigned k = shared_slots(warp, group->lanes);
    bool is_store = group->kind == REQUEST_STORE || group->kind == REQUEST_STORE_UNLOCK;
    the_machine.counters.shared_loads += !is_store;
    the_machine.counters.shared_stores += is_store;
    group->effect_at = sm->shared_slot > now ? sm->shared_slot : now;
    sm->shared_slot = group->effect_at + k;
    the_machine.counters.bank_conflicts += k - 1;
    group->complete_at =
        group->effect_at + k - 1 + (is_store && d->posted_stores ? 1 : (uint64_t)d->shared_latency);
    group->complete_at += mbarriers_wait(sm, warp, group->lanes, now);
    charge_cluster_access(sm, warp, group, lanes_in_cluster(warp, group->lanes), now);
}

/* Returns a random delay of an LDSLK. On a GPU, instructions of other warps delay it at the issue port, but a
 * machine description with lock bits does not count instructions. Without a random delay, the tries of a
 * lock's holder and of a waiting thread would repeat with one period, and for some latencies the waiting
 * thread would never find the bit free. */
static uint64_t lock_load_delay(void)
{
    uint64_t spread = (uint64_t)the_machine.description.lock_load_spread;
    return spread ? random_next(&the_machine.random) % (spread + 1) : 0;
}

/* size in bytes of a sector, in which a unit of the L2 cache changes all words at once (Nsight Compute's
 * documentation) */
#define SECTOR_BYTES 32

/*
 * Returns an earlier lane of the request whose turn changes this lane's word, too, or MACHINE_MAX_WARP if the
 * lane needs a turn of its own. In a turn, a unit of the L2 cache changes different words of a sector; a word
 * that several lanes change needs a turn for each. Sets nth[lane] to the number of earlier lanes that change
 * the lane's word.
 */
static unsigned lane_of_turn(const struct warp *warp, lane_set lanes, unsigned lane,
                             unsigned nth[MACHINE_MAX_WARP])
{
    uintptr_t address = warp->addresses[lane];
    unsigned found = MACHINE_MAX_WARP;
    if (!the_machine.description.atomic_units)
        return found;
    nth[lane] = 0;
    FOR_EACH_LANE(i, lanes & (LANE(lane) - 1))
    nth[lane] += warp->addresses[i] == address;
    FOR_EACH_LANE(i, lanes & (LANE(lane) - 1))
    if (warp->addresses[i] / SECTOR_BYTES == address / SECTOR_BYTES && nth[i] == nth[lane])
        found = i;
    return found;
}

/* Sets the times at which the lanes' atomics take effect and the group's atomics are complete. Atomics on one
 * address are served one after another, in the order in which they were dispatched. */
static void take_turns_at_addresses(const struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    bool shared = shared_memory_has(warp->addresses[first_lane(group->lanes)]);
    unsigned device;
    uint64_t trip =
        shared ? 0
               : atomic_trip() +
                     (is_away(sm, warp->addresses[first_lane(group->lanes)], &device) ? link_trip() : 0);
    uint64_t between =
        shared ? 1000 * (uint64_t)d->shared_atomic_same_address : (uint64_t)d->atomic_same_address_per_1000;
    uint64_t latency =
        shared ? (uint64_t)d->shared_atomic_latency : (uint64_t)d->atomic_latency + far_latency(sm);
    uint64_t back = latency + trip - 2 * (shared ? 0 : atomic_trip());
    unsigned nth[MACHINE_MAX_WARP];
    uint64_t effect_at[MACHINE_MAX_WARP];
    group->complete_at = group->effect_at = now;
    FOR_EACH_LANE(i, group->lanes)
    {
        unsigned with = shared ? MACHINE_MAX_WARP : lane_of_turn(warp, group->lanes, i, nth);
        uint64_t start = with < MACHINE_MAX_WARP ? effect_at[with] : now + trip;
        if (with == MACHINE_MAX_WARP) {
            uintptr_t address = warp->addresses[i];
            uint64_t *free_at = atomic_queue_free_at(shared ? shared_memory_word(warp->block, address)
                                                            : atomic_queue_server(address));
            if (*free_at < start * 1000)
                *free_at = start * 1000;
            start = *free_at / 1000;
            *free_at += between;
        }
        effect_at[i] = start;
        if (start > group->effect_at)
            group->effect_at = start;
        if (start + back > group->complete_at)
            group->complete_at = start + back;
    }
    /* A warp issues its next instruction for all lanes at once, so the atomics of all lanes take effect
     * together, at the last of their times. Lanes of a lockstep warp cannot diverge here. */
    group->parts = !((d->atomic_units && !shared) || d->lockstep);
    if (group->parts)
        FOR_EACH_LANE(i, group->lanes) warp->more[i].effect_at = effect_at[i];
}

static void charge_atomics(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    const struct lane *first = &warp->lanes[first_lane(group->lanes)];
    if (d->shared_atomic_lane && shared_memory_has(warp->addresses[first_lane(group->lanes)]))
        shared_atomics_charge(sm, warp, group, now);
    else
        take_turns_at_addresses(sm, warp, group, now);
    if (shared_memory_has(warp->addresses[first_lane(group->lanes)]))
        charge_cluster_atomic(sm, warp, group, lanes_in_cluster(warp, group->lanes), now);
    else {
        warp->accessed |= group->lanes;
        if (d->crossing_latency)
            crosses_halves(sm, warp, group);
    }
    if (group->parts)
        group->effect_at = warp->more[first_lane(group->lanes)].effect_at;
    uint64_t mbarriers = mbarriers_wait(sm, warp, group->lanes, now);
    group->complete_at += mbarriers;
    /* an atomic without a result is like a store: its thread goes on, and a fence waits for it */
    if (first->unused && d->posted_stores && !shared_atomics_loop(warp, group->lanes)) {
        note_stores(warp, group->lanes, group->complete_at);
        group->complete_at = now + 1 + mbarriers;
    }
    the_machine.counters.atomics += (unsigned)__builtin_popcountll(group->lanes);
}

/* Returns the latency of a fence: `of_system` if the fence has system scope and `of_system` is not 0,
 * otherwise `of_device`. */
static int of_scope(const struct warp *warp, const struct group *group, int of_device, int of_system)
{
    return of_system && warp->lanes[first_lane(group->lanes)].of_system ? of_system : of_device;
}

/* Returns the latency of a fence of these lanes. `latency` is the latency if none of them has loaded from
 * global memory, or changed it by an atomic, since its last fence; otherwise the fence may take longer. Also
 * marks the lanes as having done neither since this fence. */
static int fence_after_accesses(const struct sm *sm, struct warp *warp, lane_set lanes, int latency)
{
    const struct machine_description *d = &the_machine.description;
    int after = d->fence_load_latency + (is_far(sm) ? d->fence_load_far_latency : 0);
    latency = warp->accessed & lanes && after > latency ? after : latency;
    warp->accessed &= ~lanes;
    return latency;
}

/* Sets the times of a fence. It waits for the caller's outstanding stores, and then for its turn. If the
 * description has fence_store_latency, the fence's own latency overlaps with the stores, and the fence
 * ends at least fence_store_latency after the stores. */
static void charge_fence(const struct sm *sm, struct warp *warp, struct group *group, uint64_t now,
                         int latency)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t earlier = waited_for_store(warp, group, now), start = now > earlier ? now - earlier : 0,
             serial = (uint64_t)d->fence_serial, stored = start;
    uint64_t after_stores = fence_after_stores(sm);
    latency = fence_after_accesses(sm, warp, group->lanes, latency);
    FOR_EACH_LANE(i, told_lanes(warp, group->lanes))
    if (warp->lanes[i].stores_done_at > stored)
        stored = warp->lanes[i].stores_done_at;
    if (!after_stores || warp->lanes[first_lane(group->lanes)].of_system)
        start = stored;
    if (serial) {
        if (fence_free_at > start)
            start = fence_free_at;
        fence_free_at = start + serial;
    }
    group->effect_at = now;
    group->complete_at = start + (uint64_t)latency;
    if (stored > start && group->complete_at < stored + after_stores)
        group->complete_at = stored + after_stores;
    if (group->complete_at < now)
        group->complete_at = now;
    the_machine.counters.fences++;
}

static void read_clock(struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    FOR_EACH_LANE(i, group->lanes) warp->more[i].result = now;
    group->effect_at = now;
    group->complete_at = now + (d->clock_latency ? (uint64_t)d->clock_latency : 1);
}

static void charge_sleep(const struct warp *warp, struct group *group, uint64_t now)
{
    group->effect_at = group->complete_at = now;
    FOR_EACH_LANE(i, group->lanes)
    {
        uint64_t end = sleep_end(warp->more[i].mask, now);
        group->complete_at = end > group->complete_at ? end : group->complete_at;
    }
}

static void charge_access(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    if (!shared_memory_has(warp->addresses[first_lane(group->lanes)]))
        return charge_global(sm, warp, group, now);
    charge_shared(sm, warp, group, now);
}

void cost_charge(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    the_machine.counters.requests += is_memory_request(group->kind);
    switch ((enum request_kind)group->kind) {
    case REQUEST_LOAD:
    case REQUEST_STORE:
        charge_access(sm, warp, group, now);
        break;
    case REQUEST_ATOMIC:
        charge_atomics(sm, warp, group, now);
        break;
    case REQUEST_LOCK_LOAD:
        charge_shared(sm, warp, group, now);
        group->complete_at += lock_load_delay();
        break;
    case REQUEST_STORE_UNLOCK:
        charge_shared(sm, warp, group, now);
        break;
    case REQUEST_FENCE_FULL:
        charge_fence(sm, warp, group, now, of_scope(warp, group, d->fence_latency, d->fence_system_latency));
        sm->acquires++;
        break;
    case REQUEST_FENCE_RELEASE:
        charge_fence(sm, warp, group, now,
                     of_scope(warp, group, d->fence_release_latency, d->fence_release_system_latency));
        break;
    case REQUEST_FENCE_ACQUIRE: /* an acquire fence waits neither for the caller's stores nor for its turn */
        group->effect_at = now;
        group->complete_at =
            now + (uint64_t)of_scope(warp, group, d->fence_acquire_latency, d->fence_acquire_system_latency);
        sm->acquires++;
        break;
    case REQUEST_FENCE_BLOCK:
        group->effect_at = now;
        group->complete_at = now + (uint64_t)d->fence_block_latency;
        break;
    case REQUEST_SLEEP:
        charge_sleep(warp, group, now);
        break;
    default:
        read_clock(warp, group, now);
        break;
    }
}
