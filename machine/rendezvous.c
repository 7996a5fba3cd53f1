/* Lanes that wait for each other: __syncthreads among a block, __syncwarp, shuffles and votes among a warp.
 */
#include "machine/state.h"

/* Lets the block's waiting lanes go on if all that still run have arrived; exited ones count as arrived. */
void rendezvous_block(struct block *block, uint64_t now)
{
    unsigned threads = the_machine.run.launch->block;
    if (!block->at_barrier || block->at_barrier + block->exited < threads)
        return;
    block->at_barrier = 0;
    the_machine.counters.block_barriers++;
    trace_interval_ends(now);
    scheduler_changed();
    uint64_t ready_at = now + (uint64_t)the_machine.description.syncthreads_latency;
    for (unsigned i = 0; i < threads; i++)
        if (block->lanes[i].state == LANE_AT_BLOCK_BARRIER)
            scheduler_let_go(&block->lanes[i], ready_at);
}

/* A group of lanes arrives at a named barrier (bar.sync, bar.arrive); the count of threads opens it. */
void rendezvous_named(struct block *block, struct lane **lanes, unsigned count, uint64_t now)
{
    unsigned id = (unsigned)lanes[0]->request.value % NAMED_BARRIERS,
             expected = (unsigned)lanes[0]->request.mask;
    bool waits = lanes[0]->request.kind == REQUEST_NAMED_BARRIER;
    block->named_used |= 1u << id;
    unsigned used = (unsigned)__builtin_popcount(block->named_used);
    if (used > the_machine.counters.named_barriers)
        the_machine.counters.named_barriers = used;
    block->arrived[id] += count;
    for (unsigned i = 0; i < count && waits; i++)
        lanes[i]->state = LANE_AT_NAMED_BARRIER;
    uint64_t ready_at = now + (uint64_t)the_machine.description.syncthreads_latency;
    if (block->arrived[id] >= expected) {
        block->arrived[id] = 0;
        scheduler_changed();
        for (unsigned i = 0; i < the_machine.run.launch->block; i++)
            if (block->lanes[i].state == LANE_AT_NAMED_BARRIER &&
                block->lanes[i].request.value % NAMED_BARRIERS == id)
                scheduler_let_go(&block->lanes[i], ready_at);
    }
    for (unsigned i = 0; i < count && !waits; i++)
        scheduler_go_on(lanes[i], now + 1, now + 1);
}

static bool waits_here(const struct lane *lane, uint64_t mask, enum request_kind kind)
{
    return lane->state == LANE_AT_WARP_BARRIER && lane->request.kind == kind && lane->request.mask == mask;
}

static void exchange(struct warp *warp, uint64_t mask, enum request_kind kind)
{
    uint64_t ballot = 0;
    for (unsigned i = 0; i < warp->lane_count; i++)
        if (waits_here(&warp->lanes[i], mask, kind) && warp->lanes[i].request.value)
            ballot |= UINT64_C(1) << i;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        struct lane *lane = &warp->lanes[i];
        if (!waits_here(lane, mask, kind))
            continue;
        unsigned source = (unsigned)lane->request.source_lane;
        bool valid = source < warp->lane_count && waits_here(&warp->lanes[source], mask, kind);
        if (kind == REQUEST_BALLOT)
            lane->request.result = ballot;
        else
            lane->request.result = valid ? warp->lanes[source].request.value : lane->request.value;
    }
}

/* Lets the warp's lanes in the mask go on, with their results, if all of them that still run have arrived. */
void rendezvous_warp(struct warp *warp, uint64_t mask, enum request_kind kind, uint64_t now)
{
    unsigned waiting = 0;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        const struct lane *lane = &warp->lanes[i];
        if (!(mask >> i & 1) || lane->state == LANE_EXITED)
            continue;
        if (!waits_here(lane, mask, kind))
            return;
        waiting++;
    }
    if (!waiting)
        return;
    exchange(warp, mask, kind);
    the_machine.counters.shuffles += kind != REQUEST_WARP_BARRIER;
    scheduler_changed();
    const struct machine_description *d = &the_machine.description;
    uint64_t ready_at =
        now + (uint64_t)(kind == REQUEST_WARP_BARRIER ? d->syncwarp_latency : d->shuffle_latency);
    bool go[MACHINE_MAX_WARP];
    for (unsigned i = 0; i < warp->lane_count; i++)
        go[i] = waits_here(&warp->lanes[i], mask, kind);
    for (unsigned i = 0; i < warp->lane_count; i++)
        if (go[i])
            scheduler_let_go(&warp->lanes[i], ready_at);
}
