/*
 * The event loop. `loop` takes the multiprocessor whose next event comes first. `step` handles this event:
 * requests whose time has come take effect, and ready warps are dispatched. After each of the two,
 * `run_lanes` lets the lanes run on to their next requests, and `run_completed` does so for lanes that waited
 * for them. Then `settle` lets new blocks begin in the place of blocks that have ended. No function that is
 * called from here calls the event loop.
 *
 * A block stays on its multiprocessor to its end. Kernels of overlapping streams are in one run, which lasts
 * from the first kernel's launch until no kernel is left.
 */
#include "machine/engine/scheduler.h"
#include "base/memory.h"
#include "machine/engine/clusters.h"
#include "machine/engine/copies.h"
#include "machine/engine/critical_path.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/events.h"
#include "machine/engine/groups.h"
#include "machine/engine/hang_causes.h"
#include "machine/engine/orders.h"
#include "machine/engine/policy.h"
#include "machine/engine/progress.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/rendezvous.h"
#include "machine/engine/rules.h"
#include "machine/engine/run.h"
#include "machine/engine/sample.h"
#include "machine/engine/trace.h"
#include "machine/ptx.h"
#include "machine/state.h"
#include "machine/time/cost.h"
#include "machine/time/work.h"

/* ---- running lanes ---- */

/* Lets the lanes of these resumptions execute their requests and run on. Afterwards the lanes are in new
 * groups or have exited. The caller has removed them from all of the warp's groups and sets. */
static void resume_lanes(struct warp *warp, const struct resumption *resumptions, unsigned count)
{
    lane_set lanes = 0;
    for (unsigned r = 0; r < count; r++)
        lanes |= resumptions[r].lanes;
    if (lanes != (all_lanes(warp) & ~warp->exited))
        together_end(warp);
    reconvergence_begin(warp);
    bool watches = deadlock_watches_stores();
    if (watches)
        deadlock_before_stores(warp, lanes);
    if (__builtin_expect(orders_are_noted, false))
        orders_access(warp, lanes);
    if (__builtin_expect(hang_causes_are_noted, false))
        hang_causes_before(warp, lanes);
    if (lanes)
        ptx_warp_run(warp, lanes);
    if (__builtin_expect(hang_causes_are_noted, false))
        hang_causes_after();
    if (watches)
        deadlock_after_stores();
    for (unsigned r = 0; r < count; r++)
        reconvergence_end(warp, resumptions[r].lanes);
    for (unsigned r = 0; r < count; r++)
        groups_form(warp, resumptions[r].lanes, &resumptions[r].last);
    reconvergence_open(warp);
    groups_update_times(warp);
}

static void run_lanes(struct warp *warp, const struct resumption *resumptions, unsigned count, uint64_t now)
{
    lane_set exited = warp->exited;
    resume_lanes(warp, resumptions, count);
    if (warp->exited == exited)
        return;
    if (__builtin_expect(spent_is_noted, false))
        critical_path_exit(warp, now);
    rendezvous_exit(warp, warp->exited & ~exited, now);
}

/* Multiprocessors whose next events have changed, and whose blocks may have ended. This is a stack, because a
 * cluster's blocks can end as they begin, on several multiprocessors. If `fills` is true, a block ended there
 * at the time `from`, and other blocks may begin in its place. */
static struct unsettled {
    struct sm *sm;
    bool fills;
    uint64_t from;
} * unsettled;
static size_t unsettled_count, unsettled_room;

static void add_unsettled(struct sm *sm)
{
    if (unsettled_count == unsettled_room)
        unsettled = reallocate(unsettled, (unsettled_room = 2 * unsettled_room + 16) * sizeof *unsettled);
    unsettled[unsettled_count++] = (struct unsettled){.sm = sm};
}

/* Runs all lanes whose wait for other lanes has ended. Lanes of a cluster can be on several
 * multiprocessors. */
static void run_completed(uint64_t now)
{
    struct warp *warp;
    struct resumption next;
    while (rendezvous_next(&warp, &next, now)) {
        run_lanes(warp, &next, 1, now);
        if (cluster_size(warp->block) > 1)
            add_unsettled(warp->block->sm);
    }
}

