/*
 * Takes the multiprocessors in the order of their next event, lets requests take effect at their
 * time, and dispatches ready warps. A block stays on its multiprocessor to its end. Kernels of streams that let others
 * overlap are in one run: from the first one's launch until none is left.
 */
#include "machine/engine/scheduler.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/engine/blocks.h"
#include "machine/time/cost.h"
#include "machine/time/cache_tags.h"
#include "machine/engine/deadlock.h"
#include "machine/engine/devices.h"
#include "machine/code/instructions.h"
#include "machine/weak/l1_cache.h"
#include "machine/engine/lanes.h"
#include "machine/engine/places.h"
#include "machine/engine/policy.h"
#include "machine/engine/rendezvous.h"
#include "machine/time/scoreboard.h"
#include "machine/engine/shared_memory.h"
#include "machine/engine/trace.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

#include <stdlib.h>
#include <string.h>

struct machine the_machine;

/* ---- a warp's times ---- */

/* To be called whenever a group of the warp has changed. A lockstep warp waits for all its lanes. */
static void update_times(struct warp *warp)
{
    struct sm *sm = warp->block->sm;
    bool lockstep = the_machine.description.lockstep;
    uint64_t effect = NEVER, ready = NEVER;
    for (unsigned g = 0; g < warp->group_count; g++) {
        const struct group *group = &warp->groups[g];
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

/* ---- a lane's progress ---- */

static void note_exits(struct warp *warp, lane_set lanes, uint64_t done_at)
{
    struct block *block = warp->block;
    FOR_EACH_LANE(i, lanes)
    {
        uint64_t stores = warp->lanes[i].stores_done_at, end = done_at > stores ? done_at : stores;
        if (end > block->finished_at)
            block->finished_at = end;
        block->exited++;
        note_change();
    }
}

/* Of lanes that have come to a request: what they do behind it. */
static void begin_work(struct warp *warp, lane_set lanes, struct work work)
{
    FOR_EACH_LANE(i, lanes)
    {
        warp->lanes[i].work = work;
        warp->lanes[i].arithmetic = 0;
    }
}

/* The group, of those from `from` on, that the lane belongs to. Lanes of a warp that come to one instruction run what lies
 * before it together. */
static struct group *join(struct warp *warp, unsigned from, const struct lane *lane, struct due due)
{
    for (unsigned g = warp->group_count; g-- > from;) {
        struct group *group = &warp->groups[g];
        if (group->instruction == lane->instruction && group->kind == lane->kind &&
            group->issue_at == due.issue_at && group->ready_at == due.ready_at &&
            group->value_at == due.value_at) {
            work_most(&group->work, &lane->work);
            group->is_next_word = group->is_next_word && lane->is_next_word;
            return group;
        }
    }
    struct group *group = &warp->groups[warp->group_count++];
    *group = (struct group){.instruction = lane->instruction,
                            .kind = lane->kind,
                            .plain_load = lane->plain && lane->kind == REQUEST_LOAD,
                            .is_next_word = lane->is_next_word,
                            .work = lane->work,
                            .issue_at = due.issue_at,
                            .ready_at = due.ready_at,
                            .value_at = due.value_at};
    return group;
}

/* When the work is done that begins as soon as it may. */
static uint64_t work_done_at(const struct work *work, struct due due)
{
    uint64_t parts = due.issue_at * PARTS_OF_A_UNIT + work->free, ready = due.ready_at * PARTS_OF_A_UNIT;
    return ((parts > ready ? parts : ready) + work->bound) / PARTS_OF_A_UNIT;
}

/* When the work has its parameters, which the warps of a multiprocessor get one after another. */
static uint64_t parameters_come_at(struct sm *sm, const struct work *work, uint64_t begin)
{
    const struct machine_description *d = &the_machine.description;
    uint64_t each = (uint64_t)d->parameter_serial_per_1000, now = begin * 1000;
    if (!work->parameters)
        return begin;
    sm->parameter_slot = (sm->parameter_slot > now ? sm->parameter_slot : now) + work->parameters * each;
    return (sm->parameter_slot - each) / 1000 + (uint64_t)d->parameter_latency;
}

static void add_work(struct warp *warp, unsigned from)
{
    for (struct group *g = warp->groups + from; g < warp->groups + warp->group_count; g++) {
        uint64_t done_at = work_done_at(&g->work, (struct due){g->issue_at, g->ready_at, 0}),
                 come_at = parameters_come_at(warp->block->sm, &g->work, g->issue_at);
        g->ready_at = done_at > come_at ? done_at : come_at;
        g->value_at += g->value_at ? g->work.bound / PARTS_OF_A_UNIT : 0;
    }
}

/* What lies between a result and the instruction that waits for it. */
static uint64_t result_pause(void)
{
    return (uint64_t)the_machine.description.issue_latency;
}

/* Of instructions that were issued until now, while their request was not ready yet, if there were slots. */
static void take_issue_slots(struct sm *sm, const struct work *work, uint64_t now)
{
    uint64_t time = ((uint64_t)work->free + work->bound) / PARTS_OF_A_UNIT,
             begun = (now > time ? now - time : 0) * (uint64_t)the_machine.description.issue_per_unit;
    sm->issue_slot = (sm->issue_slot > begun ? sm->issue_slot : begun) + work->instructions;
    the_machine.counters.instructions += work->instructions;
}

/* Adds what the branch of a loop takes that looks at a word: more for lanes that do so apart from others of their warp. */
static void add_looks(struct warp *warp, lane_set lanes)
{
    const struct machine_description *d = &the_machine.description;
    lane_set looked = warp->looked & lanes;
    bool apart = looked != (all_lanes(warp) & ~warp->exited);
    int shared = apart ? d->shared_poll_apart_latency : d->shared_poll_latency,
        global = apart ? d->poll_apart_latency : d->poll_latency;
    FOR_EACH_LANE(i, looked)
    work_wait(&warp->lanes[i].work, warp->looked_at_shared & LANE(i) ? shared : global);
    warp->looked &= ~lanes;
}

/* Lanes that have run on since their request was made stand in new groups, or have exited. */
static void regroup(struct warp *warp, lane_set lanes, const struct outcome *last)
{
    unsigned from = warp->group_count, named = 0;
    struct work exiting = {0};
    uint64_t latency = (uint64_t)the_machine.description.arithmetic_latency;
    add_looks(warp, lanes);
    for (lane_set alike; lanes; lanes &= ~alike) {
        alike = scoreboard_alike(warp, lanes);
        const struct lane *lane = &warp->lanes[first_lane(alike)];
        struct due due = scoreboard_next(warp, alike, last);
        if (warp->exited & alike) {
            note_exits(warp, alike, work_done_at(&lane->work, due));
            work_most(&exiting, &lane->work);
        } else {
            due.issue_at += lane->arithmetic * latency;
            due.ready_at += lane->arithmetic * latency;
            join(warp, from, lane, due)->lanes |= alike;
        }
        named = lane->arithmetic > named ? lane->arithmetic : named;
        begin_work(warp, alike, work_behind(lane->instruction));
    }
    add_work(warp, from);
    the_machine.counters.instructions += exiting.instructions + named;
}

/* The same of a request to memory that took effect. */
static void regroup_access(struct warp *warp, const struct group *group)
{
    struct outcome outcome = {.has_result = group->kind == REQUEST_LOAD || group->kind == REQUEST_ATOMIC,
                              .is_next_word = group->is_next_word,
                              .next_words = group->kind == REQUEST_LOAD,
                              .issued_at = group->effect_at,
                              .done_at = group->complete_at,
                              .pause = result_pause()};
    FOR_EACH_LANE(i, group->lanes)
    outcome.next_words =
        outcome.next_words && warp->lanes[i].kind == REQUEST_LOAD && warp->lanes[i].is_next_word;
    regroup(warp, group->lanes, &outcome);
}

static void after_exits(struct warp *warp, uint64_t now);

/* Does the requests of these lanes, which are in none of the warp's groups and sets. */
static void run_lanes(struct warp *warp, lane_set lanes)
{
    shared_memory_install(warp, lanes);
    lanes_run(warp, lanes);
}

/* Lanes whose request is done at that time run to the next one, which may be dispatched `pause`
 * later; or at once, if the request has a result that the next one does not need. */
static void go_on_with(struct warp *warp, lane_set lanes, const struct outcome *last, uint64_t now)
{
    lane_set exited = warp->exited;
    run_lanes(warp, lanes);
    regroup(warp, lanes, last);
    if (warp->exited != exited)
        after_exits(warp, now);
    update_times(warp);
}

static void go_on(struct warp *warp, lane_set lanes, uint64_t done_at, uint64_t pause, uint64_t now)
{
    go_on_with(warp, lanes, &(struct outcome){.issued_at = now, .done_at = done_at, .pause = pause}, now);
}

/* Of a barrier of so many warps. */
static uint64_t barrier_latency(unsigned warps)
{
    const struct machine_description *d = &the_machine.description;
    int more = (d->syncthreads_latency_of_32 - d->syncthreads_latency) * (int)(warps - 1) / 31;
    return (uint64_t)(d->syncthreads_latency + more);
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
    const struct machine_description *d = &the_machine.description;
    int latency = warp->lanes[lane].kind == REQUEST_WARP_BARRIER ? d->syncwarp_latency : d->shuffle_latency;
    lane_set lanes = rendezvous_warp(warp, lane);
    warp->at_warp_barrier &= ~lanes;
    /* The lanes of a lockstep warp are one thread of control, which a vote orders too. */
    if (lanes && (warp->lanes[lane].kind == REQUEST_WARP_BARRIER || the_machine.description.lockstep))
        weak_warp_barrier(warp, lanes);
    /* A barrier has no result that the next instruction could wait for. */
    bool has_result = warp->lanes[lane].kind != REQUEST_WARP_BARRIER;
    struct outcome outcome = {.has_result = has_result,
                              .issued_at = now,
                              .done_at = now + (uint64_t)latency,
                              .pause = has_result ? result_pause() : 0};
    trace_departure(warp, lanes, now, outcome.done_at);
    if (lanes)
        go_on_with(warp, lanes, &outcome, now);
}

static void open_convergence_point(struct warp *warp, uint64_t now)
{
    lane_set lanes = convergence_reached(warp);
    warp->at_convergence &= ~lanes;
    if (lanes)
        go_on(warp, lanes, now + 1, 0, now);
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

/* An exit can complete what the other lanes wait at. */
static void after_exits(struct warp *warp, uint64_t now)
{
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
        regroup_access(warp, &due[g]);
    if (warp->exited != exited)
        after_exits(warp, now);
    update_times(warp);
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
    trace_departure(warp, lanes, now, now + 1);
    go_on(warp, lanes, now + 1, 0, now);
}

/* One time unit of one multiprocessor: the lanes of a warp that stand at one instruction. */
static void dispatch(struct sm *sm, struct warp *warp, uint64_t now)
{
    struct group group = policy_choose_lanes(warp, now);
    lane_set lanes = group.lanes;
    take_issue_slots(sm, &group.work, now);
    if (!group.is_next_word) {
        sm->issue_slot++;
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
        open_warp_barrier(warp, first_lane(lanes), now);
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
        go_on(warp, lanes, now + 1, 0, now);
        break;
    case REQUEST_CONVERGENCE_WAIT:
        warp->at_convergence |= lanes;
        open_convergence_point(warp, now);
        break;
    default:
        start_memory_request(sm, warp, &group, now);
        break;
    }
    update_times(warp);
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
    uint64_t slot = sm->issue_slot / (uint64_t)the_machine.description.issue_per_unit;
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

static void run_sm(struct sm *sm, uint64_t now)
{
    for (unsigned i = 0; i < sm->warp_count; i++)
        if (sm->next_effect[i] <= now)
            take_effect(sm->warps[i], now);
    uint64_t slots = (uint64_t)the_machine.description.issue_per_unit;
    while (sm->issue_slot < (now + 1) * slots) {
        struct warp *warp = policy_choose_warp(sm, now);
        if (!warp)
            break;
        dispatch(sm, warp, now);
        policy_hold_back(warp, now);
        update_times(warp);
    }
}

/* ---- blocks come and go ---- */

static unsigned free_place(const struct sm *sm, const struct kernel *kernel)
{
    for (unsigned place = 0;; place++) {
        bool taken = false;
        for (unsigned b = 0; b < sm->block_count; b++)
            taken = taken || (sm->blocks[b]->kernel == kernel && sm->blocks[b]->place == place);
        if (!taken)
            return place;
    }
}

static void form_warps(struct sm *sm, struct block *block)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        unsigned left = block->threads - w * width;
        *warp = (struct warp){.block = block,
                              .lanes = block->lanes + w * width,
                              .more = block->more + w * width,
                              .groups = block->groups + w * width,
                              .lane_count = left < width ? left : width,
                              .slot = sm->warp_count};
        sm->warps[sm->warp_count++] = warp;
    }
}

static bool all_resident(const struct run *run, const struct kernel *kernel)
{
    return kernel->grid <= run->sm_count * kernel->per_sm;
}

static void start_block(struct run *run, struct kernel *kernel, struct sm *sm, uint64_t now)
{
    struct block *block = blocks_take(kernel->threads);
    block->kernel = kernel;
    block->sm = sm;
    block->place = free_place(sm, kernel);
    unsigned device = device_of_sm(sm);
    block->index = device * device_share(kernel->grid) + kernel->started_on[device]++;
    kernel->started++;
    shared_memory_give(block);
    weak_block_begins(block);
    form_warps(sm, block);
    sm->blocks[sm->block_count++] = block;
    note_change();
    /* Close together: the fewer pages, the fewer misses of the TLB. */
    size_t place = all_resident(run, kernel) ? block->index : sm->index * kernel->per_sm + block->place;
    size_t stack = kernel->first_stack + place * kernel->threads;
    for (unsigned w = 0; w < block->warp_count; stack += block->warps[w++].lane_count)
        lanes_prepare(&block->warps[w], stack);
    for (unsigned w = 0; w < block->warp_count; w++)
        go_on(&block->warps[w], all_lanes(&block->warps[w]), now, result_pause(), now);
}

static void remove_block(struct sm *sm, unsigned at)
{
    struct block *block = sm->blocks[at];
    unsigned kept = 0;
    for (unsigned i = 0; i < sm->warp_count; i++) {
        if (sm->warps[i]->block == block)
            continue;
        sm->warps[i]->slot = kept;
        sm->issue_at[kept] = sm->issue_at[i];
        sm->next_effect[kept] = sm->next_effect[i];
        sm->warps[kept++] = sm->warps[i];
    }
    sm->warp_count = kept;
    sm->cursor = 0;
    sm->blocks[at] = sm->blocks[--sm->block_count];
    weak_block_ends(block);
    shared_memory_take(block);
    blocks_give_back(block);
}

static void fill(struct run *run, struct sm *sm, uint64_t now)
{
    struct kernel *kernel;
    while ((kernel = places_next(run, sm)))
        start_block(run, kernel, sm, now);
}

static void end_kernel(struct kernel *kernel)
{
    free((void *)(uintptr_t)kernel->launch.closure);
    kernel->number = 0;
    kernel->begun = false;
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
        remove_block(sm, b);
        if (!--kernel->blocks_left)
            end_kernel(kernel);
        fill(run, sm, end);
    }
}

/* ---- a launch ---- */

/* A block on each multiprocessor, then another on each. */
static void start_first_blocks(struct run *run, struct kernel *kernel)
{
    kernel->begun = true;
    for (size_t round = 0; round < kernel->per_sm; round++)
        for (unsigned s = 0; s < run->sm_count; s++)
            if (places_wanted(kernel, &run->sms[s]) && places_free(&run->sms[s], kernel))
                start_block(run, kernel, &run->sms[s], run->now);
    for (unsigned s = 0; s < run->sm_count; s++) {
        retire_blocks(run, &run->sms[s]);
        note_next_event(run, &run->sms[s]);
    }
}

static bool deadlocked(struct run *run, const struct sm *next)
{
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
    note_next_event(run, sm);
    if (run->shared)
        begin_kernels(run);
}

static cudaError_t loop(struct run *run, const struct kernel *awaited)
{
    while (awaited->blocks_left) {
        struct sm *sm = policy_next_sm(run);
        if (deadlocked(run, sm)) {
            deadlock_describe(run);
            return cudaErrorLaunchTimeout;
        }
        step(run, sm);
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

/* ---- a run ---- */

static void open_sm(struct sm *sm, unsigned index, size_t blocks, size_t warps)
{
    size_t lock_bits = (size_t)the_machine.description.lock_bits;
    uint64_t slots = (uint64_t)the_machine.description.issue_per_unit;
    *sm = (struct sm){.index = index, .issue_slot = the_machine.now * slots};
    sm->blocks = allocate(blocks * sizeof *sm->blocks);
    sm->warps = allocate(warps * sizeof *sm->warps);
    sm->issue_at = allocate(warps * sizeof *sm->issue_at);
    sm->next_effect = allocate(warps * sizeof *sm->next_effect);
    if (lock_bits)
        sm->locks = allocate(lock_bits * sizeof *sm->locks);
}

/* A kernel that lets others overlap finds room for as many as there may be, each of them as large as any. */
static void open_memory(struct run *run, const struct kernel *first)
{
    size_t threads =
        (all_resident(run, first) ? first->grid : run->sm_count * first->per_sm) * first->threads;
    if (run->shared)
        threads = MOST_KERNELS * run->sm_count * (size_t)the_machine.description.max_threads_per_sm;
    blocks_open(first->threads);
    lanes_open(threads);
    shared_memory_open(run->shared ? MOST_KERNELS * shared_memory_most() : shared_memory_need(first));
}

static void open_run(struct run *run, const struct kernel *first)
{
    const struct machine_description *d = &the_machine.description;
    unsigned width = (unsigned)d->warp_size;
    bool shared = first->stream->overlaps;
    size_t blocks = shared ? (size_t)d->max_blocks_per_sm : first->per_sm;
    size_t warps = shared ? blocks + (size_t)d->max_threads_per_sm / width
                          : blocks * ((first->threads + width - 1) / width);
    *run = (struct run){.shared = shared,
                        .sm_count = (unsigned)d->sm_count * device_count(),
                        .start = the_machine.now,
                        .now = the_machine.now,
                        .patience = 1000 * warps};
    run->sms = allocate(run->sm_count * sizeof *run->sms);
    run->next_event = allocate(run->sm_count * sizeof *run->next_event);
    run->next_of_some = allocate((run->sm_count / SOME + 1) * sizeof *run->next_of_some);
    for (unsigned s = 0; s < run->sm_count; s++)
        open_sm(&run->sms[s], s, blocks, warps);
    open_memory(run, first);
    if (d->l1_latency)
        cache_tags_open(
            run->sm_count,
            l1_bytes(d->compute_capability, (unsigned)(shared_memory_bytes(first) * first->per_sm)),
            4 * (unsigned)d->global_width);
    cost_reset();
    trace_launch_begins();
}

static void close_run(struct run *run)
{
    trace_interval_ends(the_machine.now);
    for (unsigned s = 0; s < run->sm_count; s++) {
        struct sm *sm = &run->sms[s];
        while (sm->block_count)
            remove_block(sm, 0);
        free(sm->blocks);
        free(sm->warps);
        free(sm->issue_at);
        free(sm->next_effect);
        free(sm->locks);
    }
    for (struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number)
            end_kernel(k);
    weak_launch_ends();
    free(run->sms);
    free(run->next_event);
    free(run->next_of_some);
    run->sms = NULL;
}

/* ---- for the runtime ---- */

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
        close_run(run);
    instructions_read(launch);
    if (!run->sms)
        open_run(run, &made);
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
        close_run(run);
    return error;
}
