#include "machine/engine/orders.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"
#include "machine/weak/races.h"

#include <stdlib.h>
#include <string.h>

bool orders_are_noted;

#define WORD 4u
/* Limits on the locations, orders and accesses that a run notes. When a limit is reached, later ones are not
 * noted. */
#define MOST_LOCATIONS (1u << 14)
#define MOST_ORDERS (1u << 14)
#define MOST_ACCESSES (1u << 18)
/* the number of pairs that are added up over all runs */
#define MOST_PAIRS (1u << 19)
#define MOST_VISITS (1u << 16)
/* the number of different accesses that are remembered of a location */
#define MOST_ACCESSORS 8

/* Returns a hash of two numbers, which are small. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 1)) * UINT64_C(0xff51afd7ed558ccd);
    return (hash ^ hash >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
}

/* ---- pairs and their orders ---- */

/* A hash table of pairs of accesses. An entry is a hash of the two accesses; its two lowest bits say in which
 * of the two orders they have occurred. An entry of 0 is free. */
struct table {
    uint64_t *entries;
    size_t room, count;
    bool is_full; /* true if there were more pairs than fit */
};
#define ORDERS UINT64_C(3)

/* Notes that the pair has occurred in these orders. Returns the number of orders in which it had not occurred
 * before. */
static unsigned add_to(struct table *table, uint64_t pair, uint64_t orders)
{
    size_t at = (pair >> 2) % table->room;
    for (; table->entries[at]; at = (at + 1) % table->room)
        if ((table->entries[at] | ORDERS) == (pair | ORDERS)) {
            uint64_t added = orders & ~table->entries[at];
            table->entries[at] |= orders;
            return (unsigned)__builtin_popcountll(added);
        }
    if (table->count > table->room / 4 * 3) {
        table->is_full = true;
        return 0;
    }
    table->entries[at] = (pair & ~ORDERS) | orders;
    table->count++;
    return (unsigned)__builtin_popcountll(orders);
}

static uint64_t own_entries[MOST_ORDERS], all_entries[MOST_PAIRS];
static struct table own = {own_entries, MOST_ORDERS, 0, false}, all = {all_entries, MOST_PAIRS, 0, false};

/* ---- locations ---- */

struct accessor {
    /* a hash of the instruction and the warp; in shared memory, of the warp's place in its block, so that the
     * same accesses of all blocks are one */
    uint64_t who;
    uint32_t warp;
    bool writes;
};

struct location {
    uint64_t key; /* a hash of the launch and the address; 0 is a free entry */
    unsigned count, next;
    struct accessor accessors[MOST_ACCESSORS];
    /* for the places of delays: the first warp that accessed the location, whether any warp did, whether
     * several warps did, and whether one of them wrote */
    uint32_t first_warp;
    bool is_visited, is_shared, is_written;
};
static struct location locations[MOST_LOCATIONS];
static size_t location_count, accesses;

static struct location *location_at(struct warp *warp, uintptr_t address)
{
    const struct block *owner = shared_memory_has(address) ? shared_memory_owner(warp->block, address) : NULL;
    uint64_t word = owner ? mixed(owner->index, shared_memory_offset(owner, address) / WORD) : address / WORD;
    uint64_t key = mixed(word, the_machine.counters.launches) | 1;
    size_t at = key / 2 % MOST_LOCATIONS;
    while (locations[at].key && locations[at].key != key)
        at = (at + 1) % MOST_LOCATIONS;
    if (!locations[at].key) {
        if (location_count > MOST_LOCATIONS / 4 * 3) {
            own.is_full = true;
            return NULL;
        }
        location_count++;
        locations[at].key = key;
    }
    return &locations[at];
}

static uint32_t number_of(const struct warp *warp)
{
    const struct block *block = warp->block;
    return block->index * block->warp_count + (uint32_t)(warp - block->warps) + 1;
}

static bool is_access(const struct lane *lane)
{
    return lane->kind <= REQUEST_ATOMIC && lane->address;
}

static void meet(struct location *location, struct accessor now)
{
    const struct accessor *same = NULL;
    for (unsigned i = 0; i < location->count; i++) {
        const struct accessor *before = &location->accessors[i];
        if (before->who == now.who)
            same = before;
        if (before->warp == now.warp || (!before->writes && !now.writes))
            continue;
        bool in_order = before->who < now.who;
        uint64_t pair = in_order ? mixed(before->who, now.who) : mixed(now.who, before->who);
        add_to(&own, pair | 4, in_order ? 1 : 2);
    }
    if (same)
        return;
    location->accessors[location->next] = now;
    location->next = (location->next + 1) % MOST_ACCESSORS;
    location->count += location->count < MOST_ACCESSORS;
}

