#include "machine/engine/warp_operations.h"
#include "machine/engine/rules.h"

static void exchange(struct warp *warp, lane_set together)
{
    if (rules_are_checked && warp->lanes[first_lane(together)].kind == REQUEST_SHUFFLE)
        rules_shuffle(warp, together);
    FOR_EACH_LANE(i, together)
    {
        struct lane_more *more = &warp->more[i];
        unsigned source = (unsigned)more->source_lane;
        bool valid = source < warp->lane_count && together & LANE(source);
        more->result = valid ? warp->more[source].value : more->value;
    }
}

static void vote(struct warp *warp, lane_set together)
{
    uint64_t ballot = 0;
    FOR_EACH_LANE(i, together)
    if (warp->more[i].value)
        ballot |= LANE(i);
    FOR_EACH_LANE(i, together) warp->more[i].result = ballot;
}

static void match(struct warp *warp, lane_set together)
{
    FOR_EACH_LANE(i, together)
    {
        lane_set same = 0;
        FOR_EACH_LANE(other, together)
        if (warp->more[other].value == warp->more[i].value)
            same |= LANE(other);
        warp->more[i].result = warp->more[i].source_lane && same != together ? 0 : same;
    }
}

static uint32_t combine(uint32_t a, uint32_t b, enum machine_reduction operation)
{
    switch (operation) {
    case REDUCTION_MIN:
        return a < b ? a : b;
    case REDUCTION_MAX:
        return a > b ? a : b;
    case REDUCTION_SIGNED_MIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case REDUCTION_SIGNED_MAX:
        return (int32_t)a > (int32_t)b ? a : b;
    case REDUCTION_AND:
        return a & b;
    case REDUCTION_OR:
        return a | b;
    case REDUCTION_XOR:
        return a ^ b;
    default:
        return a + b;
    }
}

static void reduce(struct warp *warp, lane_set together)
{
    unsigned first = first_lane(together);
    uint32_t all = (uint32_t)warp->more[first].value;
    FOR_EACH_LANE(i, together & ~LANE(first))
    all = combine(all, (uint32_t)warp->more[i].value, (enum machine_reduction)warp->more[first].source_lane);
    FOR_EACH_LANE(i, together) warp->more[i].result = all;
}

void warp_operation_results(struct warp *warp, lane_set together)
{
    switch (warp->lanes[first_lane(together)].kind) {
    case REQUEST_BALLOT:
        vote(warp, together);
        break;
    case REQUEST_MATCH:
        match(warp, together);
        break;
    case REQUEST_REDUCTION:
        reduce(warp, together);
        break;
    default:
        exchange(warp, together);
        break;
    }
}
