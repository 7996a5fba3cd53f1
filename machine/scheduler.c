/*
 * The event loop: takes the multiprocessors in the order of their next event, lets requests take effect at
 * their time, and dispatches ready warps as the schedule says. A block stays on its multiprocessor to its
 * end.
 */
#include "machine/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine the_machine;

/* splitmix64 (Steele, Lea and Flood 2014) */
uint64_t machine_random(void)
{
    uint64_t z = the_machine.random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) {
        fprintf(stderr, "machine: out of memory\n");
        abort();
    }
    return p;
}

void scheduler_changed(void)
{
    the_machine.run.changed++;
    the_machine.run.dispatches_since_change = 0;
}

/* ---- a lane's progress ---- */

static void remember_load(struct lane *lane)
{
    struct run *run = &the_machine.run;
    if (lane->repeats_since != run->changed) {
        lane->repeats_since = run->changed;
        lane->repeats = 0;
    }
    for (unsigned i = 0; i < RECENT_LOADS; i++)
        if (lane->recent[i] == lane->request.address) {
            lane->repeats++;
            return;
        }
    lane->recent[lane->recent_next++ % RECENT_LOADS] = lane->request.address;
    lane->repeats = 0;
}

static void lane_exited(struct lane *lane)
{
    struct block *block = lane->warp->block;
    uint64_t end = lane->ready_at > lane->stores_done_at ? lane->ready_at : lane->stores_done_at;
    if (end > block->finished_at)
        block->finished_at = end;
    block->exited++;
    scheduler_changed();
}

/* A lane may be dispatched at `ready_at`. A lockstep warp waits for all its lanes. */
static void warp_ready_at(struct warp *warp, uint64_t ready_at)
{
    bool later = the_machine.description.lockstep && warp->next_ready != NEVER;
    if (later ? ready_at > warp->next_ready : ready_at < warp->next_ready)
        warp->next_ready = ready_at;
}

/* Runs a lane whose request is done to its next one, which may be dispatched from ready_at on. */
void scheduler_go_on(struct lane *lane, uint64_t done_at, uint64_t ready_at)
{
    if (lane->request.address && memory_is_shared(lane->request.address))
        shared_memory_install(lane->warp->block);
    lane->ready_at = ready_at;
    lane->state = LANE_READY;
    lane_resume(lane);
    if (lane->state == LANE_EXITED) {
        lane->ready_at = done_at;
        lane_exited(lane);
        return;
    }
    lane->ready_at += (uint64_t)(lane->request.arithmetic * the_machine.description.issue_latency);
    warp_ready_at(lane->warp, lane->ready_at);
}

/* The same for a request whose result the next one may wait for. */
void scheduler_let_go(struct lane *lane, uint64_t done_at)
{
    scheduler_go_on(lane, done_at, done_at + (uint64_t)the_machine.description.issue_latency);
}

/* An exit can complete the barriers that the other lanes stand at. */
static void after_exits(struct warp *warp, uint64_t now)
{
    rendezvous_block(warp->block, now);
    for (unsigned i = 0; i < warp->lane_count; i++)
        if (warp->lanes[i].state == LANE_AT_WARP_BARRIER)
            rendezvous_warp(warp, warp->lanes[i].request.mask, warp->lanes[i].request.kind, now);
    convergence_check(warp, now);
}

static void update_warp(struct warp *warp)
{
    warp->next_ready = warp->next_effect = NEVER;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        const struct lane *lane = &warp->lanes[i];
        if (lane->state == LANE_READY)
            warp_ready_at(warp, lane->ready_at);
        if (lane->state == LANE_IN_MEMORY && lane->effect_at < warp->next_effect)
            warp->next_effect = lane->effect_at;
    }
}

static void take_effect(struct warp *warp, uint64_t now)
{
    unsigned exited = warp->block->exited;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        struct lane *lane = &warp->lanes[i];
        if (lane->state == LANE_IN_MEMORY && lane->effect_at <= now)
            scheduler_let_go(lane, lane->complete_at);
    }
    if (warp->block->exited != exited)
        after_exits(warp, now);
    update_warp(warp);
}

/* ---- dispatching a warp ---- */

/* In a lockstep warp: what frees a lock bit follows what took it, whatever lies between (Li 2015, Listing 1).
 */
static bool comes_first(const struct request *a, const struct request *b)
{
    bool a_frees = a->kind == REQUEST_STORE_UNLOCK, b_frees = b->kind == REQUEST_STORE_UNLOCK;
    return a_frees != b_frees ? a_frees : a->instruction < b->instruction;
}

