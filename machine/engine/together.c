#include "machine/engine/together.h"
#include "machine/engine/rules.h"
#include "machine/engine/spent.h"
#include "machine/engine/trace.h"

bool together_is_on(void)
{
    return !spent_is_noted && !trace_is_on();
}

bool together_polls_too_long(const struct warp *warp)
{
    const struct lane_more *more = &warp->more[first_lane(all_lanes(warp) & ~warp->exited)];
    return states_are_compared() && more->repeats_since == the_machine.run.changed &&
           more->repeats + 1 >= REPEATS_BEFORE_STATES;
}

void together_begin(struct warp *warp)
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
