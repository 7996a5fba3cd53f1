#include "machine/time/work.h"
#include "machine/code/instructions.h"

uint64_t work_done_at(const struct work *work, struct due due)
{
    uint64_t parts = due.issue_at * PARTS_OF_A_UNIT + work->free, ready = due.ready_at * PARTS_OF_A_UNIT;
    return ((parts > ready ? parts : ready) + work->bound) / PARTS_OF_A_UNIT;
}

void work_add(struct warp *warp, unsigned from)
{
    for (struct group *g = warp->groups + from; g < warp->groups + warp->group_count; g++) {
        g->ready_at = work_done_at(&g->work, (struct due){g->issue_at, g->ready_at, 0});
        g->value_at += g->value_at ? g->work.bound / PARTS_OF_A_UNIT : 0;
    }
}

uint64_t result_pause(void)
{
    return (uint64_t)the_machine.description.issue_latency;
}

void work_take_issue_slots(struct sm *sm, const struct work *work, uint64_t now)
{
    uint64_t time = ((uint64_t)work->free + work->bound) / PARTS_OF_A_UNIT,
             begun = issue_slots_at(now > time ? now - time : 0);
    sm->issue_slot =
        (sm->issue_slot > begun ? sm->issue_slot : begun) + work->instructions * (uint64_t)ISSUE_SLOT;
    the_machine.counters.instructions += work->instructions;
    the_machine.counters.unit_slots[work->unit] += work->instructions;
}

/* Returns whether the lane has left the loop in which it polled: its next request is not the poll again. */
static bool has_left(const struct warp *warp, unsigned lane)
{
    return warp->exited & LANE(lane) || warp->lanes[lane].instruction != warp->more[lane].polled;
}

/* Returns the time of the branch of a loop in which the lane polls. `apart` says whether other lanes of the
 * warp are elsewhere. A loop of acquire loads takes only the additional time of lanes apart. A warp whose
 * lanes all wait for an mbarrier leaves the loop by a predicate, in no time. */
static int poll_latency_of(const struct warp *warp, unsigned lane, bool apart)
{
    const struct machine_description *d = &the_machine.description;
    if (warp->looked_at_mbarrier & LANE(lane) && !apart && has_left(warp, lane))
        return 0;
    if (warp->looked_at_mbarrier & LANE(lane) && !apart && d->mbarrier_poll_latency)
        return d->mbarrier_poll_latency;
    if (warp->looked_at_shared & LANE(lane))
        return apart ? d->shared_poll_apart_latency : d->shared_poll_latency;
    int latency = apart ? d->poll_apart_latency : d->poll_latency;
    if (warp->looked_in_order & LANE(lane))
        return latency - d->poll_latency;
    if (has_left(warp, lane) && d->poll_leave_latency)
        latency += d->poll_leave_latency - d->poll_latency;
    return latency;
}

void work_add_polls(struct warp *warp, lane_set lanes)
{
    lane_set looked = warp->looked & lanes, again = 0;
    bool apart = looked != (all_lanes(warp) & ~warp->exited);
    FOR_EACH_LANE(i, told_lanes(warp, looked))
    {
        struct lane *lane = &warp->lanes[i];
        bool meets = lane->kind >= REQUEST_BLOCK_BARRIER && lane->kind <= REQUEST_BALLOT;
        work_wait(&lane->work, poll_latency_of(warp, i, apart));
        if (apart && meets)
            work_wait(&lane->work, the_machine.description.poll_meet_latency);
        if (warp->looked_at_mbarrier & LANE(i) && !has_left(warp, i))
            again |= warp->together ? looked : LANE(i);
    }
    warp->looked &= ~lanes;
    warp->tries_again = (warp->tries_again & ~lanes) | again;
}

/* The constants of barriers are for blocks of 1 warp (syncthreads_latency) and of 32 warps
 * (syncthreads_latency_of_32); this is the difference. */
#define FURTHER_WARPS 31

/* Returns when an arrival at `now` is counted. `next` is when the next one can be counted, in parts of a time
 * unit, and `more` is by how much longer a barrier of 32 warps takes than one of 1 warp. */
static uint64_t counted_at(uint64_t *next, int more, uint64_t now)
{
    uint64_t at = *next > now * FURTHER_WARPS ? *next : now * FURTHER_WARPS;
    *next = at + (more > 0 ? (uint64_t)more : 0);
    return at / FURTHER_WARPS;
}

uint64_t barrier_arrives(struct sm *sm, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    return counted_at(&sm->barrier_parts, d->syncthreads_latency_of_32 - d->syncthreads_latency, now);
}

uint64_t cluster_barrier_arrives(struct sm *sm, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    return counted_at(&sm->cluster_parts, d->cluster_barrier_latency_of_32 - d->cluster_barrier_latency, now);
}

uint64_t cluster_barrier_latency(void)
{
    const struct machine_description *d = &the_machine.description;
    return (uint64_t)(d->cluster_barrier_latency ? d->cluster_barrier_latency : d->global_latency);
}

uint64_t warp_meeting_latency(enum request_kind kind)
{
    const struct machine_description *d = &the_machine.description;
    return (uint64_t)(kind == REQUEST_WARP_BARRIER ? d->syncwarp_latency : d->shuffle_latency);
}

/* Returns the period in time units with which sleeps of this number of nanoseconds end: the next larger power
 * of two of nanoseconds, as measured on an H100 and an H200. */
static uint64_t sleep_period(uint64_t nanoseconds)
{
    uint64_t period = 1;
    while (period <= nanoseconds)
        period *= 2;
    return (uint64_t)((double)period * the_machine.description.clock_hz / 1e9);
}

uint64_t sleep_end(uint64_t nanoseconds, uint64_t now)
{
    uint64_t latency = (uint64_t)the_machine.description.sleep_latency, period = sleep_period(nanoseconds);
    if (!latency || the_machine.memory.is_weak)
        return now + 1;
    uint64_t end = period ? (now / period + 1) * period : now;
    return end > now + latency ? end : now + latency;
}
