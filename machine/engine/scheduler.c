/*
 * Takes the multiprocessors in the order of their next event, lets requests take effect at their time, and
 * dispatches ready warps. A block stays on its multiprocessor to its end. Kernels of overlapping streams are
 * in one run: from the first kernel's launch until none is left.
 */
#include "machine/engine/scheduler.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/engine/clusters.h"
#include "machine/engine/copies.h"
#include "machine/engine/blocks.h"
#include "machine/time/cost.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/groups.h"
#include "machine/memory/devices.h"
#include "machine/code/instructions.h"
#include "machine/engine/lanes.h"
#include "machine/engine/places.h"
#include "machine/engine/policy.h"
#include "machine/engine/progress.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/rendezvous.h"
#include "machine/engine/run.h"
#include "machine/time/work.h"
#include "machine/memory/shared_memory.h"
#include "machine/engine/trace.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- lanes go on ---- */

static void after_exits(struct warp *warp, lane_set before, uint64_t now);

/* Does the requests of these lanes, which are in none of the warp's groups and sets. */
static void run_lanes(struct warp *warp, lane_set lanes)
{
    shared_memory_install(warp, lanes);
    reconvergence_begin(warp);
    lanes_run(warp, lanes);
}

/* Lanes whose request is done at that time run to the next one, which may be dispatched `pause`
 * later; or at once, if the request has a result that the next one does not need. */
static void go_on_with(struct warp *warp, lane_set lanes, const struct outcome *last, uint64_t now)
{
    lane_set exited = warp->exited;
    run_lanes(warp, lanes);
    reconvergence_end(warp, lanes);
    groups_form(warp, lanes, last);
    reconvergence_open(warp);
    if (warp->exited != exited)
        after_exits(warp, exited, now);
    groups_update_times(warp);
}

static void go_on(struct warp *warp, lane_set lanes, uint64_t done_at, uint64_t pause, uint64_t now)
{
    go_on_with(warp, lanes, &(struct outcome){.issued_at = now, .done_at = done_at, .pause = pause}, now);
}

static void open_block_barrier(struct block *block, uint64_t now)
{
    uint64_t open_at = now + barrier_latency(block->warp_count);
    weak_open_block_barrier(block);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set lanes = warp->at_block_barrier;
        warp->at_block_barrier = 0;
        trace_departure(warp, lanes, now, open_at);
        if (lanes)
            go_on(warp, lanes, open_at, result_pause(), now);
    }
}

static void open_warp_barrier(struct warp *warp, unsigned lane, uint64_t now)
{
    enum request_kind kind = warp->lanes[lane].kind;
    lane_set lanes = rendezvous_warp(warp, lane);
    warp->at_warp_barrier &= ~lanes;
    /* The lanes of a lockstep warp are one thread of control, which a vote orders too. */
    if (lanes && (kind == REQUEST_WARP_BARRIER || the_machine.description.lockstep))
        weak_warp_barrier(warp, lanes);
    /* A barrier has no result that the next instruction could wait for. */
    bool has_result = kind != REQUEST_WARP_BARRIER;
    struct outcome outcome = {.has_result = has_result,
                              .issued_at = now,
                              .done_at = now + warp_meeting_latency(kind),
                              .pause = has_result ? result_pause() : 0};
    trace_departure(warp, lanes, now, outcome.done_at);
    if (lanes)
        go_on_with(warp, lanes, &outcome, now);
}

/* Lanes at one instruction may be of several masks: the tiles of a warp. */
static void open_warp_barriers(struct warp *warp, lane_set lanes, uint64_t now)
{
    while (lanes) {
        unsigned first = first_lane(lanes);
        lane_set same = 0;
        FOR_EACH_LANE(i, lanes)
        if (warp->more[i].mask == warp->more[first].mask)
            same |= LANE(i);
        open_warp_barrier(warp, first, now);
        lanes &= ~same;
    }
}

/* What an instruction without memory and without a latency of its own takes. */
static uint64_t unit_of_dispatch(void)
{
    return the_machine.description.charges_memory_only ? 0 : 1;
}

static void open_convergence_point(struct warp *warp, uint64_t now)
{
    lane_set lanes = convergence_reached(warp);
    warp->at_convergence &= ~lanes;
    if (lanes)
        go_on(warp, lanes, now + unit_of_dispatch(), 0, now);
}

