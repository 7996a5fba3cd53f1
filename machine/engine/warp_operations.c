#include "machine/engine/warp_operations.h"
#include "machine/engine/rules.h"
#include "machine/memory/operations.h"

static void exchange(struct warp *warp, lane_set together)
{
    if (rules_are_checked && lane_of(warp, first_lane(together))->kind == REQUEST_SHUFFLE)
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

/* Reduces the lanes' values by the atomic operation that has the reduction's name. */
static void reduce(struct warp *warp, lane_set together)
{
    static const enum machine_operation operations[] = {
        [REDUCTION_ADD] = OPERATION_ADD,
        [REDUCTION_MIN] = OPERATION_MIN,
        [REDUCTION_MAX] = OPERATION_MAX,
        [REDUCTION_SIGNED_MIN] = OPERATION_MIN_SIGNED,
        [REDUCTION_SIGNED_MAX] = OPERATION_MAX_SIGNED,
        [REDUCTION_AND] = OPERATION_AND,
        [REDUCTION_OR] = OPERATION_OR,
        [REDUCTION_XOR] = OPERATION_XOR,
    };
    unsigned first = first_lane(together);
    enum machine_operation operation = operations[warp->more[first].source_lane];
    uint64_t all = operation_low_bytes(warp->more[first].value, sizeof(uint32_t));
    FOR_EACH_LANE(i, together & ~LANE(first))
    all = operation_result(operation, all, warp->more[i].value, 0, sizeof(uint32_t));
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