/* ---- events of a warp: effects and dispatches ---- */

/* Dispatches the group's request: sets its times by its cost, and keeps it among the warp's groups until
 * it takes effect. */
static void requests_start(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    cost_charge(sm, warp, group, now);
    trace_request(warp, group, now);
    if (__builtin_expect(spent_is_noted, false))
        critical_path_request(warp, group, now);
    /* atomics, unlocking stores and watched stores call note_change() later, when they take effect */
    if (group->kind == REQUEST_STORE && !deadlock_watches_stores())
        note_change();
    if (group->kind == REQUEST_LOAD || group->kind == REQUEST_ATOMIC || group->kind == REQUEST_LOCK_LOAD)
        deadlock_remember_loads(warp, group->lanes);
    groups_enter_memory(warp, group);
}

static void take_effect(struct warp *warp, uint64_t now)
{
    struct resumption due[MACHINE_MAX_WARP];
    unsigned count = groups_leave_memory(warp, now, due);
    uint64_t changed = the_machine.run.changed;
    run_lanes(warp, due, count, now);
    if (__builtin_expect(spent_is_noted, false))
        critical_path_effect(warp, the_machine.run.changed == changed, now);
    run_completed(now);
}

/* Dispatches lanes of the warp that are at one instruction. Together they take one issue slot of the
 * multiprocessor, if requests of their kind take issue slots. */
static void dispatch(struct sm *sm, struct warp *warp, uint64_t now)
{
    struct group group;
    bool slot;
    if (!policy_take_group(warp, now, &group, &slot))
        return;
    work_take_issue_slots(sm, &group.work, now);
    sm->issue_slot += slot ? ISSUE_SLOT : 0;
    the_machine.counters.instructions +=
        group.kind != REQUEST_CONVERGENCE_SET && group.kind != REQUEST_CONVERGENCE_WAIT;
    warp->last_dispatch = now;
    the_machine.run.dispatches_since_change++;
    if (__builtin_expect(rules_are_checked, false))
        rules_come_to(warp, &group);
    if (__builtin_expect(orders_are_noted, false))
        orders_dispatch(warp, &group);
    if (__builtin_expect(spent_is_noted, false))
        critical_path_dispatch(warp, &group, now);
    if (is_rendezvous(group.kind))
        rendezvous_arrive(warp, &group, now);
    else
        requests_start(sm, warp, &group, now);
    groups_update_times(warp);
    run_completed(now);
    if (sm->next_effect[warp->slot] <= now)
        take_effect(warp, now);
}

/* Dispatches the warps' requests that need no issue slot. These may complete what other lanes wait for. */
static void dispatch_without_slot(struct sm *sm, uint64_t now)
{
    bool found = the_machine.description.charges_memory_only;
    while (found) {
        found = false;
        for (unsigned i = 0; i < sm->warp_count; i++)
            if (sm->issue_at[i] <= now && !policy_needs_slot(sm->warps[i], now)) {
                dispatch(sm, sm->warps[i], now);
                found = true;
            }
    }
}

static void dispatch_in_slots(struct sm *sm, uint64_t now)
{
    struct warp *warp;
    while (sm->issue_slot < issue_slots_at(now + 1) && (warp = policy_choose_warp(sm, now))) {
        dispatch(sm, warp, now);
        policy_hold_back(warp, now);
    }
}

/* ---- blocks begin and end ---- */

static void begin_block(struct block *block, uint64_t now)
{
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        struct resumption all = {all_lanes(warp),
                                 {.issued_at = now, .done_at = now, .pause = result_pause()}};
        run_lanes(warp, &all, 1, now);
        run_completed(now);
    }
}

/* Begins the blocks of the kernel's next cluster if there are places for all of them. Returns false if
 * there are not. */