static void open_named_barrier(struct block *block, unsigned id, uint64_t now)
{
    uint64_t open_at =
        now + barrier_latency(block->expected[id] / (unsigned)the_machine.description.warp_size);
    weak_open_named_barrier(block, id);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set lanes = 0;
        FOR_EACH_LANE(i, warp->at_named_barrier)
        if (rendezvous_named_barrier(warp, i) == id)
            lanes |= LANE(i);
        warp->at_named_barrier &= ~lanes;
        trace_departure(warp, lanes, now, open_at);
        if (lanes)
            go_on(warp, lanes, open_at, result_pause(), now);
    }
}

/* An exit can complete what the other lanes wait at; `before`: those that had exited already. */
static void after_exits(struct warp *warp, lane_set before, uint64_t now)
{
    cluster_lanes_exit(warp, warp->exited & ~before);
    if (rendezvous_block_opens(warp->block, now))
        open_block_barrier(warp->block, now);
    FOR_EACH_LANE(i, warp->at_warp_barrier)
    if (warp->at_warp_barrier & LANE(i))
        open_warp_barrier(warp, i, now);
    open_convergence_point(warp, now);
}

static void take_effect(struct warp *warp, uint64_t now)
{
    struct group due[MACHINE_MAX_WARP];
    unsigned count = 0;
    lane_set lanes = 0, exited = warp->exited;
    for (unsigned g = 0; g < warp->group_count;) {
        if (!warp->groups[g].in_memory || warp->groups[g].effect_at > now) {
            g++;
            continue;
        }
        lanes |= warp->groups[g].lanes;
        due[count++] = warp->groups[g];
        warp->groups[g] = warp->groups[--warp->group_count];
    }
    run_lanes(warp, lanes);
    for (unsigned g = 0; g < count; g++)
        reconvergence_end(warp, due[g].lanes);
    for (unsigned g = 0; g < count; g++)
        groups_form_after_access(warp, &due[g]);
    reconvergence_open(warp);
    if (warp->exited != exited)
        after_exits(warp, exited, now);
    groups_update_times(warp);
}

/* ---- dispatching a warp ---- */

