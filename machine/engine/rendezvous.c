/* One file because the operations of a warp are rendezvous of its lanes, with results. */
#include "machine/engine/rendezvous.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/engine/clusters.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/critical_path.h"
#include "machine/engine/rules.h"
#include "machine/engine/groups.h"
#include "machine/engine/trace.h"
#include "machine/memory/operations.h"
#include "machine/time/work.h"
#include "machine/weak/weak_block.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- completions: lanes that may run on, and waits that may be over ---- */

/* An entry of `completions`. An entry of kind LANES says that these lanes may run on. An entry of kind
 * WARP_OPERATION or CONVERGENCE says that the operation at which a lane waits, or the warp's convergence
 * points, may be complete and must be checked. */
struct completion {
    enum { LANES, WARP_OPERATION, CONVERGENCE } what;
    struct warp *warp;
    struct resumption resumption;
};

/* A stack of completions still to be handled. The last one is handled first: when running lanes complete
 * something, this is handled before what was complete already. */
static struct completion *completions;
static size_t completion_count, completion_room;

static void add(struct completion completion)
{
    if (completion_count == completion_room) {
        completion_room = 2 * completion_room + MACHINE_MAX_WARP;
        completions = reallocate(completions, completion_room * sizeof *completions);
    }
    completions[completion_count++] = completion;
}

static void add_lanes(struct warp *warp, lane_set lanes, struct outcome last)
{
    if (lanes)
        add((struct completion){LANES, warp, {lanes, last}});
}

/* Reverses the completions from index `from` on, so that the one added first is handled first. */
static void reverse_added(size_t from)
{
    for (size_t end = completion_count; from + 1 < end; from++, end--) {
        struct completion first = completions[from];
        completions[from] = completions[end - 1];
        completions[end - 1] = first;
    }
}

/* Returns the time of an instruction that neither accesses memory nor has a latency in the description. */
static uint64_t unit_of_dispatch(void)
{
    return the_machine.description.charges_memory_only ? 0 : 1;
}

/* ---- within a block ---- */

/* Returns whether all threads of the block have arrived at __syncthreads or exited. If so, resets the
 * barrier's count. */
static bool block_opens(struct block *block, uint64_t now)
{
    if (!block->at_barrier || block->at_barrier + block->exited < block->threads)
        return false;
    if (rules_are_checked)
        rules_block_barrier_opens(block);
    block->at_barrier = 0;
    block->counted = block->counting;
    block->counting = 0;
    the_machine.counters.block_barriers++;
    trace_interval_ends(now);
    note_change();
    return true;
}

/* Counts the lanes that have arrived at __syncthreads_count() with a predicate. */
static void count_votes(struct warp *warp, lane_set lanes)
{
    warp->block->counts = true;
    warp->block->counting += (unsigned)__builtin_popcountll(warp->votes & lanes);
    warp->voting &= ~lanes;
    warp->votes &= ~lanes;
}

/* Returns the time at which the block's barrier opens. All of the block's threads have arrived. */
static uint64_t opens_at(const struct block *block, uint64_t now)
{
    uint64_t counted = block->counted_at > now ? block->counted_at : now;
    return counted + (uint64_t)the_machine.description.syncthreads_latency;
}

static void open_block_barrier(struct block *block, uint64_t now)
{
    uint64_t open_at = opens_at(block, now);
    if (block->counts)
        open_at += (uint64_t)the_machine.description.syncthreads_count_latency;
    block->counts = false;
    weak_open_block_barrier(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set lanes = warp->at_block_barrier;
        warp->at_block_barrier = 0;
        add_lanes(warp, lanes,
                  (struct outcome){.issued_at = now, .done_at = open_at, .pause = result_pause()});
    }
}

/* Returns the number of the named barrier at which the lane is. */
static unsigned named_barrier(const struct warp *warp, unsigned lane)
{
    return (unsigned)warp->more[lane].value;
}

/* Ends the run or the program because of a barrier's number or number of threads. */
static void __attribute__((format(printf, 3, 4)))
refuse(const struct warp *warp, unsigned lane, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rules_are_checked)
        rules_count_is_wrong(warp, lane, text);
    fail(EXIT_CANNOT, "%s", text);
}

/* Refuses uses of a barrier that the PTX ISA (bar) leaves undefined: a barrier number that does not exist, a
 * number of threads that is not a multiple of the warp size, or a number of threads that differs between
 * arrivals. */
static void check_named(const struct warp *warp, unsigned lane, unsigned id, unsigned threads)
{
    const struct block *block = warp->block;
    unsigned width = (unsigned)the_machine.description.warp_size;
    if (id >= NAMED_BARRIERS)
        refuse(warp, lane, "named barrier %u: a block has the numbers 0 to %d", id, NAMED_BARRIERS - 1);
    if (!threads || threads % width)
        refuse(warp, lane, "named barrier %u waits for %u threads, which is no multiple of a warp's %u", id,
               threads, width);
    if (block->arrived[id] && block->expected[id] != threads)
        refuse(warp, lane, "named barrier %u waits for %u threads, and is now told to wait for %u", id,
               block->expected[id], threads);
}

