#include "machine/engine/groups.h"
#include "machine/code/instructions.h"
#include "machine/engine/critical_path.h"
#include "machine/engine/rules.h"
#include "machine/engine/trace.h"
#include "machine/time/shared_atomics.h"
#include "machine/time/work.h"

/* Computes the time of the warp's next event. In a lockstep warp, lanes wait for each other, so the time
 * of the latest one counts. */
void groups_update_times(struct warp *warp)
{
    struct sm *sm = warp->block->sm;
    bool lockstep = the_machine.description.lockstep;
    uint64_t effect = NEVER, ready = NEVER;
    for (unsigned g = 0; g < warp->group_count; g++) {
        const struct group *group = &warp->groups[g];
        if (group->is_held)
            continue;
        if (group->in_memory)
            effect = group->effect_at < effect ? group->effect_at : effect;
        else if (ready == NEVER || (lockstep ? group->ready_at > ready : group->ready_at < ready))
            ready = group->ready_at;
    }
    if (lockstep && effect != NEVER)
        ready = NEVER;
    sm->next_effect[warp->slot] = effect;
    sm->issue_at[warp->slot] = ready > warp->held_until ? ready : warp->held_until;
}

static void note_exits(struct warp *warp, lane_set lanes, uint64_t done_at)
{
    struct block *block = warp->block;
    uint64_t last = done_at;
    FOR_EACH_LANE(i, lanes)
    {
        unsigned told = warp->together ? first_lane(lanes) : i;
        uint64_t stores = warp->lanes[told].stores_done_at, end = done_at > stores ? done_at : stores;
        if (end > block->finished_at)
            block->finished_at = end;
        last = end > last ? end : last;
        block->exited++;
        note_change();
    }
    if (__builtin_expect(spent_is_noted, false))
        critical_path_end(warp, last);
}

/* Called when lanes reach a request. Sets their counted work to `work`, the work that follows this
 * request. */
static void begin_work(struct warp *warp, lane_set lanes, struct work work)
{
    FOR_EACH_LANE(i, told_lanes(warp, lanes))
    {
        warp->lanes[i].work = work;
        warp->lanes[i].arithmetic = 0;
    }
}

/* Returns a group for the lane: one of the warp's groups from number `from` on that has the lane's
 * instruction and times, or else a new one. The work of a group is the largest of its lanes' work, because
 * lanes that come to one instruction have executed the instructions before it together. */
static struct group *join(struct warp *warp, unsigned from, const struct lane *lane, struct due due,
                          bool is_held)
{
    for (unsigned g = warp->group_count; g-- > from;) {
        struct group *group = &warp->groups[g];
        if (group->instruction == lane->instruction && group->kind == lane->kind &&
            group->issue_at == due.issue_at && group->ready_at == due.ready_at &&
            group->value_at == due.value_at && group->is_held == is_held) {
            work_most(&group->work, &lane->work);
            return group;
        }
    }
    struct group *group = &warp->groups[warp->group_count++];
    *group = (struct group){.instruction = lane->instruction,
                            .kind = lane->kind,
                            .plain_load = lane->plain && lane->kind == REQUEST_LOAD,
                            .work = lane->work,
                            .is_held = is_held,
                            .issue_at = due.issue_at,
                            .ready_at = due.ready_at,
                            .value_at = due.value_at};
    return group;
}

/* Can lanes be together? They cannot while the time spent is noted or a trace is written, because both need
 * the entry of each lane at each request. */
static bool together_is_on(void)
{
    return !spent_is_noted && !trace_is_on();
}

bool together_polls_too_long(const struct warp *warp)
{
    const struct lane_more *more = &warp->more[first_lane(all_lanes(warp) & ~warp->exited)];
    return more->repeats_since == the_machine.run.changed && more->repeats + 1 >= REPEATS_BEFORE_STATES;
}

/* Notes that the warp's lanes are together if they are: they are in one group, and nothing but addresses
 * differs. */
static void together_begin(struct warp *warp)
{
    lane_set all = all_lanes(warp) & ~warp->exited;
    if (warp->fragments != 1 || !all || warp->group_count != 1 || warp->groups[0].lanes != all ||
        warp->groups[0].is_held || warp->join_count || !together_is_on() || together_polls_too_long(warp))
        return;
    struct lane *first = &warp->lanes[first_lane(all)];
    for (unsigned f = 0; f < warp->flight_count; f++)
        if (all & ~warp->flights[f].lanes)
            return;
    FOR_EACH_LANE(i, all)
    {
        const struct lane *lane = &warp->lanes[i];
        if (lane->number != first->number || lane->needs != first->needs)
            return;
        /* the lanes' next fence, and the end of the block, wait for the last of their stores */
        if (lane->stores_done_at > first->stores_done_at)
            first->stores_done_at = lane->stores_done_at;
    }
    warp->together = true;
}