static bool begin_cluster(struct run *run, struct kernel *kernel, uint64_t now)
{
    struct sm *places[MOST_CLUSTER_BLOCKS];
    struct block *blocks[MOST_CLUSTER_BLOCKS];
    unsigned size = kernel->launch.cluster;
    if (cluster_places(run, kernel, places) < size)
        return false;
    for (unsigned b = 0; b < size; b++)
        blocks[b] = run_place_block(kernel, places[b], now);
    for (unsigned b = 0; b < size; b++)
        begin_block(blocks[b], now);
    for (unsigned b = size; b-- > 0;)
        add_unsettled(places[b]);
    return true;
}

/* Begins the kernel's next block on this multiprocessor, or its next cluster on any multiprocessors.
 * Returns false if there is no room. */
static bool begin_next(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now)
{
    if (kernel->launch.cluster > 1)
        return begin_cluster(run, kernel, now);
    begin_block(run_place_block(kernel, sm, now), now);
    return true;
}

/* Removes a block whose threads have all exited from the multiprocessor. Returns false if the
 * multiprocessor has no such block. */
static bool remove_ended(struct run *run, struct unsettled *at)
{
    struct sm *sm = at->sm;
    unsigned b = 0;
    while (b < sm->block_count && sm->blocks[b]->exited < sm->blocks[b]->threads)
        b++;
    if (b == sm->block_count)
        return false;
    uint64_t end = run_retire_block(run, sm, b);
    *at = (struct unsettled){sm, true, end};
    return true;
}

/* Removes blocks that have ended and begins waiting blocks, until neither is possible on any unsettled
 * multiprocessor. */
static void settle(struct run *run)
{
    while (unsettled_count) {
        size_t last = unsettled_count - 1;
        struct unsettled *at = &unsettled[last];
        if (at->fills) {
            struct kernel *kernel = places_next(run, at->sm);
            bool has_begun = kernel && begin_next(run, kernel, at->sm, at->from);
            /* indexed again, because begin_next() may have moved the stack */
            unsettled[last].fills = has_begun;
        } else if (!remove_ended(run, at)) {
            events_note(run, at->sm);
            unsettled_count--;
        }
    }
}

/* Begins a kernel's next blocks: one on each multiprocessor, then a second one on each, and so on. */
static void begin_blocks(struct run *run, struct kernel *kernel)
{
    for (size_t round = 0; round < kernel->per_sm; round++)
        for (unsigned s = 0; s < run->sm_count; s++)
            if (places_wanted(kernel, &run->sms[s]) && places_free(&run->sms[s], kernel)) {
                begin_next(run, kernel, &run->sms[s], run->now);
                settle(run);
            }
    for (unsigned s = 0; s < run->sm_count; s++) {
        add_unsettled(&run->sms[s]);
        settle(run);
    }
}

/* Begins kernels that have been launched. */
static void begin_kernels(struct run *run)
{
    for (struct kernel *kernel; (kernel = places_next_to_begin(run));) {
        kernel->begun = true;
        begin_blocks(run, kernel);
    }
}

static void begin_more_blocks(struct run *run)
{
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number && k->begun && k->started < k->most)
            begin_blocks(run, k);
}

/* ---- the loop ---- */

/* Handles the multiprocessor's next event. */
static void step(struct run *run, struct sm *sm)
{
    uint64_t now = run->now = run->next_event[sm->index];
    interrupt_if_due();
    for (unsigned i = 0; sm->first_effect <= now && i < sm->warp_count; i++)
        if (sm->next_effect[i] <= now)
            take_effect(sm->warps[i], now);
    dispatch_without_slot(sm, now);
    dispatch_in_slots(sm, now);
    add_unsettled(sm);
    settle(run);
    if (run->shared)
        begin_kernels(run);
}

/* Handles the next event of the run, which is either this multiprocessor's next event or a step of an
 * asynchronous copy. */
static void handle_next(struct run *run, struct sm *sm)
{
    if (copies_next_at != NEVER && copies_next_at <= run->next_event[sm->index]) {
        run->now = copies_next_at > run->now ? copies_next_at : run->now;
        copies_step();
    } else {
        step(run, sm);
    }
}

