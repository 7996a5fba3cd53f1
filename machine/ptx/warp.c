/* One file because fragments, calls and the beginnings of blocks change one state. */
#include "machine/ptx/warp.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/code/calls.h"
#include "machine/code/instructions.h"
#include "machine/cuda/bounds.h"
#include "machine/engine/groups.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/rules.h"
#include "machine/engine/sample.h"
#include "machine/ptx/undefined.h"
#include "machine/memory/shared_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- private memory ---- */

/* address space for the private memory of all threads; pages get memory when they are first used */
#define PRIVATE_BYTES ((size_t)1 << 36)
static unsigned char *private_space, *private_next;

unsigned char *ptx_take_private(size_t bytes)
{
    if (!private_space) {
        private_space = mmap(NULL, PRIVATE_BYTES, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (private_space == MAP_FAILED)
            fail(EXIT_CANNOT, "no address space for the private memory of threads");
        private_next = private_space;
    }
    unsigned char *memory = private_next;
    private_next += (bytes + 63) / 64 * 64;
    if (private_next > private_space + PRIVATE_BYTES)
        fail(EXIT_CANNOT, "the threads need more than %zu bytes of private memory", PRIVATE_BYTES);
    return memory;
}

bool ptx_is_private(const struct ptx_lanes *lanes, uint64_t address)
{
    const struct machine_launch *launch = &lanes->warp->block->kernel->launch;
    return (private_space && address - (uintptr_t)private_space < PRIVATE_BYTES) ||
           address - (uintptr_t)launch->closure < launch->closure_bytes;
}

bool ptx_may_be_private(const struct ptx_lanes *lanes, uint64_t low, uint64_t high)
{
    const struct machine_launch *launch = &lanes->warp->block->kernel->launch;
    uint64_t private = (uintptr_t)private_space, closure = (uintptr_t)launch->closure;
    return (private_space && low < private + PRIVATE_BYTES && high >= private) ||
           (low < closure + launch->closure_bytes && high >= closure);
}

/* ---- frames ---- */

/* number of calls within calls after which a thread's stack counts as too small */
#define MOST_CALLS 4000

static struct ptx_frame *take_frame(struct ptx_routine *routine)
{
    struct ptx_frame *frame = routine->ended;
    if (frame) {
        routine->ended = frame->next;
        ptx_undefined_forget(frame);
        return frame;
    }
    frame = allocate_aligned(sizeof *frame + routine->frame_bytes);
    frame->routine = routine;
    if (routine->private_bytes)
        frame->private_memory = ptx_take_private((size_t)PTX_LANES * routine->private_bytes);
    return frame;
}

/* Notes that these lanes have left the call. */
static void leave_frame(struct ptx_frame *frame, uint32_t mask)
{
    frame->lanes &= ~mask;
    if (frame->lanes)
        return;
    frame->has_tops = false;
    frame->next = frame->routine->ended;
    frame->routine->ended = frame;
}

static void enter_frame(struct ptx_lanes *lanes, struct ptx_frame *frame)
{
    lanes->frame = frame;
    lanes->base[PTX_FRAME] = frame->registers;
    lanes->base[PTX_CONSTANT] = frame->routine->constants;
    lanes->is_whole = lanes->mask == frame->lanes;
}

/* ---- fragments ---- */

static void add_fragment(struct ptx_warp *state, struct ptx_fragment fragment)
{
    state->fragments[state->count++] = fragment;
}

void ptx_part(struct ptx_lanes *lanes, uint32_t mask, const struct ptx_code *at)
{
    together_end(lanes->warp);
    add_fragment(lanes->state,
                 (struct ptx_fragment){
                     .mask = mask, .at = at, .frame = lanes->frame, .passed = lanes->passed, .runs = true});
    lanes->mask &= ~mask;
    lanes->is_whole = false;
    if (at < lanes->until)
        lanes->until = at;
}

/* Lets these lanes run: a fragment of which only some lanes may run becomes two. */
static void wake(struct ptx_warp *state, uint32_t mask)
{
    for (unsigned f = 0, count = state->count; f < count; f++) {
        struct ptx_fragment *fragment = &state->fragments[f];
        uint32_t woken = fragment->mask & mask;
        if (!woken)
            continue;
        if (woken != fragment->mask) {
            struct ptx_fragment rest = *fragment;
            rest.mask &= ~woken;
            add_fragment(state, rest);
            fragment = &state->fragments[f];
            fragment->mask = woken;
        }
        fragment->runs = true;
    }
}

/* Returns true if fragment `a` runs before fragment `b`: `a` is deeper in calls; or at an earlier instruction
 * of calls of one depth; or has begun the instruction at which `b` is. */
static bool runs_before(const struct ptx_fragment *a, const struct ptx_fragment *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->at != b->at ? a->at < b->at : a->stage > b->stage;
}

/* Takes the first fragment, in the order of execution, that may run, and joins with it the fragments that are
 * at the same instruction of the same call. Returns false if none may run. */
static bool take_fragment(struct ptx_warp *state, struct ptx_fragment *taken, const struct ptx_code **until)
{
    unsigned best = state->count;
    for (unsigned f = 0; f < state->count; f++)
        if (state->fragments[f].runs &&
            (best == state->count || runs_before(&state->fragments[f], &state->fragments[best])))
            best = f;
    if (best == state->count)
        return false;
    *taken = state->fragments[best];
    state->fragments[best] = state->fragments[--state->count];
    *until = (const struct ptx_code *)UINTPTR_MAX;
    for (unsigned f = 0; f < state->count;) {
        const struct ptx_fragment *other = &state->fragments[f];
        if (!other->runs || other->frame != taken->frame) {
            f++;
        } else if (other->at == taken->at && other->stage == 0 && taken->stage == 0) {
            taken->mask |= other->mask;
            taken->passed.needs |= other->passed.needs;
            work_most(&taken->passed.work, &other->passed.work);
            if (other->passed.last > taken->passed.last)
                taken->passed.last = other->passed.last;
            state->fragments[f] = state->fragments[--state->count];
        } else {
            *until = other->at < *until ? other->at : *until;
            f++;
        }
    }
    return true;
}

/* Stores in the lanes the work of the basic blocks that they have executed, and the requests that decided on
 * this. */
static void hand_over(const struct ptx_lanes *lanes)
{
    const struct ptx_passed *passed = &lanes->passed;
    if (!passed->needs && !passed->work.instructions)
        return;
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    {
        lanes->warp->lanes[l].needs |= passed->needs;
        work_add_more(&lanes->warp->lanes[l].work, &passed->work);
    }
}

/* Runs instructions as run_lanes() does, and follows undefined values. */
static const struct ptx_code *run_with_undefined(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    while (code && code < lanes->until) {
        struct ptx_frame *frame = lanes->frame;
        uint32_t mask = lanes->mask;
        const struct ptx_code *next = code->run(code, lanes);
        ptx_undefined_follow(code, frame, mask);
        code = next;
    }
    return code;
}

/* Ends lanes whose block has read data that a left-out block might have written (machine/engine/sample.h).
 * Returns the instruction at which the other lanes go on, or NULL if there are none. */
static const struct ptx_code *end_of_sample(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    uint32_t others = lanes->mask;
    lanes->mask = (uint32_t)sample_take_ended(lanes->warp, lanes->mask);
    others &= ~lanes->mask;
    if (lanes->mask)
        ptx_exit(lanes);
    lanes->mask = others;
    lanes->stop = others ? PTX_STOPS : PTX_EXITS;
    return others ? code : NULL;
}

/* Runs the lanes until they stop or reach another fragment. Returns whether they have stopped at a
 * request. */
static bool run_lanes(struct ptx_lanes *lanes, const struct ptx_fragment *fragment)
{
    const struct ptx_code *code = fragment->at;
    lanes->mask = fragment->mask;
    lanes->stage = fragment->stage;
    lanes->stop = PTX_STOPS;
    enter_frame(lanes, fragment->frame);
    if (lanes->stage) {
        lanes->passed = (struct ptx_passed){.last = code};
        code = code->finish(code, lanes);
        lanes->stage = code ? 0 : lanes->stage;
        if (__builtin_expect(lanes->warp->ends != 0, false))
            code = end_of_sample(code, lanes);
        if (__builtin_expect(lanes->state->has_undefined, false))
            ptx_undefined_finish(fragment->at, fragment->frame, fragment->mask);
    } else {
        lanes->passed = fragment->passed;
    }
    if (__builtin_expect(lanes->state->has_undefined, false))
        code = run_with_undefined(code, lanes);
    while (code && code < lanes->until)
        code = code->run(code, lanes);
    if (code) {
        lanes->stop = PTX_MOVES;
        lanes->at = code;
    }
    if (lanes->stop != PTX_STOPS || !lanes->mask)
        return false;
    hand_over(lanes);
    return true;
}

struct warp *ptx_running_warp;

static void run_fragments(struct warp *warp, lane_set set)
{
    struct ptx_warp *state = warp->ptx;
    struct ptx_lanes lanes = {.warp = warp, .state = state};
    struct ptx_fragment taken, *only = &state->fragments[0];
    ptx_running_warp = warp;
    lanes.base[PTX_OF_WARP] = state->special;
    lanes.base[PTX_OF_BLOCK] = warp->block->special;
    if (state->count == 1 && only->mask == (uint32_t)set) {
        /* most warps have one fragment, which stays where it is */
        lanes.until = (const struct ptx_code *)UINTPTR_MAX;
        bool stops = run_lanes(&lanes, only);
        only->mask = lanes.mask;
        only->stage = stops ? lanes.stage : 0;
        only->at = lanes.at;
        only->frame = lanes.frame;
        only->passed = lanes.passed;
        only->runs = !stops;
        if (!lanes.mask)
            *only = state->fragments[--state->count];
    } else {
        wake(state, (uint32_t)set);
    }
    while ((state->count > 1 || state->fragments[0].runs) && take_fragment(state, &taken, &lanes.until)) {
        bool stops = run_lanes(&lanes, &taken);
        if (lanes.mask)
            add_fragment(state, (struct ptx_fragment){.mask = lanes.mask,
                                                      .stage = stops ? lanes.stage : 0,
                                                      .at = lanes.at,
                                                      .frame = lanes.frame,
                                                      .passed = lanes.passed,
                                                      .runs = !stops});
    }
    warp->fragments = state->count;
    ptx_running_warp = NULL;
}

void ptx_warp_run(struct warp *warp, lane_set lanes)
{
    running.warp = warp;
    running.launch = &warp->block->kernel->launch;
    run_fragments(warp, lanes);
    running.warp = NULL;
}

/* ---- how instructions end ---- */

const struct ptx_code *ptx_stop(struct ptx_lanes *lanes, const struct ptx_code *code)
{
    lanes->stop = PTX_STOPS;
    lanes->stage++;
    lanes->at = code;
    return NULL;
}

const struct ptx_code *ptx_exit(struct ptx_lanes *lanes)
{
    hand_over(lanes);
    lanes->warp->exited |= lanes->mask;
    for (struct ptx_frame *frame = lanes->frame, *caller; frame; frame = caller) {
        caller = frame->caller;
        leave_frame(frame, lanes->mask);
    }
    lanes->mask = 0;
    lanes->stop = PTX_EXITS;
    return NULL;
}

/* Notes for reports that the lanes call a function, or leave one if `call` is NULL. */
static void note_calls(const struct ptx_lanes *lanes, const struct ptx_code *call)
{
    if (!bounds_are_checked && !rules_are_checked && !the_machine.memory.is_weak)
        return;
    FOR_EACH_LANE(l, lanes->mask)
    {
        running.warp = lanes->warp;
        running.lane = l;
        if (call)
            calls_enter(call);
        else
            calls_leave();
    }
}

/* Returns the frame in which other lanes are that have made the same call from the same frame, so that the
 * lanes can meet in the function: instructions of the whole warp, such as mma, need it. NULL means that there
 * is none. A frame with an alloca is not shared, because its tops are those of the lanes that it had then. */
static struct ptx_frame *frame_of_call(const struct ptx_lanes *lanes, const struct ptx_code *code,
                                       const struct ptx_routine *routine)
{
    const struct ptx_frame *caller = lanes->frame;
    for (unsigned f = 0; f < lanes->state->count; f++) {
        struct ptx_frame *frame = lanes->state->fragments[f].frame;
        while (frame->depth > caller->depth + 1)
            frame = frame->caller;
        if (frame->caller == caller && frame->back == code && frame->routine == routine && !frame->has_tops &&
            !(frame->lanes & lanes->mask))
            return frame;
    }
    return NULL;
}

const struct ptx_code *ptx_call(struct ptx_lanes *lanes, const struct ptx_code *code,
                                struct ptx_routine *routine)
{
    struct ptx_frame *frame = frame_of_call(lanes, code, routine), *caller = lanes->frame;
    if (caller->depth == MOST_CALLS)
        fail(EXIT_CANNOT, "%s: a thread has made %d calls within calls", routine->program->kernel->name,
             MOST_CALLS);
    if (!frame) {
        frame = take_frame(routine);
        frame->caller = caller;
        frame->back = code;
        frame->depth = caller->depth + 1;
    }
    frame->lanes |= lanes->mask;
    enter_frame(lanes, frame);
    note_calls(lanes, code);
    lanes->stop = PTX_MOVES;
    lanes->at = routine->code;
    return NULL;
}

const struct ptx_code *ptx_return(struct ptx_lanes *lanes)
{
    struct ptx_frame *frame = lanes->frame;
    if (!frame->caller)
        return ptx_exit(lanes);
    const struct ptx_code *back = frame->back;
    note_calls(lanes, NULL);
    if (frame->has_tops)
        ptx_stack_return(lanes->state, frame, lanes->mask);
    enter_frame(lanes, frame->caller);
    leave_frame(frame, lanes->mask);
    lanes->stop = PTX_MOVES;
    lanes->at = back + 1;
    return NULL;
}

/* ---- the beginnings of blocks ---- */

/* Returns whether one of these requests is the lane's last request that can poll: an atomic, an LDSLK or a
 * strong load. An acquire load ends with a fence, so its load is not the last request. */
static bool has_looked(const struct lane *lane, uintptr_t address, uint64_t requests)
{
    bool looks =
        lane->kind == REQUEST_LOAD || lane->kind == REQUEST_ATOMIC || lane->kind == REQUEST_LOCK_LOAD;
    bool has_acquired =
        lane->kind == REQUEST_FENCE_ACQUIRE && lane->of_access && the_machine.description.poll_meet_latency;
    return !lane->plain && ((looks && address) || has_acquired) && requests >> lane->number & 1;
}

static lane_set with_lanes(lane_set lanes, lane_set more, bool are_in)
{
    return are_in ? lanes | more : lanes & ~more;
}

/*
 * Adds, for lane l in place of all these lanes, the time of the branch that led to this block: a backward
 * branch of a loop (`is_back`), or the last branch of a loop that has ended. If the loop polls a word, the
 * branch's time depends on where the other lanes of the warp are, so work_add_polls() adds it later.
 */
static void add_branch(struct warp *warp, unsigned l, lane_set for_lanes, const struct dependence *to,
                       bool is_back)
{
    struct lane *lane = &warp->lanes[l];
    uint64_t latency = (uint64_t)the_machine.description.branch_latency * PARTS_OF_A_UNIT;
    bool is_measured = the_machine.description.poll_latency != 0;
    bool looked = has_looked(lane, warp->addresses[l], is_measured ? to->leaves : to->needs),
         waits = looked && is_measured;
    warp->looked = with_lanes(warp->looked, for_lanes, waits);
    if (waits) {
        warp->more[l].polled = lane->instruction;
        warp->looked_at_shared =
            with_lanes(warp->looked_at_shared, for_lanes, shared_memory_has(warp->addresses[l]));
        warp->looked_at_mbarrier = with_lanes(warp->looked_at_mbarrier, for_lanes, lane->of_mbarrier);
        warp->looked_in_order =
            with_lanes(warp->looked_in_order, for_lanes, lane->kind == REQUEST_FENCE_ACQUIRE);
    }
    if (is_back && !waits)
        lane->work.bound = work_sum(lane->work.bound, (uint32_t)latency);
}

const struct ptx_code *ptx_run_block(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct site *site = code->site;
    struct warp *warp = lanes->warp;
    bool is_back = code <= lanes->passed.last;
    lanes->passed.needs |= site->dependence.needs | site->dependence.used;
    work_add_more(&lanes->passed.work, &site->work);
    lanes->passed.last = code;
    if (rules_are_checked) { /* needed for reports of where the lanes are (machine_where()) */
        running.lane = (unsigned)__builtin_ctz(lanes->mask);
        running.code = code;
    }
    if (is_back)
        warp->turned |= lanes->mask;
    if (site->is_join && the_machine.run.rejoins)
        reconvergence_pass(warp, lanes->mask, (uintptr_t)code);
    if (is_back || site->is_exit)
        FOR_EACH_LANE(l, told_lanes(warp, lanes->mask))
    add_branch(warp, l, warp->together ? lanes->mask : LANE(l), &site->dependence, is_back);
    return code + 1;
}

void ptx_request(struct ptx_lanes *lanes, const struct ptx_code *code, enum request_kind kind)
{
    FOR_EACH_LANE(l, lanes->mask) lanes->warp->addresses[l] = 0;
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    {
        struct lane *lane = &lanes->warp->lanes[l];
        lane->kind = (uint8_t)kind;
        lane->address = 0;
        lane->bytes = 0;
        lane->plain = lane->past_l1 = lane->of_access = lane->of_mbarrier = false;
        lane->instruction = code;
    }
}

const struct ptx_code *ptx_request_clock(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    ptx_request(lanes, code, REQUEST_CLOCK);
    return ptx_stop(lanes, code);
}

void ptx_request_fence(const struct ptx_code *code, struct ptx_lanes *lanes, enum request_kind kind, int side)
{
    ptx_request(lanes, code, kind);
    FOR_EACH_LANE(l, told_lanes(lanes->warp, lanes->mask))
    {
        lanes->warp->lanes[l].instruction = (const char *)code + side;
        lanes->warp->lanes[l].of_access = true;
    }
}

const struct ptx_code *ptx_nothing(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    (void)lanes;
    return code + 1;
}

/* ---- warps ---- */

static struct ptx_warp *unused; /* states of warps that have ended */

void ptx_warp_begin(struct warp *warp)
{
    struct ptx_program *program = warp->block->kernel->launch.program;
    struct ptx_warp *state = unused;
    if (state)
        unused = state->next;
    else
        state = allocate_aligned(sizeof *state);
    warp->ptx = state;
    state->count = 0;
    state->has_undefined = false;
    struct ptx_frame *frame = take_frame(program->routines[0]);
    state->program = program;
    warp->addresses = state->addresses;
    frame->caller = NULL;
    frame->back = NULL;
    frame->depth = 0;
    frame->lanes = (uint32_t)all_lanes(warp);
    add_fragment(
        state, (struct ptx_fragment){.mask = frame->lanes, .at = program->routines[0]->code, .frame = frame});
    ptx_special_begin(warp);
}

void ptx_warp_end(struct warp *warp)
{
    struct ptx_warp *state = warp->ptx;
    /* Some lanes may not have exited, because the run ends early. Their frames are freed here. */
    for (unsigned f = 0; f < state->count; f++)
        for (struct ptx_frame *frame = state->fragments[f].frame, *caller; frame; frame = caller) {
            caller = frame->caller;
            leave_frame(frame, state->fragments[f].mask);
        }
    ptx_special_end(warp);
    ptx_stack_end(state);
    warp->ptx = NULL;
    state->next = unused;
    unused = state;
}

/* ---- the state of a lane ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of_frame(const struct ptx_frame *frame, unsigned lane)
{
    const struct ptx_routine *routine = frame->routine;
    uint64_t hash = (uintptr_t)frame->back;
    for (uint32_t at = 0; at < routine->words_at; at += 4)
        hash = mix(hash, *(const uint32_t *)(const void *)(frame->registers + at) >> lane & 1);
    for (uint32_t at = routine->words_at; at < routine->double_words_at; at += 4 * PTX_LANES)
        hash = mix(hash, ((const uint32_t *)(const void *)(frame->registers + at))[lane]);
    for (uint32_t at = routine->double_words_at; at < routine->frame_bytes; at += 8 * PTX_LANES)
        hash = mix(hash, ((const uint64_t *)(const void *)(frame->registers + at))[lane]);
    const unsigned char *own = ptx_private(frame, lane);
    for (uint32_t at = 0; at + 4 <= routine->private_bytes; at += 4)
        hash = mix(hash, *(const uint32_t *)(const void *)(own + at));
    return hash;
}

uint64_t ptx_state_of(const struct warp *warp, unsigned lane)
{
    const struct ptx_warp *state = warp->ptx;
    uint64_t hash = warp->addresses[lane];
    for (unsigned f = 0; f < state->count; f++) {
        if (!(state->fragments[f].mask >> lane & 1))
            continue;
        hash = mix(hash, (uintptr_t)state->fragments[f].at + state->fragments[f].stage);
        for (const struct ptx_frame *frame = state->fragments[f].frame; frame; frame = frame->caller)
            hash = mix(hash, hash_of_frame(frame, lane));
    }
    return hash;
}