/* Returns a name of the instruction that is the same in all runs, each of which has PTX at addresses of
 * its own. */
static uint64_t name_of(const void *instruction)
{
    uint32_t place = ptx_place_of(instruction);
    return place ? place : (uintptr_t)instruction;
}

/* ---- steps ---- */

static struct noted {
    const struct location *location;
    struct machine_step step;
} * steps; /* NULL if they are not noted */
static size_t step_count;

static bool is_met(const struct location *location)
{
    return location->is_shared && location->is_written;
}

/* Returns the number of the thread's last step plus one, or 0 if it has made none. */
static size_t last_of(uint64_t warp, unsigned thread)
{
    size_t last = step_count;
    while (last && (steps[last - 1].step.warp != warp || steps[last - 1].step.thread != thread))
        last--;
    return last;
}

static void note_step(struct warp *warp, unsigned i, const struct location *location)
{
    const struct lane *lane = lane_of(warp, i);
    bool reads = lane->kind != REQUEST_STORE, writes = lane->kind != REQUEST_LOAD;
    char line[MOST_MARK], place[2 * MOST_MARK];
    struct machine_step step = {.warp = mixed(number_of(warp), the_machine.counters.launches),
                                .place = location->key,
                                .block = warp->block->index,
                                .thread = thread_of(warp, i),
                                .instruction = (unsigned)name_of(lane->instruction),
                                .writes = writes};
    size_t last = last_of(step.warp, step.thread);
    if (last && !writes && steps[last - 1].step.instruction == step.instruction &&
        steps[last - 1].location == location) {
        step.nth = steps[last - 1].step.nth;
        memmove(&steps[last - 1], &steps[last], (step_count - last) * sizeof *steps);
        step_count--;
    } else if (step_count < MOST_STEPS) {
        for (size_t s = 0; s < last; s++)
            step.nth += steps[s].step.warp == step.warp && steps[s].step.thread == step.thread &&
                        steps[s].step.instruction == step.instruction;
    } else {
        return;
    }
    running.warp = warp;
    running.lane = i;
    running.launch = &warp->block->kernel->launch;
    source_line_of(site_here(lane->instruction), line, sizeof line);
    race_describe_place(warp->block, warp->addresses[i], lane->bytes, place, sizeof place);
    running.warp = NULL;
    snprintf(step.text, sizeof step.text, "block %u thread %u at %s %s %s", step.block, step.thread, line,
             !writes ? "reads"
             : reads ? "changes"
                     : "writes",
             place);
    steps[step_count++] = (struct noted){location, step};
}

/* Notes that the running thread's last step is of an older value. */
static void note_old(void)
{
    const struct warp *warp = running.warp;
    size_t last =
        warp ? last_of(mixed(number_of(warp), the_machine.counters.launches), thread_of(warp, running.lane))
             : 0;
    if (last)
        steps[last - 1].step.is_old = true;
}

void machine_note_steps(void)
{
    steps = allocate(MOST_STEPS * sizeof *steps);
    the_machine.memory.got_old = note_old;
}

void machine_save_steps(FILE *file)
{
    for (size_t i = 0; i < step_count; i++)
        if (is_met(steps[i].location))
            fwrite(&steps[i].step, sizeof steps[i].step, 1, file);
}

void orders_access(struct warp *warp, lane_set lanes)
{
    uint32_t number = number_of(warp);
    const void *instruction = NULL;
    bool was_shared = false;
    uint64_t who = 0;
    if (accesses >= MOST_ACCESSES) {
        own.is_full = true;
        return;
    }
    FOR_EACH_LANE(i, lanes)
    {
        const struct lane *lane = lane_of(warp, i);
        if (!is_access(lane))
            continue;
        uintptr_t address = warp->addresses[i];
        bool is_shared = shared_memory_has(address);
        if (lane->instruction != instruction || is_shared != was_shared) {
            instruction = lane->instruction;
            was_shared = is_shared;
            who = mixed(name_of(instruction), is_shared ? (uint32_t)(warp - warp->block->warps) + 1 : number);
        }
        struct accessor now = {who, number, lane->kind != REQUEST_LOAD};
        for (uintptr_t at = address; at < address + lane->bytes; at += WORD) {
            struct location *location = ++accesses < MOST_ACCESSES ? location_at(warp, at) : NULL;
            if (location && steps && at == address)
                note_step(warp, i, location);
            if (location)
                meet(location, now);
            else
                own.is_full = true;
        }
    }
}

/* ---- places of delays ---- */

/* A possible place of a delay: before a step that accesses this location. `location` is NULL for a step
 * before which a delay always matters. */