/* The lanes of an atomic reach memory in turn, each or several at once. */
static void split_by_effect(struct warp *warp, const struct group *atomics)
{
    unsigned from = warp->group_count;
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

static void start_memory_request(struct sm *sm, struct warp *warp, struct group *group, uint64_t now)
{
    cost_charge(sm, warp, group, now);
    trace_request(warp, group, now);
    group->in_memory = true;
    if (group->kind == REQUEST_STORE)
        note_change(); /* an atomic and an unlocking store say so themselves (hooks.c) */
    if (group->kind == REQUEST_LOAD || group->kind == REQUEST_ATOMIC || group->kind == REQUEST_LOCK_LOAD)
        deadlock_remember_loads(warp, group->lanes);
    if (group->kind == REQUEST_ATOMIC)
        split_by_effect(warp, group);
    else
        warp->groups[warp->group_count++] = *group;
}

static void come_to_named_barrier(struct warp *warp, lane_set lanes, bool waits, uint64_t now)
{
    if (waits)
        warp->at_named_barrier |= lanes;
    weak_arrive_at_named_barrier(warp, lanes, rendezvous_named_barrier(warp, first_lane(lanes)));
    if (rendezvous_named_opens(warp, lanes))
        open_named_barrier(warp->block, rendezvous_named_barrier(warp, first_lane(lanes)), now);
    if (waits)
        return;
    trace_departure(warp, lanes, now, now + unit_of_dispatch());
    go_on(warp, lanes, now + unit_of_dispatch(), 0, now);
}

/* The lanes of a warp that stand at one instruction: one slot of the multiprocessor, if it takes one. */
static void dispatch(struct sm *sm, struct warp *warp, uint64_t now)
{
    bool slot = policy_needs_slot(warp, now);
    struct group group = policy_choose_lanes(warp, now);
    lane_set lanes = group.lanes;
    if (policy_puts_off(&group, now)) {
        warp->groups[warp->group_count++] = group;
        groups_update_times(warp);
        return;
    }
    work_take_issue_slots(sm, &group.work, now);
    if (!group.is_next_word) {
        sm->issue_slot += slot ? ISSUE_SLOT : 0;
        the_machine.counters.instructions +=
            group.kind != REQUEST_CONVERGENCE_SET && group.kind != REQUEST_CONVERGENCE_WAIT;
    }
    warp->last_dispatch = now;
    the_machine.run.dispatches_since_change++;
    switch ((enum request_kind)group.kind) {
    case REQUEST_BLOCK_BARRIER:
        trace_arrival(warp, &group, now);
        warp->at_block_barrier |= lanes;
        weak_arrive_at_block_barrier(warp, lanes);
        warp->block->at_barrier += (unsigned)__builtin_popcountll(lanes);
        if (rendezvous_block_opens(warp->block, now))
            open_block_barrier(warp->block, now);
        break;
    case REQUEST_WARP_BARRIER:
    case REQUEST_SHUFFLE:
    case REQUEST_BALLOT:
        trace_arrival(warp, &group, now);
        warp->at_warp_barrier |= lanes;
        open_warp_barriers(warp, lanes, now);
        break;
    case REQUEST_NAMED_BARRIER:
        trace_arrival(warp, &group, now);
        come_to_named_barrier(warp, lanes, true, now);
        break;
    case REQUEST_NAMED_ARRIVAL:
        trace_arrival(warp, &group, now);
        come_to_named_barrier(warp, lanes, false, now);
        break;
    case REQUEST_CONVERGENCE_SET: /* an instruction of its own, without a result to wait for */
        convergence_set(warp, lanes);
        go_on(warp, lanes, now + unit_of_dispatch(), 0, now);
        break;
    case REQUEST_CONVERGENCE_WAIT:
        warp->at_convergence |= lanes;
        open_convergence_point(warp, now);
        break;
    default:
        start_memory_request(sm, warp, &group, now);
        break;
    }
    groups_update_times(warp);
    if (sm->next_effect[warp->slot] <= now)
        take_effect(warp, now);
}

/* ---- a multiprocessor ---- */

static uint64_t earliest(const uint64_t *times, unsigned count)
{
    uint64_t first = NEVER;
    for (unsigned i = 0; i < count; i++)
        first = times[i] < first ? times[i] : first;
    return first;
}

static uint64_t next_event(const struct sm *sm)
{
    uint64_t effect = earliest(sm->next_effect, sm->warp_count);
    uint64_t issue = earliest(sm->issue_at, sm->warp_count);
    uint64_t slot = issue_slot_begins(sm);
    if (issue != NEVER && issue < slot)
        issue = slot;
    return effect < issue ? effect : issue;
}

static void note_next_event(struct run *run, const struct sm *sm)
{
    unsigned first = sm->index & ~(SOME - 1), left = run->sm_count - first;
    run->next_event[sm->index] = next_event(sm);
    run->next_of_some[first / SOME] = earliest(&run->next_event[first], left < SOME ? left : SOME);
}

/* What takes no slot does not wait for one, and may open a barrier for others. */
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

static void run_sm(struct sm *sm, uint64_t now)
{
    for (unsigned i = 0; i < sm->warp_count; i++)
        if (sm->next_effect[i] <= now)
            take_effect(sm->warps[i], now);
    dispatch_without_slot(sm, now);
    while (sm->issue_slot < issue_slots_at(now + 1)) {
        struct warp *warp = policy_choose_warp(sm, now);
        if (!warp)
            break;
        dispatch(sm, warp, now);
        policy_hold_back(warp, now);
        progress_withhold(warp);
        groups_update_times(warp);
    }
}

/* ---- blocks come and go ---- */

static void retire_blocks(struct run *run, struct sm *sm);

static struct block *place_block(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now)
{
    struct block *block = blocks_take(kernel->threads);
    block->kernel = kernel;
    block->sm = sm;
    block->place = run_free_place(sm, kernel);
    unsigned device = device_of_sm(sm);
    block->index = device_count() > 1 ? device * device_share(kernel->grid) + kernel->started_on[device]
                                      : progress_next_block(kernel);
    kernel->started_on[device]++;
    kernel->started++;
    shared_memory_give(block);
    cluster_join(block);
    weak_block_begins(block);
    run_form_warps(sm, block);
    sm->blocks[sm->block_count++] = block;
    note_change();
    /* Close together: the fewer pages, the fewer misses of the TLB. */
    size_t place =
        run_has_room_for_all(run, kernel) ? block->index : sm->index * kernel->per_sm + block->place;
    size_t stack = kernel->first_stack + place * kernel->threads;
    for (unsigned w = 0; w < block->warp_count; stack += block->warps[w++].lane_count)
        lanes_prepare(&block->warps[w], stack);
    for (unsigned w = 0; w < block->warp_count; w++)
        policy_start(&block->warps[w], now);
    return block;
}

static void begin_block(struct block *block, uint64_t now)
{
    for (unsigned w = 0; w < block->warp_count; w++)
        go_on(&block->warps[w], all_lanes(&block->warps[w]), now, result_pause(), now);
}

/* The blocks of a cluster begin when there are places for all of them; returns false if there are not. */
static bool start_cluster(struct run *run, struct kernel *kernel, uint64_t now)
{
    struct sm *places[MOST_CLUSTER_BLOCKS];
    struct block *blocks[MOST_CLUSTER_BLOCKS];
    unsigned size = kernel->launch.cluster;
    if (cluster_places(run, kernel, places) < size)
        return false;
    for (unsigned b = 0; b < size; b++)
        blocks[b] = place_block(run, kernel, places[b], now);
    for (unsigned b = 0; b < size; b++)
        begin_block(blocks[b], now);
    for (unsigned b = 0; b < size; b++)
        retire_blocks(run, places[b]);
    return true;
}

static bool start_next(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now)
{
    if (kernel->launch.cluster > 1)
        return start_cluster(run, kernel, now);
    begin_block(place_block(run, kernel, sm, now), now);
    return true;
}

static void fill(struct run *run, struct sm *sm, uint64_t now)
{
    struct kernel *kernel;
    while ((kernel = places_next(run, sm)) && start_next(run, kernel, sm, now)) {
    }
}

/* Takes finished blocks away and lets waiting ones in. */
static void retire_blocks(struct run *run, struct sm *sm)
{
    for (unsigned b = 0; b < sm->block_count;) {
        struct kernel *kernel = sm->blocks[b]->kernel;
        if (sm->blocks[b]->exited < kernel->threads) {
            b++;
            continue;
        }
        uint64_t end = sm->blocks[b]->finished_at;
        if (end > kernel->end)
            kernel->end = end;
        run_remove_block(sm, b);
        if (!--kernel->blocks_left)
            run_end_kernel(kernel);
        struct block *resumed = progress_resume(run);
        if (resumed)
            note_next_event(run, resumed->sm);
        fill(run, sm, end);
    }
    note_next_event(run, sm);
}

/* ---- a launch ---- */

/* A block on each multiprocessor, then another on each. */
static void start_first_blocks(struct run *run, struct kernel *kernel)
{
    kernel->begun = true;
    for (size_t round = 0; round < kernel->per_sm; round++)
        for (unsigned s = 0; s < run->sm_count; s++)
            if (places_wanted(kernel, &run->sms[s]) && places_free(&run->sms[s], kernel))
                start_next(run, kernel, &run->sms[s], run->now);
    for (unsigned s = 0; s < run->sm_count; s++)
        retire_blocks(run, &run->sms[s]);
}

/* Lanes that wait at a join wait in vain if the others wait for them at a barrier; not if that was so before, and nothing
 * has come of it. */
static bool give_up_joins(struct run *run)
{
    if (run->gave_up == run->changed)
        return false;
    run->gave_up = run->changed;
    bool any = reconvergence_give_up(run);
    for (unsigned s = 0; any && s < run->sm_count; s++)
        note_next_event(run, &run->sms[s]);
    return any;
}

static bool deadlocked(struct run *run, const struct sm *next)
{
    if (copies_next_at != NEVER)
        return false;
    if (run->next_event[next->index] == NEVER)
        return true;
    if (run->dispatches_since_change < run->patience)
        return false;
    run->dispatches_since_change = 0;
    return deadlock_suspected(run);
}

static void begin_kernels(struct run *run)
{
    struct kernel *kernel;
    while ((kernel = places_next_to_begin(run)))
        start_first_blocks(run, kernel);
}

static void step(struct run *run, struct sm *sm)
{
    run->now = run->next_event[sm->index];
    run_sm(sm, run->now);
    retire_blocks(run, sm);
    if (run->shared)
        begin_kernels(run);
}

static cudaError_t loop(struct run *run, const struct kernel *awaited)
{
    while (awaited->blocks_left) {
        struct sm *sm = policy_next_sm(run);
        if (deadlocked(run, sm)) {
            if (give_up_joins(run))
                continue;
            deadlock_describe(run);
            return cudaErrorLaunchTimeout;
        }
        if (copies_next_at != NEVER && copies_next_at <= run->next_event[sm->index]) {
            run->now = copies_next_at > run->now ? copies_next_at : run->now;
            copies_step();
        } else {
            step(run, sm);
        }
    }
    return cudaSuccess;
}

/* While the host launches another kernel, those that run go on; that they all poll is no deadlock yet. */
static void go_on_until(struct run *run, uint64_t time)
{
    for (struct sm *sm; run->launched && run->next_event[(sm = policy_next_sm(run))->index] < time;)
        step(run, sm);
    run->now = time;
}

/* ---- for the runtime ---- */

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static void note_size(const struct kernel *kernel)
{
    struct machine_grids *grids = &the_machine.progress.grids;
    grids->blocks = larger(grids->blocks, kernel->grid);
    if (kernel->launch.cooperative)
        grids->cooperative = larger(grids->cooperative, kernel->grid);
    if (!grids->per_sm || kernel->per_sm < grids->per_sm)
        grids->per_sm = (unsigned)kernel->per_sm;
}

struct machine_grids machine_grids_so_far(void)
{
    return the_machine.progress.grids;
}

static struct kernel make_kernel(const struct machine_launch *launch, const struct machine_stream *stream)
{
    struct kernel kernel = {.launch = *launch,
                            .stream = stream,
                            .grid = machine_blocks(launch),
                            .threads = machine_threads(launch),
                            .blocks_left = machine_blocks(launch)};
    void *closure = allocate(launch->closure_bytes);
    memcpy(closure, launch->closure, launch->closure_bytes);
    kernel.launch.closure = closure;
    kernel.per_sm = (size_t)machine_resident_blocks_per_sm((int)kernel.threads, launch->shared_bytes);
    note_size(&kernel);
    return kernel;
}

static struct kernel *free_kernel(struct run *run)
{
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (!k->number)
            return k;
    fail(EXIT_CANNOT, "machine: more than %d kernels at once", MOST_KERNELS);
}

/* The kernel that the stream has in progress, or any (NULL); NULL: there is none. */
static struct kernel *kernel_of(struct run *run, const struct machine_stream *stream)
{
    for (struct kernel *k = run->kernels; run->sms && k < run->kernels + MOST_KERNELS; k++)
        if (k->number && (!stream || k->stream == stream))
            return k;
    return NULL;
}

void scheduler_begin(const struct machine_launch *launch, const struct machine_stream *stream)
{
    struct run *run = &the_machine.run;
    struct kernel made = make_kernel(launch, stream);
    if (run->sms && !kernel_of(run, NULL))
        run_close(run);
    instructions_read(launch);
    if (!run->sms)
        run_open(run, &made);
    else if (the_machine.memory.is_weak)
        fail(EXIT_CANNOT, "machine: one kernel at a time where memory is weak");
    go_on_until(run, the_machine.now > run->now ? the_machine.now : run->now);
    struct kernel *kernel = free_kernel(run);
    size_t nth = (size_t)(kernel - run->kernels);
    *kernel = made;
    kernel->number = ++run->launched;
    kernel->end = run->now;
    kernel->first_stack = nth * run->sm_count * (size_t)the_machine.description.max_threads_per_sm;
    kernel->first_shared = nth * shared_memory_most();
    if (run->launched == 1)
        weak_launch_begins();
    begin_kernels(run);
    if (!kernel->number && kernel->end > the_machine.now) /* it made no request, and has ended already */
        the_machine.now = kernel->end;
}

cudaError_t scheduler_wait(const struct machine_stream *stream)
{
    struct run *run = &the_machine.run;
    cudaError_t error = cudaSuccess;
    for (struct kernel *kernel; error == cudaSuccess && (kernel = kernel_of(run, stream));) {
        error = loop(run, kernel);
        uint64_t end = error == cudaSuccess ? kernel->end : run->now;
        if (end > the_machine.now)
            the_machine.now = end;
    }
    if (run->sms && (error != cudaSuccess || !kernel_of(run, NULL)))
        run_close(run);
    return error;
}