/* Counts these lanes as arrived at their named barrier (bar.sync, bar.arrive). Returns whether the barrier
 * is complete; then its count begins again at 0. */
static bool named_opens(struct warp *warp, lane_set lanes)
{
    struct block *block = warp->block;
    unsigned first = first_lane(lanes), id = named_barrier(warp, first);
    block->expected[id] = (unsigned)warp->more[first].mask;
    block->named_used |= id < NAMED_BARRIERS ? 1u << id : 0;
    unsigned used = (unsigned)__builtin_popcount(block->named_used);
    if (used > the_machine.counters.named_barriers)
        the_machine.counters.named_barriers = used;
    block->arrived[id] += (unsigned)__builtin_popcountll(lanes);
    /* a block's short last warp counts as a whole warp */
    if (lanes & LANE(warp->lane_count - 1))
        block->arrived[id] += (unsigned)the_machine.description.warp_size - warp->lane_count;
    if (block->arrived[id] < (unsigned)warp->more[first].mask)
        return false;
    block->arrived[id] = 0;
    if (rules_are_checked)
        rules_named_barrier_opens(block, id);
    note_change();
    return true;
}

static void open_named_barrier(struct block *block, unsigned id, uint64_t now)
{
    uint64_t open_at = opens_at(block, now);
    weak_open_named_barrier(block, id);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set lanes = lanes_at_named(warp, id);
        warp->at_named_barrier &= ~lanes;
        add_lanes(warp, lanes,
                  (struct outcome){.issued_at = now, .done_at = open_at, .pause = result_pause()});
    }
}

/* Lets lanes arrive at the same named barrier. */
static void arrive_together(struct warp *warp, lane_set lanes, bool waits, uint64_t now)
{
    unsigned id = named_barrier(warp, first_lane(lanes));
    if (rules_are_checked)
        rules_arrive(warp, lanes, id);
    check_named(warp, first_lane(lanes), id, (unsigned)warp->more[first_lane(lanes)].mask);
    if (waits)
        warp->at_named_barrier |= lanes;
    weak_arrive_at_named_barrier(warp, lanes, id);
    warp->block->counted_at = barrier_arrives(warp->block->sm, now);
    if (named_opens(warp, lanes))
        open_named_barrier(warp->block, id, now);
    if (!waits)
        add_lanes(warp, lanes, (struct outcome){.issued_at = now, .done_at = now + unit_of_dispatch()});
}

/* Lanes at one instruction may be in different rounds of a loop, and so name different barriers. */
static void arrive_at_named_barrier(struct warp *warp, lane_set lanes, bool waits, uint64_t now)
{
    while (lanes) {
        lane_set same = 0;
        FOR_EACH_LANE(i, lanes)
        if (named_barrier(warp, i) == named_barrier(warp, first_lane(lanes)))
            same |= LANE(i);
        lanes &= ~same;
        arrive_together(warp, same, waits, now);
    }
}

/* ---- within a cluster ---- */

static void open_cluster_barrier(struct cluster *cluster, uint64_t now)
{
    cluster->opened_at = (cluster->counted_at > now ? cluster->counted_at : now) + cluster_barrier_latency();
    for (unsigned b = 0; b < cluster->count; b++)
        for (unsigned w = 0; cluster->blocks[b] && w < cluster->blocks[b]->warp_count; w++) {
            struct warp *warp = &cluster->blocks[b]->warps[w];
            lane_set lanes = warp->at_cluster_barrier;
            warp->at_cluster_barrier = 0;
            add_lanes(
                warp, lanes,
                (struct outcome){.issued_at = now, .done_at = cluster->opened_at, .pause = result_pause()});
        }
}

static void arrive_at_cluster_barrier(struct warp *warp, lane_set lanes, uint64_t now)
{
    struct cluster *cluster = warp->block->cluster;
    uint64_t counted_at = cluster_barrier_arrives(warp->block->sm, now);
    if (counted_at > cluster->counted_at)
        cluster->counted_at = counted_at;
    if (cluster_arrive(cluster, (unsigned)__builtin_popcountll(lanes)))
        open_cluster_barrier(cluster, now);
    add_lanes(warp, lanes, (struct outcome){.issued_at = now, .done_at = now + unit_of_dispatch()});
}