/* Handles the next event of the run. Returns false if the only events left are polls in vain. */
static bool go_on(struct run *run)
{
    struct sm *sm = events_next_sm(run);
    bool is_stuck = deadlock_suspected(run, sm);
    if (progress_widens(run, is_stuck) || (is_stuck && sample_widens(run))) {
        begin_more_blocks(run);
        sm = events_next_sm(run);
    } else if (is_stuck) {
        return reconvergence_give_up(run);
    }
    handle_next(run, sm);
    return true;
}

static cudaError_t loop(struct run *run, const struct kernel *awaited)
{
    cudaError_t error = cudaSuccess;
    while (awaited->blocks_left && error == cudaSuccess)
        if (!go_on(run)) {
            deadlock_describe(run);
            error = cudaErrorLaunchTimeout;
        }
    return error;
}

/* Runs the kernels in progress until the time at which the host has launched another kernel. Even if all
 * kernels in progress poll, this is not a deadlock yet, because the new kernel may change what they poll. */
static void go_on_until(struct run *run, uint64_t time)
{
    for (struct sm *sm; run->launched && run->next_event[(sm = events_next_sm(run))->index] < time;)
        step(run, sm);
    run->now = time;
}

/* ---- called by the CUDA runtime ---- */

/* Is no kernel in progress? */
static bool is_idle(void)
{
    return !kernels_of(&the_machine.run, NULL);
}

bool scheduler_is_before(uint64_t time)
{
    const struct run *run = &the_machine.run;
    return !is_idle() &&
           (run->next_event[events_next_sm(&the_machine.run)->index] < time || copies_next_at < time);
}

cudaError_t scheduler_until_end_or(uint64_t until)
{
    struct run *run = &the_machine.run;
    uint64_t ended = run_ended_kernels;
    if (until != UINT64_MAX) {
        while (run_ended_kernels == ended && scheduler_is_before(until))
            handle_next(run, events_next_sm(run));
        return cudaSuccess;
    }
    while (run_ended_kernels == ended && !is_idle())
        if (!go_on(run)) {
            scheduler_give_up();
            return cudaErrorLaunchTimeout;
        }
    return cudaSuccess;
}

void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream,
                     const struct task_order *order, bool *has_ended)
{
    struct run *run = &the_machine.run;
    struct kernel prepared = kernels_prepare(run, launch, stream, order);
    prepared.has_ended = has_ended;
    go_on_until(run, the_machine.now > run->now ? the_machine.now : run->now);
    struct kernel *kernel = kernels_add(run, &prepared);
    begin_kernels(run);
    /* a kernel without requests has already ended */
    if (!kernel->number && kernel->end > the_machine.now)
        the_machine.now = kernel->end;
}

cudaError_t scheduler_wait(const struct machine_stream *stream)
{
    struct run *run = &the_machine.run;
    cudaError_t error = cudaSuccess;
    for (struct kernel *kernel; error == cudaSuccess && (kernel = kernels_of(run, stream));) {
        error = loop(run, kernel);
        uint64_t end = error == cudaSuccess ? kernel->end : run->now;
        if (end > the_machine.now)
            the_machine.now = end;
    }
    if (run->sms && (error != cudaSuccess || !kernels_of(run, NULL)))
        run_close(run);
    return error;
}

bool scheduler_may_overlap(void)
{
    const struct run *run = &the_machine.run;
    unsigned free = 0;
    for (const struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        free += !k->number;
    return is_idle() || (run->shared && free);
}

bool scheduler_until_end(void)
{
    struct run *run = &the_machine.run;
    uint64_t ended = run_ended_kernels;
    note_change(); /* the host may have changed what the kernels poll */
    while (run_ended_kernels == ended)
        if (is_idle() || !go_on(run))
            return false;
    if (run->now > the_machine.now)
        the_machine.now = run->now;
    return true;
}

void scheduler_give_up(void)
{
    struct run *run = &the_machine.run;
    if (is_idle())
        return;
    deadlock_describe(run);
    run_close(run);
}
