#include "machine/scoreboard.h"
#include "machine/instructions.h"

static bool same_work(const struct work *a, const struct work *b)
{
    return a->instructions == b->instructions && a->parameters == b->parameters && a->free == b->free &&
           a->bound == b->bound;
}

static bool same_request(const struct lane *a, const struct lane *b)
{
    return a->instruction == b->instruction && a->needs == b->needs && a->number == b->number &&
           a->kind == b->kind && a->plain == b->plain && a->is_next_word == b->is_next_word &&
           a->arithmetic == b->arithmetic && same_work(&a->work, &b->work);
}

lane_set scoreboard_alike(const struct warp *warp, lane_set lanes)
{
    unsigned first = first_lane(lanes);
    lane_set candidates = lanes & (warp->exited & LANE(first) ? warp->exited : ~warp->exited), alike = 0;
    for (unsigned f = 0; f < warp->flight_count; f++)
        candidates &= warp->flights[f].lanes & LANE(first) ? warp->flights[f].lanes : ~warp->flights[f].lanes;
    FOR_EACH_LANE(i, candidates)
    alike |= same_request(&warp->lanes[i], &warp->lanes[first]) ? LANE(i) : 0;
    return alike;
}

/* Fences order all before them, and lock bits are taken and freed by instructions that follow at once. */
static bool waits_for_all(const struct lane *lane)
{
    return (lane->kind >= REQUEST_LOCK_LOAD && lane->kind <= REQUEST_FENCE_BLOCK) ||
           lane->kind == REQUEST_CLOCK || lane->arithmetic;
}

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

/* When what the lanes wait for is done: requests of the set, and, if there would be too many, the one that is done first. */
static uint64_t wait_for(struct warp *warp, lane_set lanes, uint64_t requests, uint64_t ready)
{
    const struct in_flight *end = warp->flights + warp->flight_count;
    uint64_t first = NEVER;
    int own = 0;
    for (const struct in_flight *f = warp->flights; f < end; f++)
        if (f->lanes & lanes && f->requests & requests && f->done_at > ready)
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

/* Returns whether there was room. */
static bool take_off(struct warp *warp, lane_set lanes, uint64_t requests, const struct outcome *last)
{
    struct in_flight *before = warp->flights + warp->flight_count;
    while (before > warp->flights && !(before[-1].lanes & lanes))
        before--;
    if (last->is_next_word && before > warp->flights && before[-1].lanes == lanes) {
        before[-1].requests |= requests;
        before[-1].done_at = last->done_at > before[-1].done_at ? last->done_at : before[-1].done_at;
        return true;
    }
    if (warp->flight_count == MOST_IN_FLIGHT_OF_WARP)
        return false;
    warp->flights[warp->flight_count++] = (struct in_flight){lanes, requests, last->done_at};
    return true;
}

struct due scoreboard_next(struct warp *warp, lane_set alike, const struct outcome *last)
{
    unsigned first = first_lane(alike);
    const struct lane *lane = &warp->lanes[first];
    struct dependence next = dependence_of(lane->instruction);
    uint64_t own = UINT64_C(1) << lane->number, needs = lane->needs | next.needs;
    struct due due = {last->done_at + last->pause, last->done_at + last->pause};
    bool exits = warp->exited & LANE(first);
    if (exits || waits_for_all(lane))
        needs = ALL_REQUESTS;
    if (last->has_result && the_machine.description.loads_under_way > 1) {
        due.issue_at = last->issued_at + 1;
        if (!exits && (last->next_words || !(needs & own)))
            due.ready_at = due.issue_at;
    }
    if (warp->flight_count)
        due.ready_at = wait_for(warp, alike, needs, due.ready_at);
    if (last->done_at > due.ready_at && !take_off(warp, alike, own, last))
        due.ready_at = last->done_at + last->pause;
    FOR_EACH_LANE(i, alike)
    {
        warp->lanes[i].number = (uint8_t)next.number;
        warp->lanes[i].needs = 0;
    }
    return due;
}