/*
 * Which of the warp's ready lanes lead: those that have waited longest, among them those at the lowest
 * instruction, because lanes that went apart in a branch meet again behind it. The adversary and chance may
 * pick any, but have no say within a lockstep warp.
 */
static struct lane *leader(struct warp *warp, uint64_t now)
{
    struct lane *best = NULL;
    unsigned ready = 0;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        struct lane *lane = &warp->lanes[i];
        if (lane->state != LANE_READY || lane->ready_at > now)
            continue;
        ready++;
        bool replace;
        if (the_machine.description.lockstep)
            replace = !best || comes_first(&lane->request, &best->request);
        else if (the_machine.schedule == MACHINE_ROUND_ROBIN)
            replace =
                !best || lane->ready_at < best->ready_at ||
                (lane->ready_at == best->ready_at && lane->request.instruction < best->request.instruction);
        else
            replace = !best || (lane->request.instruction != best->request.instruction &&
                                machine_random() % ready == 0);
        if (replace)
            best = lane;
    }
    return best;
}

/* The lanes that stand where the leader does. The adversary may tear independent threads apart there. */
static unsigned gather(struct warp *warp, const struct lane *lead, uint64_t now, struct lane **group)
{
    bool tear = the_machine.schedule == MACHINE_ADVERSARIAL && !the_machine.description.lockstep &&
                machine_random() % 8 == 0;
    unsigned count = 0;
    for (unsigned i = 0; i < warp->lane_count; i++) {
        struct lane *lane = &warp->lanes[i];
        if (lane->state == LANE_READY && lane->ready_at <= now &&
            lane->request.instruction == lead->request.instruction &&
            lane->request.kind == lead->request.kind && (lane == lead || !tear || machine_random() % 2))
            group[count++] = lane;
    }
    return count;
}

static void start_memory_request(struct sm *sm, struct lane **group, unsigned count, uint64_t now)
{
    enum request_kind kind = group[0]->request.kind;
    memory_charge(sm, group, count, now);
    if (kind == REQUEST_STORE)
        scheduler_changed(); /* an atomic and an unlocking store say so themselves (hooks.c) */
    for (unsigned i = 0; i < count; i++) {
        group[i]->state = LANE_IN_MEMORY;
        if (kind == REQUEST_LOAD || kind == REQUEST_ATOMIC || kind == REQUEST_LOCK_LOAD)
            remember_load(group[i]);
    }
}

/* One time unit of one multiprocessor: the lanes of a warp that stand at one instruction. */
static void dispatch(struct sm *sm, struct warp *warp, uint64_t now)
{
    struct lane *group[MACHINE_MAX_WARP];
    const struct lane *lead = leader(warp, now);
    enum request_kind kind = lead->request.kind;
    uint64_t mask = lead->request.mask;
    unsigned count = gather(warp, lead, now, group);
    warp->last_dispatch = now;
    the_machine.run.dispatches_since_change++;
    switch (kind) {
    case REQUEST_BLOCK_BARRIER:
        for (unsigned i = 0; i < count; i++)
            group[i]->state = LANE_AT_BLOCK_BARRIER;
        warp->block->at_barrier += count;
        rendezvous_block(warp->block, now);
        break;
    case REQUEST_WARP_BARRIER:
    case REQUEST_SHUFFLE:
    case REQUEST_BALLOT:
        for (unsigned i = 0; i < count; i++)
            group[i]->state = LANE_AT_WARP_BARRIER;
        rendezvous_warp(warp, mask, kind, now);
        break;
    case REQUEST_NAMED_BARRIER:
    case REQUEST_NAMED_ARRIVAL:
        rendezvous_named(warp->block, group, count, now);
        break;
    case REQUEST_CONVERGENCE_SET:
        convergence_set(group, count, now);
        break;
    case REQUEST_CONVERGENCE_WAIT:
        for (unsigned i = 0; i < count; i++)
            group[i]->state = LANE_AT_CONVERGENCE;
        convergence_check(warp, now);
        break;
    default:
        start_memory_request(sm, group, count, now);
        break;
    }
    update_warp(warp);
    if (warp->next_effect <= now)
        take_effect(warp, now);
}

/* ---- a multiprocessor ---- */

/* When the warp has something to dispatch; NEVER: not before something else happens. */
static uint64_t issue_time(const struct warp *warp)
{
    if (warp->next_ready == NEVER || (the_machine.description.lockstep && warp->next_effect != NEVER))
        return NEVER;
    return warp->next_ready > warp->held_until ? warp->next_ready : warp->held_until;
}

/* The adversary takes the warp that ran last, but for a rare slip: one that never slips can starve a lock's
 * owner for ever. */
