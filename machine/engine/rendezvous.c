#include "machine/engine/rendezvous.h"
#include "base/failure.h"
#include "machine/engine/trace.h"

bool rendezvous_block_opens(struct block *block, uint64_t now)
{
    if (!block->at_barrier || block->at_barrier + block->exited < block->threads)
        return false;
    block->at_barrier = 0;
    the_machine.counters.block_barriers++;
    trace_interval_ends(now);
    note_change();
    return true;
}

unsigned rendezvous_named_barrier(const struct warp *warp, unsigned lane)
{
    return (unsigned)warp->more[lane].value;
}

/* What the PTX ISA leaves undefined (bar): a barrier number that does not exist, a number of threads that is
 * no multiple of a warp's, and a number that differs from that of earlier arrivals. */
static void check_named(const struct block *block, unsigned id, unsigned threads)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    if (id >= NAMED_BARRIERS)
        fail(EXIT_CANNOT, "named barrier %u: a block has the numbers 0 to %d", id, NAMED_BARRIERS - 1);
    if (!threads || threads % width)
        fail(EXIT_CANNOT, "named barrier %u waits for %u threads, which is no multiple of a warp's %u", id,
             threads, width);
    if (block->arrived[id] && block->expected[id] != threads)
        fail(EXIT_CANNOT, "named barrier %u waits for %u threads, and is now told to wait for %u", id,
             block->expected[id], threads);
}

bool rendezvous_named_opens(struct warp *warp, lane_set lanes)
{
    struct block *block = warp->block;
    unsigned first = first_lane(lanes), id = rendezvous_named_barrier(warp, first);
    check_named(block, id, (unsigned)warp->more[first].mask);
    block->expected[id] = (unsigned)warp->more[first].mask;
    block->named_used |= 1u << id;
    unsigned used = (unsigned)__builtin_popcount(block->named_used);
    if (used > the_machine.counters.named_barriers)
        the_machine.counters.named_barriers = used;
    block->arrived[id] += (unsigned)__builtin_popcountll(lanes);
    if (lanes & LANE(warp->lane_count - 1)) /* barriers count whole warps: a short one's absent lanes too */
        block->arrived[id] += (unsigned)the_machine.description.warp_size - warp->lane_count;
    if (block->arrived[id] < (unsigned)warp->more[first].mask)
        return false;
    block->arrived[id] = 0;
    note_change();
    return true;
}

/* ---- within a warp ---- */

/* The lanes that wait at the same operation as this one: of one kind, with one mask. */
static lane_set waiting_with(const struct warp *warp, unsigned lane)
{
    lane_set same = 0;
    FOR_EACH_LANE(i, warp->at_warp_barrier)
    if (warp->lanes[i].kind == warp->lanes[lane].kind && warp->more[i].mask == warp->more[lane].mask)
        same |= LANE(i);
    return same;
}

static void exchange(struct warp *warp, lane_set together)
{
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

lane_set rendezvous_warp(struct warp *warp, unsigned lane)
{
    lane_set together = waiting_with(warp, lane);
    lane_set expected = warp->more[lane].mask & all_lanes(warp) & ~warp->exited;
    if (!expected || expected & ~together)
        return 0;
    if (warp->lanes[lane].kind == REQUEST_BALLOT)
        vote(warp, together);
    else
        exchange(warp, together);
    the_machine.counters.shuffles += warp->lanes[lane].kind != REQUEST_WARP_BARRIER;
    if (warp->lanes[lane].kind != REQUEST_BALLOT) /* lanes that poll vote whether to go on */
        note_change();
    return together;
}

/* ---- convergence ---- */

void convergence_set(struct warp *warp, lane_set lanes)
{
    FOR_EACH_LANE(i, lanes)
    {
        struct lane_more *more = &warp->more[i];
        if (more->convergence_depth == MAX_CONVERGENCE_DEPTH)
            fail(EXIT_CANNOT, "more than %d convergence points in each other", MAX_CONVERGENCE_DEPTH);
        more->converging[more->convergence_depth++] = lanes;
    }
}

/* Have all that were together with the lane arrived or exited? */
static bool complete(const struct warp *warp, unsigned lane)
{
    unsigned depth = warp->more[lane].convergence_depth;
    lane_set others = warp->more[lane].converging[depth - 1] & ~warp->exited;
    if (others & ~warp->at_convergence)
        return false;
    FOR_EACH_LANE(i, others)
    if (warp->more[i].convergence_depth != depth)
        return false;
    return true;
}

lane_set convergence_reached(struct warp *warp)
{
    lane_set go = 0;
    FOR_EACH_LANE(i, warp->at_convergence)
    if (complete(warp, i))
        go |= LANE(i);
    if (go)
        note_change();
    FOR_EACH_LANE(i, go) warp->more[i].convergence_depth--;
    return go;
}
