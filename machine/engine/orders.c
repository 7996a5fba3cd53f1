#include "machine/engine/orders.h"
#include "base/map.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"

#include <stdlib.h>

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

/* Returns a hash of two numbers, which are small. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 1)) * UINT64_C(0xff51afd7ed558ccd);
    return (hash ^ hash >> 32) * UINT64_C(0xc4ceb9fe1a85ec53);
}

/* ---- pairs and their orders ---- */

/* A pair of accesses. */
struct pair {
    uint64_t hash;   /* of the two accesses */
    uint64_t orders; /* in which of the two orders they have occurred, a bit each */
};
struct pairs {
    struct map map; /* of struct pair */
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
    /* for the places of delays: the first warp that accessed the location, whether any warp did, whether
     * several warps did, and whether one of them wrote */
    uint32_t first_warp;
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
        if (!location->is_visited)
            location->first_warp = number;
        location->is_visited = true;
        location->is_shared = location->is_shared || location->first_warp != number;
        location->is_written = location->is_written || group->kind != REQUEST_LOAD;
        visit(warp, (size_t)(location - (struct location *)locations.items));
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
    const struct location *location = locations.items;
    for (size_t i = 0; i < visit_count; i++) {
        size_t at = visits[i].location;
        if (at == ANY_LOCATION || (location[at].is_shared && location[at].is_written))
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
