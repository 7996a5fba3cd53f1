#include "machine/time/scoreboard.h"
#include "machine/code/instructions.h"
#include "machine/memory/shared_memory.h"

static bool same_work(const struct work *a, const struct work *b)
{
    return a->instructions == b->instructions && a->free == b->free && a->bound == b->bound;
}

static bool same_request(const struct lane *a, const struct lane *b)
{
    return a->instruction == b->instruction && a->needs == b->needs && a->number == b->number &&
           a->kind == b->kind && a->plain == b->plain && a->arithmetic == b->arithmetic &&
           same_work(&a->work, &b->work);
}

lane_set scoreboard_alike(const struct warp *warp, lane_set lanes)
{
    unsigned first = first_lane(lanes);
    lane_set candidates = lanes & (warp->exited & LANE(first) ? warp->exited : ~warp->exited), alike = 0;
    candidates &= warp->held & LANE(first) ? warp->held : ~warp->held;
    candidates &= warp->turned & LANE(first) ? warp->turned : ~warp->turned;
    for (unsigned f = 0; f < warp->flight_count; f++)
        candidates &= warp->flights[f].lanes & LANE(first) ? warp->flights[f].lanes : ~warp->flights[f].lanes;
    FOR_EACH_LANE(i, candidates)
    alike |= same_request(&warp->lanes[i], &warp->lanes[first]) ? LANE(i) : 0;
    return alike;
}

/* Returns whether the lane's request waits for all earlier requests: it is a fence, LDSLK, STSUL or a read of
 * the clock, or instructions of gpusync.arithmetic precede it. */
static bool waits_for_all(const struct lane *lane)
{
    return (lane->kind >= REQUEST_LOCK_LOAD && lane->kind <= REQUEST_FENCE_BLOCK) ||
           lane->kind == REQUEST_CLOCK || lane->kind == REQUEST_SLEEP || lane->arithmetic;
}

/*
 * The earlier requests for which a request waits. A thread's instructions are in order, but nvcc moves a
 * plain load to before an earlier plain store if one uses global and the other shared memory, and if they
 * belong to one iteration of a loop. So a plain store that waits for a result must not delay such a load.
 * Instead of waiting, the store marks the requests whose results it needs with the memory to which it stores.
 * The next request that nvcc cannot move to before the store waits for the marked requests.
 */
struct wanted {
    uint64_t requests; /* the earlier requests, a bit each, whose results the request needs */
    /* A set of memories, a bit each. If an earlier plain store to one of them needs a result, this request
     * waits for the result, too. */
    unsigned stored_to;
    /* for a plain store: the bit of the memory to which it stores, which marks the requests whose results the
     * store needs; 0 for any other request */
    unsigned to_store;
    uint64_t value_at; /* for a plain store: time at which it has its value */
};

enum { GLOBAL = 1, SHARED = 2 };

static struct wanted wanted_by(const struct lane *lane, uint64_t needs, bool exits, bool turned)
{
    unsigned memory = shared_memory_has(lane->address) ? SHARED : GLOBAL;
    if (exits || waits_for_all(lane))
        return (struct wanted){.requests = ALL_REQUESTS};
    if (lane->plain && lane->kind == REQUEST_STORE && !turned)
        return (struct wanted){.requests = needs, .to_store = memory};
    bool moves = lane->plain && lane->kind == REQUEST_LOAD && !turned;
    return (struct wanted){.requests = needs, .stored_to = moves ? memory : GLOBAL | SHARED};
}

/* Splits a request in flight in two if only some of its lanes are in `lanes`, because a store of these lanes
 * will set `stored_to` of their own part alone. Stops when `flights` is full. */
static void part(struct warp *warp, lane_set lanes, uint64_t requests)
{
    unsigned count = warp->flight_count;
    for (unsigned f = 0; f < count && warp->flight_count < MOST_IN_FLIGHT_OF_WARP; f++) {
        struct in_flight *flight = &warp->flights[f], others = *flight;
        if (!(flight->lanes & lanes) || !(flight->lanes & ~lanes) || !(flight->requests & requests))
            continue;
        others.lanes &= ~lanes;
        flight->lanes &= lanes;
        warp->flights[warp->flight_count++] = others;
    }
}

