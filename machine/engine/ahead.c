#include "machine/engine/ahead.h"
#include "base/memory.h"
#include "machine/engine/orders.h"
#include "machine/engine/rules.h"
#include "machine/engine/spent.h"

#include <string.h>

_Static_assert(sizeof(struct lane) == 64, "a lane fills one cache line");

bool ahead_is_on(void)
{
    return the_machine.runs_ahead && !the_machine.run.rejoins && !the_machine.memory.is_weak &&
           !rules_are_checked && !spent_is_noted && !orders_are_noted;
}

struct ahead *ahead_make(unsigned warps)
{
    return allocate_aligned(warps * sizeof(struct ahead));
}

/* Makes `from` the lane's request. The other members of the lane are the machine's. */
static void copy_request(struct lane *lane, const struct lane *from, uintptr_t address)
{
    uint8_t number = lane->number, ahead = lane->ahead, taken = lane->ahead_taken;
    lane->address = address;
    lane->instruction = from->instruction;
    memcpy(&lane->needs, &from->needs, REQUEST_BYTES);
    lane->number = number;
    lane->ahead = ahead;
    lane->ahead_taken = (uint8_t)(taken + 1);
}

static void take(struct warp *warp, unsigned number)
{
    struct ahead *queue = warp->ahead;
    struct lane *lane = &warp->lanes[number];
    unsigned at = lane->ahead_taken;
    bool is_last = at + 1 == lane->ahead;
    if (is_last) {
        copy_request(lane, &queue->last[number], queue->last[number].address);
    } else {
        copy_request(lane, &queue->common[at], queue->address[at][number]);
        queue->like_common[at] &= ~LANE(number);
    }
    warp->turned |= lane->turned ? LANE(number) : 0;
    warp->exited |= lane->exits ? LANE(number) : 0;
    lane->turned = lane->exits = false;
}

void ahead_stop(struct warp *warp)
{
    struct lane *lane = &warp->lanes[running.lane];
    warp->ahead->last[running.lane] = *lane;
    lane->ahead = (uint8_t)(running.ahead + 1);
    lane->ahead_taken = 0;
    take(warp, running.lane);
}

void ahead_exit(struct warp *warp)
{
    if (running.ahead)
        warp->lanes[running.lane].exits = true;
    else
        warp->exited |= LANE(running.lane);
}

lane_set ahead_take(struct warp *warp, lane_set lanes)
{
    lane_set others = 0;
    FOR_EACH_LANE(i, lanes) __builtin_prefetch(&warp->lanes[i], 1);
    FOR_EACH_LANE(i, lanes)
    {
        if (warp->lanes[i].ahead_taken < warp->lanes[i].ahead)
            take(warp, i);
        else
            others |= LANE(i);
    }
    return others;
}
