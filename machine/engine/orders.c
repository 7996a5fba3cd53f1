#include "machine/engine/orders.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"
#include "machine/weak/races.h"
#include "machine/weak/weak_block.h"

#include <stdlib.h>
#include <string.h>

bool orders_are_noted;

#define WORD 4u
/* Limits on the locations, pairs and accesses that a run notes. When a limit is reached, later ones are not
 * noted. */
#define MOST_LOCATIONS (3u << 12)
#define MOST_PAIRS_OF_RUN (3u << 12)
#define MOST_ACCESSES (1u << 18)
/* the number of pairs that are added up over all runs */
#define MOST_PAIRS (3u << 17)
#define MOST_VISITS (1u << 16)
/* the number of different accesses that are remembered of a location */
#define MOST_ACCESSORS 8
/* a bit of a warp's number, which stands for the copies that the warp has issued */
#define COPY_OF_WARP (UINT32_C(1) << 31)

/* Returns a hash of two numbers, which are small. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 1)) * UINT64_C(0xff51afd7ed558ccd);
    return (hash ^ hash >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
}

/* ---- pairs and their orders ---- */

/* A pair of accesses. */
struct pair {
    uint64_t hash;   /* a hash of the two accesses */
    uint64_t orders; /* the orders in which they have occurred: a bit for each of the two */
};
struct pairs {
    struct map map; /* a map of struct pair */
    size_t most;
    bool is_full; /* true if there were more pairs than fit */
};
static struct pairs own = {MAP(struct pair, hash), MOST_PAIRS_OF_RUN, false},
                    all = {MAP(struct pair, hash), MOST_PAIRS, false};

/* Notes that the pair has occurred in these orders. Returns the number of orders in which it had not occurred
 * before. */
static unsigned add_to(struct pairs *pairs, struct pair added)
{
    bool has_room = pairs->map.count <= pairs->most;
    struct pair *pair = has_room ? map_get(&pairs->map, &added) : map_find(&pairs->map, &added);
    pairs->is_full = pairs->is_full || !pair;
    if (!pair)
        return 0;
    uint64_t before = pair->orders;
    pair->orders |= added.orders;
    return (unsigned)__builtin_popcountll(added.orders & ~before);
}

/* ---- locations ---- */

struct accessor {
    /* a hash of the instruction and the warp; in shared memory, of the warp's place in its block, so that the
     * same accesses of all blocks are one */
    uint64_t who;
    uint32_t warp;
    bool writes;
};

struct location {
    uint64_t key; /* a hash of the launch and the address */
    unsigned count, next;
    struct accessor accessors[MOST_ACCESSORS];
    /* The members below serve to find the places of delays. */
    uint32_t first_warp; /* the first warp that accessed the location */
    /* whether any warp accessed the location, whether several warps did, and whether one of them wrote */
    bool is_visited, is_shared, is_written;
};
static struct map locations = MAP(struct location, key);
static size_t accesses;