void groups_form(struct warp *warp, lane_set lanes, const struct outcome *last)
{
    unsigned from = warp->group_count, named = 0;
    struct work exiting = {0};
    uint64_t latency = (uint64_t)the_machine.description.arithmetic_latency;
    work_add_polls(warp, lanes);
    for (lane_set alike; lanes; lanes &= ~alike) {
        alike = warp->together ? lanes : scoreboard_alike(warp, lanes);
        const struct lane *lane = &warp->lanes[first_lane(alike)];
        struct due due = scoreboard_next(warp, alike, last);
        if (warp->exited & alike) {
            note_exits(warp, alike, work_done_at(&lane->work, due));
            work_most(&exiting, &lane->work);
        } else {
            due.issue_at += lane->arithmetic * latency;
            due.ready_at += lane->arithmetic * latency;
            join(warp, from, lane, due, (alike & warp->held) != 0)->lanes |= alike;
        }
        named = lane->arithmetic > named ? lane->arithmetic : named;
        begin_work(warp, alike, work_after(lane->instruction));
    }
    work_add(warp, from);
    if (!warp->together)
        together_begin(warp);
    the_machine.counters.instructions += exiting.instructions + named;
}

/* ---- groups whose request is in memory ---- */

static void split_by_effect(struct warp *warp, const struct group *atomics)
{
    unsigned from = warp->group_count;
    together_end(warp);
    FOR_EACH_LANE(i, atomics->lanes)
    {
        uint64_t effect_at = warp->more[i].effect_at;
        unsigned g = from;
        while (g < warp->group_count && warp->groups[g].effect_at != effect_at)
            g++;
        if (g == warp->group_count) {
            warp->groups[warp->group_count++] = *atomics;
            warp->groups[g].lanes = 0;
            warp->groups[g].effect_at = effect_at;
        }
        warp->groups[g].lanes |= LANE(i);
    }
}

void groups_enter_memory(struct warp *warp, struct group *group)
{
    group->in_memory = true;
    if (group->kind == REQUEST_ATOMIC && group->parts)
        split_by_effect(warp, group);
    else
        warp->groups[warp->group_count++] = *group;
}

/* A thread does not wait here for the result of a load or an atomic, except in the loop around an atomic. */
static struct resumption resumption_of(const struct warp *warp, const struct group *group)
{
    bool loops = group->kind == REQUEST_ATOMIC && shared_atomics_loop(warp, group->lanes);
    return (struct resumption){
        group->lanes,
        {.has_result = group->kind == REQUEST_LOAD || (group->kind == REQUEST_ATOMIC && !loops),
         .issued_at = group->effect_at,
         .done_at = group->complete_at,
         .pause = result_pause()}};
}

unsigned groups_leave_memory(struct warp *warp, uint64_t now, struct resumption resumptions[MACHINE_MAX_WARP])
{
    unsigned count = 0;
    for (unsigned g = 0; g < warp->group_count;) {
        if (!warp->groups[g].in_memory || warp->groups[g].effect_at > now) {
            g++;
            continue;
        }
        resumptions[count++] = resumption_of(warp, &warp->groups[g]);
        warp->groups[g] = warp->groups[--warp->group_count];
    }
    return count;
}

/* Copies what is noted of a lane that polls. */
static void copy_polling(struct lane_more *to, const struct lane_more *from)
{
    to->polled = from->polled;
    to->repeats = from->repeats;
    to->repeats_since = from->repeats_since;
    to->state = from->state;
    to->returned = from->returned;
}

void together_end(struct warp *warp)
{
    if (!warp->together)
        return;
    lane_set all = all_lanes(warp) & ~warp->exited;
    unsigned first = first_lane(all);
    FOR_EACH_LANE(i, all)
    {
        if (i != first)
            warp->lanes[i] = warp->lanes[first];
        warp->lanes[i].address = warp->addresses[i];
        copy_polling(&warp->more[i], &warp->more[first]);
    }
    warp->together = false;
}

void together_end_all(struct run *run)
{
    for (unsigned s = 0; run->sms && s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++)
            together_end(run->sms[s].warps[w]);
}