struct visit {
    struct machine_hold place;
    const struct location *location;
};
static struct visit visits[MOST_VISITS];
static size_t visit_count;
static bool places_are_noted;

static bool is_equal(struct machine_hold a, struct machine_hold b)
{
    return a.step == b.step && a.start == b.start;
}

static void visit(struct warp *warp, const struct location *location)
{
    const struct visit *last = visit_count ? &visits[visit_count - 1] : NULL;
    if (visit_count == MOST_VISITS ||
        (last && last->location == location && is_equal(last->place, warp->last_step)))
        return;
    visits[visit_count++] = (struct visit){warp->last_step, location};
}

static void visit_locations(struct warp *warp, const struct group *group)
{
    uint32_t number = number_of(warp);
    if (visit_count == MOST_VISITS && accesses >= MOST_ACCESSES)
        return;
    FOR_EACH_LANE(i, group->lanes)
    {
        struct location *location =
            is_access(lane_of(warp, i)) ? location_at(warp, warp->addresses[i]) : NULL;
        if (!location)
            continue;
        if (!location->is_visited)
            location->first_warp = number;
        location->is_visited = true;
        location->is_shared = location->is_shared || location->first_warp != number;
        location->is_written = location->is_written || group->kind != REQUEST_LOAD;
        visit(warp, location);
    }
}

void orders_dispatch(struct warp *warp, const struct group *group)
{
    if (!places_are_noted)
        return;
    switch ((enum request_kind)group->kind) {
    case REQUEST_LOAD:
    case REQUEST_STORE:
    case REQUEST_ATOMIC:
        visit_locations(warp, group);
        break;
    case REQUEST_FENCE_FULL:
    case REQUEST_NAMED_BARRIER:
    case REQUEST_NAMED_ARRIVAL:
    case REQUEST_CLUSTER_ARRIVAL:
    case REQUEST_CLUSTER_WAIT:
        visit(warp, NULL);
        break;
    case REQUEST_BLOCK_BARRIER:
        if (warp->block->warp_count > 1)
            visit(warp, NULL);
        break;
    default:
        break;
    }
}

static struct machine_hold places[MOST_VISITS];
static size_t place_count;

static int by_place(const void *a, const void *b)
{
    const struct machine_hold *first = a, *second = b;
    if (first->start != second->start)
        return first->start < second->start ? -1 : 1;
    return first->step < second->step ? -1 : first->step > second->step;
}

/* Stores the places at which a delay matters, sorted and without duplicates. */
static void choose_places(void)
{
    place_count = 0;
    for (size_t i = 0; i < visit_count; i++) {
        const struct location *location = visits[i].location;
        if (!location || is_met(location))
            places[place_count++] = visits[i].place;
    }
    qsort(places, place_count, sizeof *places, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < place_count; i++)
        if (!kept || !is_equal(places[kept - 1], places[i]))
            places[kept++] = places[i];
    place_count = kept;
}

/* ---- for gpusync-check ---- */

void machine_note_orders(bool note, bool with_places)
{
    orders_are_noted = note;
    places_are_noted = note && with_places;
}

void machine_save_orders(FILE *file)
{
    fwrite(&own.is_full, sizeof own.is_full, 1, file);
    fwrite(&own.count, sizeof own.count, 1, file);
    for (size_t i = 0; i < MOST_ORDERS; i++)
        if (own_entries[i])
            fwrite(&own_entries[i], sizeof own_entries[i], 1, file);
    choose_places();
    fwrite(&place_count, sizeof place_count, 1, file);
    if (place_count)
        fwrite(places, sizeof *places, place_count, file);
}

size_t machine_add_orders(FILE *file)
{
    size_t count = 0, added = 0, more = 0;
    bool is_full = false;
    if (fread(&is_full, sizeof is_full, 1, file) != 1 || fread(&count, sizeof count, 1, file) != 1)
        return 0;
    all.is_full = all.is_full || is_full;
    for (uint64_t entry; count && fread(&entry, sizeof entry, 1, file) == 1; count--)
        added += add_to(&all, entry, entry & ORDERS);
    if (fread(&more, sizeof more, 1, file) == 1 && more && more <= MOST_VISITS)
        place_count = fread(places, sizeof *places, more, file);
    return added;
}

struct machine_orders machine_orders_so_far(void)
{
    struct machine_orders orders = {.pairs = all.count, .all = !all.is_full};
    for (size_t i = 0; i < MOST_PAIRS; i++)
        orders.both += (all_entries[i] & ORDERS) == ORDERS;
    return orders;
}

const struct machine_hold *machine_places(size_t *count)
{
    *count = place_count;
    return places;
}