static struct warp *choose_warp(struct sm *sm, uint64_t now)
{
    bool slips = the_machine.schedule == MACHINE_ADVERSARIAL && machine_random() % 64 == 0;
    struct warp *chosen = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < sm->warp_count; i++) {
        unsigned at = (sm->cursor + i) % sm->warp_count;
        struct warp *warp = sm->warps[at];
        if (issue_time(warp) > now)
            continue;
        seen++;
        if (the_machine.schedule == MACHINE_ROUND_ROBIN) {
            sm->cursor = at + 1;
            return warp;
        }
        bool replace = the_machine.schedule == MACHINE_RANDOM || slips
                           ? machine_random() % seen == 0
                           : !chosen || warp->last_dispatch > chosen->last_dispatch;
        if (replace)
            chosen = warp;
    }
    return chosen;
}

/* The adversary of a machine with several multiprocessors may hold a warp back while others go on. */
static void maybe_hold_back(struct warp *warp, uint64_t now)
{
    const struct machine_description *d = &the_machine.description;
    if (the_machine.schedule != MACHINE_ADVERSARIAL || d->sm_count == 1 || machine_random() % 16)
        return;
    warp->held_until = now + machine_random() % (uint64_t)(20 * d->global_latency + 200);
}

static void schedule_sm(struct sm *sm)
{
    const struct machine_description *d = &the_machine.description;
    sm->next_event = NEVER;
    for (unsigned i = 0; i < sm->warp_count; i++) {
        const struct warp *warp = sm->warps[i];
        if (warp->next_effect < sm->next_event)
            sm->next_event = warp->next_effect;
        uint64_t at = issue_time(warp);
        if (at == NEVER)
            continue;
        uint64_t slot = sm->next_issue + (sm->issued >= (unsigned)d->issue_per_unit);
        if (at < slot)
            at = slot;
        if (at < sm->next_event)
            sm->next_event = at;
    }
}

static void run_sm(struct sm *sm, uint64_t now)
{
    for (unsigned i = 0; i < sm->warp_count; i++)
        if (sm->warps[i]->next_effect <= now)
            take_effect(sm->warps[i], now);
    if (now > sm->next_issue) {
        sm->next_issue = now;
        sm->issued = 0;
    }
    while (sm->issued < (unsigned)the_machine.description.issue_per_unit) {
        struct warp *warp = choose_warp(sm, now);
        if (!warp)
            break;
        sm->issued++;
        dispatch(sm, warp, now);
        maybe_hold_back(warp, now);
    }
}

/* ---- blocks come and go ---- */

/* Each multiprocessor has the stacks for as many blocks as it holds: the first place that no block has. */
static unsigned free_place(const struct sm *sm)
{
    for (unsigned place = 0;; place++) {
        bool taken = false;
        for (unsigned b = 0; b < sm->block_count; b++)
            taken = taken || sm->blocks[b]->place == place;
        if (!taken)
            return place;
    }
}

static void form_warps(struct sm *sm, struct block *block, unsigned threads)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    block->warp_count = (threads + width - 1) / width;
    block->warps = allocate(block->warp_count, sizeof *block->warps);
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        unsigned left = threads - w * width;
        *warp = (struct warp){.block = block,
                              .lanes = block->lanes + w * width,
                              .lane_count = left < width ? left : width,
                              .next_ready = NEVER,
                              .next_effect = NEVER};
        for (unsigned i = 0; i < warp->lane_count; i++)
            warp->lanes[i].warp = warp;
        sm->warps[sm->warp_count++] = warp;
    }
}

static void start_block(struct run *run, struct sm *sm, uint64_t now)
{
    unsigned threads = run->launch->block;
    struct block *block = allocate(1, sizeof *block);
    block->sm = sm;
    block->place = free_place(sm);
    block->index = run->next_block++;
    block->lanes = allocate(threads, sizeof *block->lanes);
    block->shared_image = allocate(shared_memory_bytes(), 1);
    form_warps(sm, block, threads);
    sm->blocks[sm->block_count++] = block;
    scheduler_changed();
    size_t stacks = (size_t)sm->index * (size_t)the_machine.description.max_threads_per_sm;
    for (unsigned i = 0; i < threads; i++) {
        block->lanes[i].thread = i;
        lane_prepare(&block->lanes[i], stacks + (size_t)block->place * threads + i);
        scheduler_let_go(&block->lanes[i], now);
    }
    for (unsigned w = 0; w < block->warp_count; w++)
        update_warp(&block->warps[w]);
}