static struct location *location_at(struct warp *warp, uintptr_t address)
{
    const struct block *owner = shared_memory_has(address) ? shared_memory_owner(warp->block, address) : NULL;
    uint64_t word = owner ? mixed(owner->index, shared_memory_offset(owner, address) / WORD) : address / WORD;
    uint64_t key = mixed(word, the_machine.counters.launches);
    bool has_room = locations.count <= MOST_LOCATIONS;
    struct location *location = has_room ? map_get(&locations, &key) : map_find(&locations, &key);
    own.is_full = own.is_full || !location;
    return location;
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

/* Notes that the warp, or a copy, accesses the location. */
static void meet_warp(struct location *location, uint32_t number, bool writes)
{
    if (!location->is_visited)
        location->first_warp = number;
    location->is_visited = true;
    location->is_shared = location->is_shared || location->first_warp != number;
    location->is_written = location->is_written || writes;
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
        add_to(&own, (struct pair){pair, in_order ? 1 : 2});
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
    size_t location; /* number of the location */
    struct machine_step step;
} * steps; /* NULL if they are not noted */
static size_t step_count;

static size_t number_of_location(const struct location *location)
{
    return (size_t)(location - (struct location *)locations.items);
}

/* Returns whether several warps accessed the location with this number, and one of them wrote. */
static bool is_met(size_t number)
{
    const struct location *location = (struct location *)locations.items + number;
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

/* An access that may be a step: of a thread, or of a copy that the thread has issued. */
struct access {
    uint64_t who; /* the number of the warp, or of the copy */
    unsigned thread;
    const void *instruction;
    uint32_t site;
    uintptr_t address;
    size_t bytes;
    bool reads, writes, is_copy;
};

/* Notes the access as a step. The running lane is one of the block. */
static void note_step(struct block *block, const struct access *access, const struct location *location)
{
    char line[MOST_MARK], place[2 * MOST_MARK];
    struct machine_step step = {.warp = access->who,
                                .place = location->key,
                                .block = block->index,
                                .thread = access->thread,
                                .instruction = (unsigned)name_of(access->instruction),
                                .writes = access->writes};
    size_t last = last_of(step.warp, step.thread);
    if (last && !access->writes && steps[last - 1].step.instruction == step.instruction &&
        steps[last - 1].location == number_of_location(location)) {
        step.nth = steps[last - 1].step.nth;
        memmove(&steps[last - 1], &steps[last], (step_count - last) * sizeof *steps);
        step_count--;
    } else if (step_count < MOST_NOTED_STEPS) {
        for (size_t s = 0; s < last; s++)
            step.nth += steps[s].step.warp == step.warp && steps[s].step.thread == step.thread &&
                        steps[s].step.instruction == step.instruction;
    } else {
        return;
    }
    source_line_of(access->site, line, sizeof line);
    race_describe_place(block, access->address, access->bytes, place, sizeof place);
    snprintf(step.text, sizeof step.text, "%sblock %u thread %u at %s %s %s",
             access->is_copy ? "a copy of " : "", step.block, step.thread, line,
             !access->writes ? "reads"
             : access->reads ? "changes"
                             : "writes",
             place);
    steps[step_count++] = (struct noted){number_of_location(location), step};
}

static void note_step_of_lane(struct warp *warp, unsigned i, const struct location *location)
{
    const struct lane *lane = lane_of(warp, i);
    running.warp = warp;
    running.lane = i;
    running.launch = &warp->block->kernel->launch;
    struct access access = {.who = mixed(number_of(warp), the_machine.counters.launches),
                            .thread = thread_of(warp, i),
                            .instruction = lane->instruction,
                            .site = site_here(lane->instruction),
                            .address = warp->addresses[i],
                            .bytes = lane->bytes,
                            .reads = lane->kind != REQUEST_STORE,
                            .writes = lane->kind != REQUEST_LOAD};
    note_step(warp->block, &access, location);
    running.warp = NULL;
}

void orders_copy(struct block *block, unsigned thread, uint32_t calls, const void *instruction,
                 uintptr_t address, size_t bytes, bool writes)
{
    const unsigned width = (unsigned)the_machine.description.warp_size;
    struct warp *warp = &block->warps[thread / width];
    const struct running before = running;
    uint32_t number = number_of(warp) | COPY_OF_WARP;
    struct location *location =
        steps && ++accesses < MOST_ACCESSES ? location_at(warp, address / WORD * WORD) : NULL;
    struct access access = {.who = mixed(number, the_machine.counters.launches),
                            .thread = thread,
                            .instruction = instruction,
                            .site = site_of(instruction, calls),
                            .address = address,
                            .bytes = bytes,
                            .reads = !writes,
                            .writes = writes,
                            .is_copy = true};
    if (!location)
        return;
    running = (struct running){
        .warp = warp, .lane = thread % width, .launch = &block->kernel->launch, .code = before.code};
    meet_warp(location, number, writes);
    note_step(block, &access, location);
    running = before;
}

/* Notes that the running thread's last step read a value that is not the newest. */
static void note_old(void)
{
    const struct warp *warp = running.warp;
    if (weak_actor.block && step_count) { /* the step of a copy has just been noted */
        steps[step_count - 1].step.is_old = true;
        return;
    }
    size_t last =
        warp ? last_of(mixed(number_of(warp), the_machine.counters.launches), thread_of(warp, running.lane))
             : 0;
    if (last)
        steps[last - 1].step.is_old = true;
}

void machine_note_steps(void)
{
    steps = allocate(MOST_NOTED_STEPS * sizeof *steps);
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
                note_step_of_lane(warp, i, location);
            if (location)
                meet(location, now);
            else
                own.is_full = true;
        }
    }
}

/* ---- places of delays ---- */

/* A possible place of a delay: before a step that accesses the location with this number. ANY_LOCATION is the
 * number of a step before which a delay always matters. */
#define ANY_LOCATION SIZE_MAX
struct visit {
    struct machine_hold place;
    size_t location;
};
static struct visit visits[MOST_VISITS];
static size_t visit_count;
static bool places_are_noted;

static bool is_equal(struct machine_hold a, struct machine_hold b)
{
    return a.step == b.step && a.start == b.start;
}

static void visit(struct warp *warp, size_t location)
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
        meet_warp(location, number, group->kind != REQUEST_LOAD);
        visit(warp, number_of_location(location));
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
        visit(warp, ANY_LOCATION);
        break;
    case REQUEST_BLOCK_BARRIER:
        if (warp->block->warp_count > 1)
            visit(warp, ANY_LOCATION);
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
        if (visits[i].location == ANY_LOCATION || is_met(visits[i].location))
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
    fwrite(&own.map.count, sizeof own.map.count, 1, file);
    if (own.map.count)
        fwrite(own.map.items, own.map.item_bytes, own.map.count, file);
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
    for (struct pair pair; count && fread(&pair, sizeof pair, 1, file) == 1; count--)
        added += add_to(&all, pair);
    if (fread(&more, sizeof more, 1, file) == 1 && more && more <= MOST_VISITS)
        place_count = fread(places, sizeof *places, more, file);
    return added;
}

struct machine_orders machine_orders_so_far(void)
{
    struct machine_orders orders = {.pairs = all.map.count, .all = !all.is_full};
    const struct pair *pair = all.map.items;
    for (size_t i = 0; i < all.map.count; i++)
        orders.both += pair[i].orders == 3;
    return orders;
}

const struct machine_hold *machine_places(size_t *count)
{
    *count = place_count;
    return places;
}