/* Lets lanes run on if the phase at which they arrived has opened, and lets the others wait. */
static void wait_at_cluster_barrier(struct warp *warp, lane_set lanes, uint64_t now)
{
    const struct cluster *cluster = warp->block->cluster;
    lane_set waiting = 0;
    FOR_EACH_LANE(i, lanes)
    if (warp->more[i].cluster_phase > cluster->phase)
        waiting |= LANE(i);
    warp->at_cluster_barrier |= waiting;
    uint64_t next = now + unit_of_dispatch(), done_at = cluster->opened_at > next ? cluster->opened_at : next;
    add_lanes(warp, lanes & ~waiting,
              (struct outcome){.issued_at = now, .done_at = done_at, .pause = result_pause()});
}

/* ---- within a warp ---- */

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

/* Reduces the lanes' values by an atomic operation. */
static void reduce(struct warp *warp, lane_set together)
{
    unsigned first = first_lane(together);
    enum machine_operation operation = (enum machine_operation)warp->more[first].source_lane;
    uint64_t all = operation_low_bytes(warp->more[first].value, sizeof(uint32_t));
    FOR_EACH_LANE(i, together & ~LANE(first))
    all = operation_result(operation, all, warp->more[i].value, 0, sizeof(uint32_t));
    FOR_EACH_LANE(i, together) warp->more[i].result = all;
}

/* Stores the results of lanes that execute one warp-wide operation together. */
static void store_results(struct warp *warp, lane_set together)
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

/* Returns the lanes that wait at the same operation as this lane, that is, with equal kind and mask. */
static lane_set waiting_with(const struct warp *warp, unsigned lane)
{
    lane_set same = 0;
    FOR_EACH_LANE(i, warp->at_warp_barrier)
    if ((warp->together || warp->lanes[i].kind == warp->lanes[lane].kind) &&
        warp->more[i].mask == warp->more[lane].mask)
        same |= LANE(i);
    return same;
}

/* Checks the warp-wide operation at which this lane waits. If all lanes of its mask that have not exited
 * have arrived, stores the operation's results and returns the lanes, which may run on; otherwise returns
 * the empty set. */
static lane_set complete_operation(struct warp *warp, unsigned lane)
{
    lane_set together = waiting_with(warp, lane);
    lane_set expected = warp->more[lane].mask & all_lanes(warp) & ~warp->exited;
    if (!expected || expected & ~together)
        return 0;
    enum request_kind kind = warp->lanes[first_lane(together)].kind;
    store_results(warp, together);
    the_machine.counters.shuffles += kind != REQUEST_WARP_BARRIER;
    /* a vote does not count as a change, because lanes that poll in a loop vote whether to go on */
    if (kind != REQUEST_BALLOT)
        note_change();
    return together;
}

static void add_operation(struct warp *warp, unsigned lane)
{
    add((struct completion){WARP_OPERATION, warp, {LANE(lane), {0}}});
}

/* Adds a completion to check for each warp-wide operation at which these lanes have arrived. Lanes at
 * one instruction may have different masks, for instance if the warp is divided into tiles. */
static void add_operations(struct warp *warp, lane_set lanes)
{
    while (lanes) {
        unsigned first = first_lane(lanes);
        lane_set same = 0;
        FOR_EACH_LANE(i, lanes)
        if (warp->more[i].mask == warp->more[first].mask)
            same |= LANE(i);
        if (same != lanes)
            together_end(warp);
        add_operation(warp, first);
        lanes &= ~same;
    }
}

/* Returns how long a completed operation of these lanes takes. */
static uint64_t operation_latency(const struct warp *warp, lane_set lanes, enum request_kind kind)
{
    uint64_t latency = warp_meeting_latency(kind);
    if (kind != REQUEST_MATCH || !lanes || warp->more[first_lane(lanes)].source_lane) /* __match_all_sync */
        return latency;
    lane_set others = lanes & ~warp->more[first_lane(lanes)].result;
    for (; others; others &= ~warp->more[first_lane(others)].result)
        latency += (uint64_t)the_machine.description.match_value_latency;
    return latency;
}

static struct resumption open_operation(struct warp *warp, unsigned lane, uint64_t now)
{
    enum request_kind kind = warp->lanes[warp->together ? first_lane(warp->at_warp_barrier) : lane].kind;
    lane_set lanes = complete_operation(warp, lane);
    warp->at_warp_barrier &= ~lanes;
    if (rules_are_checked && kind == REQUEST_WARP_BARRIER)
        rules_order(warp, lanes);
    /* In a lockstep warp a vote orders memory, too, because its lanes are one thread of control. */
    if (lanes && (kind == REQUEST_WARP_BARRIER || the_machine.description.lockstep))
        weak_warp_barrier(warp, lanes);
    /* a warp barrier has no result that the next instruction could wait for */
    bool has_result = kind != REQUEST_WARP_BARRIER;
    return (struct resumption){lanes,
                               {.has_result = has_result,
                                .issued_at = now,
                                .done_at = now + operation_latency(warp, lanes, kind),
                                .pause = has_result ? result_pause() : 0}};
}