static void remove_block(struct sm *sm, unsigned at)
{
    struct block *block = sm->blocks[at];
    unsigned kept = 0;
    for (unsigned i = 0; i < sm->warp_count; i++)
        if (sm->warps[i]->block != block)
            sm->warps[kept++] = sm->warps[i];
    sm->warp_count = kept;
    sm->cursor = 0;
    sm->blocks[at] = sm->blocks[--sm->block_count];
    if (the_machine.shared_owner == block)
        the_machine.shared_owner = NULL;
    free(block->lanes);
    free(block->warps);
    free(block->shared_image);
    free(block);
}

/* Takes finished blocks away and lets waiting ones in. */
static void retire_blocks(struct run *run, struct sm *sm)
{
    for (unsigned b = 0; b < sm->block_count;) {
        if (sm->blocks[b]->exited < run->launch->block) {
            b++;
            continue;
        }
        uint64_t end = sm->blocks[b]->finished_at;
        if (end > run->end)
            run->end = end;
        remove_block(sm, b);
        run->blocks_left--;
        if (run->next_block < run->launch->grid)
            start_block(run, sm, end);
    }
}

/* ---- a launch ---- */

static void start_first_blocks(struct run *run, size_t per_sm)
{
    for (size_t round = 0; round < per_sm; round++)
        for (unsigned s = 0; s < run->sm_count && run->next_block < run->launch->grid; s++)
            start_block(run, &run->sms[s], run->start);
    for (unsigned s = 0; s < run->sm_count; s++) {
        retire_blocks(run, &run->sms[s]);
        schedule_sm(&run->sms[s]);
    }
}

/* The multiprocessor whose event comes first; among equals the lowest, or any where chance or malice rules.
 */
static struct sm *next_sm(struct run *run)
{
    unsigned offset = the_machine.schedule == MACHINE_ROUND_ROBIN || run->sm_count == 1
                          ? 0
                          : (unsigned)(machine_random() % run->sm_count);
    struct sm *first = NULL;
    for (unsigned i = 0; i < run->sm_count; i++) {
        unsigned at = offset + i < run->sm_count ? offset + i : offset + i - run->sm_count;
        struct sm *sm = &run->sms[at];
        if (!first || sm->next_event < first->next_event)
            first = sm;
    }
    return first;
}

static bool deadlocked(struct run *run, const struct sm *next)
{
    if (next->next_event == NEVER)
        return true;
    if (run->dispatches_since_change < run->patience)
        return false;
    run->dispatches_since_change = 0;
    return deadlock_suspected(run);
}

static cudaError_t loop(struct run *run)
{
    while (run->blocks_left) {
        struct sm *sm = next_sm(run);
        if (deadlocked(run, sm)) {
            deadlock_describe(run);
            return cudaErrorLaunchTimeout;
        }
        run->now = sm->next_event;
        run_sm(sm, run->now);
        retire_blocks(run, sm);
        schedule_sm(sm);
    }
    return cudaSuccess;
}

static void open_run(struct run *run, const struct machine_launch *launch, size_t per_sm)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    size_t warps = per_sm * ((launch->block + width - 1) / width);
    *run = (struct run){.launch = launch,
                        .sm_count = (unsigned)the_machine.description.sm_count,
                        .blocks_left = launch->grid,
                        .start = the_machine.now,
                        .now = the_machine.now,
                        .end = the_machine.now,
                        .patience = 1000 * warps};
    run->sms = allocate(run->sm_count, sizeof *run->sms);
    for (unsigned s = 0; s < run->sm_count; s++) {
        run->sms[s] = (struct sm){.index = s, .next_issue = the_machine.now};
        run->sms[s].blocks = allocate(per_sm, sizeof(struct block *));
        run->sms[s].warps = allocate(warps, sizeof(struct warp *));
    }
}

static void close_run(struct run *run)
{
    for (unsigned s = 0; s < run->sm_count; s++) {
        while (run->sms[s].block_count)
            remove_block(&run->sms[s], 0);
        free(run->sms[s].blocks);
        free(run->sms[s].warps);
    }
    free(run->sms);
    run->launch = NULL;
}

/* Runs one kernel to its end and moves the machine's clock there. The launch was checked. */
cudaError_t scheduler_run(const struct machine_launch *launch)
{
    struct run *run = &the_machine.run;
    size_t per_sm = (size_t)machine_resident_blocks_per_sm((int)launch->block, launch->shared_bytes);
    open_run(run, launch, per_sm);
    memory_reset();
    start_first_blocks(run, per_sm);
    cudaError_t error = loop(run);
    the_machine.now = error == cudaSuccess ? run->end : run->now;
    trace_interval_ends(the_machine.now);
    close_run(run);
    return error;
}