/* Returns whether the request that `wanted` describes waits for the request in flight. If it is a plain
 * store, it does not wait, and the function marks the request in flight. */
static bool waits_for(struct wanted *wanted, struct in_flight *flight)
{
    bool needs = flight->requests & wanted->requests;
    if (needs && wanted->to_store) {
        flight->stored_to |= wanted->to_store;
        wanted->value_at = flight->done_at > wanted->value_at ? flight->done_at : wanted->value_at;
    }
    return (needs && !wanted->to_store) || flight->stored_to & wanted->stored_to;
}

/* Removes requests of these lanes that are done by `now` from the requests in flight. */
static void land(struct warp *warp, lane_set lanes, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned f = 0; f < warp->flight_count; f++) {
        struct in_flight flight = warp->flights[f];
        if (flight.done_at <= now)
            flight.lanes &= ~lanes;
        if (flight.lanes)
            warp->flights[kept++] = flight;
    }
    warp->flight_count = kept;
}

/* Returns the time, `ready` or later, at which the lanes have all results that they wait for. If too many
 * requests would still be in flight, the lanes also wait for the request that is done first. */
static uint64_t wait_for(struct warp *warp, lane_set lanes, struct wanted *wanted, uint64_t ready)
{
    if (wanted->to_store)
        part(warp, lanes, wanted->requests);
    struct in_flight *end = warp->flights + warp->flight_count;
    uint64_t first = NEVER;
    int own = 0;
    for (struct in_flight *f = warp->flights; f < end; f++)
        if (f->lanes & lanes && waits_for(wanted, f) && f->done_at > ready)
            ready = f->done_at;
    for (const struct in_flight *f = warp->flights; f < end; f++) {
        if (!(f->lanes & lanes) || f->done_at <= ready)
            continue;
        own++;
        first = f->done_at < first ? f->done_at : first;
    }
    if (own && own == the_machine.description.loads_under_way)
        ready = first;
    land(warp, lanes, ready);
    return ready;
}

/* Adds a request to those in flight. Returns false if `flights` is full. */
static bool take_off(struct warp *warp, struct in_flight flight)
{
    if (warp->flight_count == MOST_IN_FLIGHT_OF_WARP)
        return false;
    warp->flights[warp->flight_count++] = flight;
    return true;
}

struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last)
{
    unsigned first = first_lane(alike);
    const struct lane *lane = &warp->lanes[first];
    struct dependence next = dependence_of(lane->instruction);
    bool exits = warp->exited & LANE(first);
    struct wanted wanted = wanted_by(lane, lane->needs | next.needs, exits, warp->turned & LANE(first));
    struct in_flight own = {alike, UINT64_C(1) << lane->number, last->done_at, 0};
    struct due due = {last->done_at + last->pause, last->done_at + last->pause, 0};
    if (last->has_result && the_machine.description.loads_under_way > 1) {
        due.issue_at = last->issued_at + 1;
        if (!exits && !waits_for(&wanted, &own))
            due.ready_at = due.issue_at;
    }
    if (warp->flight_count)
        due.ready_at = wait_for(warp, alike, &wanted, due.ready_at);
    if (last->done_at > due.ready_at && !take_off(warp, own))
        due.ready_at = last->done_at + last->pause;
    due.value_at = wanted.value_at;
    warp->turned &= ~alike;
    FOR_EACH_LANE(i, told_lanes(warp, alike))
    {
        /* an acquire access keeps its number, by which a loop that polls is recognized */
        if (lane->kind != REQUEST_FENCE_ACQUIRE)
            warp->lanes[i].number = (uint8_t)next.number;
        warp->lanes[i].needs = 0;
    }
    return due;
}