static struct resumption open_convergence(struct warp *warp, uint64_t now)
{
    lane_set lanes = convergence_reached(warp);
    warp->at_convergence &= ~lanes;
    return (struct resumption){lanes, {.issued_at = now, .done_at = now + unit_of_dispatch()}};
}

/* ---- called by the scheduler ---- */

void rendezvous_arrive(struct warp *warp, const struct group *group, uint64_t now)
{
    size_t from = completion_count;
    lane_set lanes = group->lanes;
    trace_arrival(warp, group, now);
    switch ((enum request_kind)group->kind) {
    case REQUEST_BLOCK_BARRIER:
        warp->at_block_barrier |= lanes;
        warp->block->counted_at = barrier_arrives(warp->block->sm, now);
        if (warp->voting & lanes)
            count_votes(warp, lanes);
        weak_arrive_at_block_barrier(warp, lanes);
        warp->block->at_barrier += (unsigned)__builtin_popcountll(lanes);
        if (block_opens(warp->block, now))
            open_block_barrier(warp->block, now);
        break;
    case REQUEST_NAMED_BARRIER:
        arrive_at_named_barrier(warp, lanes, true, now);
        break;
    case REQUEST_NAMED_ARRIVAL:
        arrive_at_named_barrier(warp, lanes, false, now);
        break;
    case REQUEST_CLUSTER_ARRIVAL:
        arrive_at_cluster_barrier(warp, lanes, now);
        break;
    case REQUEST_CLUSTER_WAIT:
        wait_at_cluster_barrier(warp, lanes, now);
        break;
    case REQUEST_CONVERGENCE_SET: /* lanes that set a convergence point wait for no other lane */
        convergence_set(warp, lanes);
        add_lanes(warp, lanes, (struct outcome){.issued_at = now, .done_at = now + unit_of_dispatch()});
        break;
    case REQUEST_CONVERGENCE_WAIT:
        warp->at_convergence |= lanes;
        add((struct completion){.what = CONVERGENCE, .warp = warp});
        break;
    default: /* __syncwarp, a shuffle, match, reduction or vote */
        warp->at_warp_barrier |= lanes;
        if (rules_are_checked)
            rules_warp_call(warp, lanes);
        add_operations(warp, lanes);
        break;
    }
    reverse_added(from);
}

void rendezvous_exit(struct warp *warp, lane_set lanes, uint64_t now)
{
    size_t from = completion_count;
    if (cluster_lanes_exit(warp, lanes))
        open_cluster_barrier(warp->block->cluster, now);
    if (block_opens(warp->block, now))
        open_block_barrier(warp->block, now);
    FOR_EACH_LANE(i, warp->at_warp_barrier) add_operation(warp, i);
    if (warp->at_convergence)
        add((struct completion){.what = CONVERGENCE, .warp = warp});
    reverse_added(from);
}

/* Completes the other operations of the same instruction (of the warp's other tiles), too, and adds their
 * lanes to `next`. A warp does the operations of all its tiles at once, so that the lanes stay together. */
static void open_tiles(struct warp *warp, struct resumption *next, uint64_t now)
{
    const void *instruction = warp->lanes[first_lane(next->lanes)].instruction;
    while (completion_count && completions[completion_count - 1].what == WARP_OPERATION &&
           completions[completion_count - 1].warp == warp) {
        unsigned lane = first_lane(completions[completion_count - 1].resumption.lanes);
        if (warp->at_warp_barrier & LANE(lane) && !warp->together &&
            warp->lanes[lane].instruction != instruction)
            return;
        completion_count--;
        if (!(warp->at_warp_barrier & LANE(lane)))
            continue;
        struct resumption other = open_operation(warp, lane, now);
        next->lanes |= other.lanes;
        if (other.lanes && other.last.done_at > next->last.done_at)
            next->last.done_at = other.last.done_at;
    }
}

bool rendezvous_next(struct warp **warp, struct resumption *next, uint64_t now)
{
    while (completion_count) {
        struct completion c = completions[--completion_count];
        *warp = c.warp;
        *next = c.resumption;
        if (c.what == WARP_OPERATION && !(c.warp->at_warp_barrier & c.resumption.lanes))
            continue; /* skipped, because the lane has run on with other lanes since this entry was added */
        if (c.what == WARP_OPERATION)
            *next = open_operation(c.warp, first_lane(c.resumption.lanes), now);
        if (c.what == WARP_OPERATION && next->lanes)
            open_tiles(c.warp, next, now);
        if (c.what == CONVERGENCE)
            *next = open_convergence(c.warp, now);
        trace_departure(c.warp, next->lanes, now, next->last.done_at);
        if (__builtin_expect(spent_is_noted, false))
            critical_path_depart(c.warp, next->lanes, now, next->last.done_at);
        if (next->lanes)
            return true;
    }
    return false;
}
