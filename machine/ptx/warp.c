#include "machine/ptx/warp.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/code/instructions.h"
#include "machine/engine/lanes.h"
#include "machine/engine/reconvergence.h"
#include "machine/memory/shared_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- private memory ---- */

/* address space for the private memory of all threads; pages get memory when they are first used */
#define PRIVATE_BYTES ((size_t)1 << 36)
static unsigned char *private_space, *private_next;

static unsigned char *take_private(size_t bytes)
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
    return address - (uintptr_t)private_space < PRIVATE_BYTES ||
           address - (uintptr_t)launch->closure < launch->closure_bytes;
}

/* ---- frames ---- */

/* number of calls within calls after which a thread's stack counts as too small */
#define MOST_CALLS 4000

static struct ptx_frame *take_frame(struct ptx_routine *routine)
{
    struct ptx_frame *frame = routine->ended;
    if (frame) {
        routine->ended = frame->next;
        return frame;
    }
    frame = allocate_aligned(sizeof *frame + routine->frame_bytes);
    frame->routine = routine;
    if (routine->private_bytes)
        frame->private_memory = take_private((size_t)PTX_LANES * routine->private_bytes);
    return frame;
}

/* Notes that these lanes have left the call. */
static void leave_frame(struct ptx_frame *frame, uint32_t mask)
{
    frame->lanes &= ~mask;
    if (frame->lanes)
        return;
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
    add_fragment(lanes->state, (struct ptx_fragment){.mask = mask,
                                                     .at = at,
                                                     .frame = lanes->frame,
                                                     .passed = lanes->passed,
                                                     .runs = true});
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

/* Is a fragment further behind than another one: deeper in calls, at an earlier instruction, or waiting for a
 * request at the same instruction? */
static bool is_behind(const struct ptx_fragment *a, const struct ptx_fragment *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->at != b->at ? a->at < b->at : a->stage > b->stage;
}

/* Takes the fragment that is furthest behind from those that may run, together with the fragments that are at
 * the same place. Returns false if none may run. */
static bool take_fragment(struct ptx_warp *state, struct ptx_fragment *taken, const struct ptx_code **until)
{
    unsigned best = state->count;
    for (unsigned f = 0; f < state->count; f++)
        if (state->fragments[f].runs && (best == state->count || is_behind(&state->fragments[f], &state->fragments[best])))
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

/* Gives the lanes the work of the blocks that they have passed, and what decided that they did. */
static void hand_over(const struct ptx_lanes *lanes)
{
    const struct ptx_passed *passed = &lanes->passed;
    if (!passed->needs && !passed->work.instructions)
        return;
    FOR_EACH_LANE(l, lanes->mask)
    {
        lanes->warp->lanes[l].needs |= passed->needs;
        work_add_more(&lanes->warp->lanes[l].work, &passed->work);
    }
}

/* Keeps the lanes as a fragment that goes on, now or when its request has taken effect. */
static void keep_fragment(const struct ptx_lanes *lanes, const struct ptx_code *at, unsigned stage, bool runs)
{
    add_fragment(lanes->state, (struct ptx_fragment){.mask = lanes->mask,
                                                     .stage = stage,
                                                     .at = at,
                                                     .frame = lanes->frame,
                                                     .passed = lanes->passed,
                                                     .runs = runs});
}

/* Runs the lanes until they stop, or come to where another fragment is. */
static void run_fragment(struct ptx_lanes *lanes, const struct ptx_code *code)
{
    lanes->stop = PTX_STOPS;
    if (lanes->stage) {
        lanes->passed = (struct ptx_passed){.last = code};
        code = code->finish(code, lanes);
    }
    while (code && code < lanes->until)
        code = code->run(code, lanes);
    if (code) {
        keep_fragment(lanes, code, 0, true);
    } else if (lanes->stop == PTX_MOVES) {
        keep_fragment(lanes, lanes->at, 0, true);
    } else if (lanes->stop == PTX_STOPS && lanes->mask) {
        hand_over(lanes);
        keep_fragment(lanes, lanes->at, lanes->stage, false);
    }
}

struct warp *ptx_running_warp;

void ptx_warp_run(struct warp *warp, lane_set set)
{
    struct ptx_warp *state = warp->ptx;
    struct ptx_lanes lanes = {.warp = warp, .state = state};
    struct ptx_fragment fragment;
    ptx_running_warp = warp;
    wake(state, (uint32_t)set);
    lanes.base[PTX_OF_WARP] = (unsigned char *)state->special;
    lanes.base[PTX_OF_BLOCK] = state->of_block;
    while (take_fragment(state, &fragment, &lanes.until)) {
        lanes.mask = fragment.mask;
        lanes.stage = fragment.stage;
        lanes.passed = fragment.passed;
        enter_frame(&lanes, fragment.frame);
        run_fragment(&lanes, fragment.at);
    }
    ptx_running_warp = NULL;
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

const struct ptx_code *ptx_call(struct ptx_lanes *lanes, const struct ptx_code *code, struct ptx_routine *routine)
{
    struct ptx_frame *frame = take_frame(routine), *caller = lanes->frame;
    if (caller->depth == MOST_CALLS)
        fail(EXIT_CANNOT, "%s: a thread has made %d calls within calls", routine->program->kernel->name, MOST_CALLS);
    frame->caller = caller;
    frame->back = code;
    frame->lanes = lanes->mask;
    frame->depth = caller->depth + 1;
    enter_frame(lanes, frame);
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
    enter_frame(lanes, frame->caller);
    leave_frame(frame, lanes->mask);
    lanes->stop = PTX_MOVES;
    lanes->at = back + 1;
    return NULL;
}

/* ---- the beginnings of blocks ---- */

/* Returns whether the lane's last request, an atomic, an LDSLK or a strong load, is one of these requests. A load that
 * acquires ends with a fence. */
static bool has_looked(const struct lane *lane, uint64_t requests)
{
    bool looks = lane->kind == REQUEST_LOAD || lane->kind == REQUEST_ATOMIC || lane->kind == REQUEST_LOCK_LOAD;
    bool has_acquired =
        lane->kind == REQUEST_FENCE_ACQUIRE && lane->of_access && the_machine.description.poll_meet_latency;
    return !lane->plain && ((looks && lane->address) || has_acquired) && requests >> lane->number & 1;
}

static lane_set with_lane(lane_set lanes, unsigned l, bool is_in)
{
    return is_in ? lanes | LANE(l) : lanes & ~LANE(l);
}

/*
 * Adds the time of the branch that led to this block, with which a loop begins again (`is_back`) or after which it has
 * ended. If the loop polls a word, the branch's time depends on where the other lanes of the warp are, so
 * work_add_polls() adds it later.
 */
static void add_branch(struct warp *warp, unsigned l, const struct dependence *to, bool is_back)
{
    struct lane *lane = &warp->lanes[l];
    uint64_t latency = (uint64_t)the_machine.description.branch_latency * PARTS_OF_A_UNIT;
    bool is_measured = the_machine.description.poll_latency != 0;
    bool looked = has_looked(lane, is_measured ? to->leaves : to->needs), waits = looked && is_measured;
    warp->looked = with_lane(warp->looked, l, waits);
    if (waits) {
        warp->more[l].polled = lane->instruction;
        warp->looked_at_shared = with_lane(warp->looked_at_shared, l, shared_memory_has(lane->address));
        warp->looked_at_mbarrier = with_lane(warp->looked_at_mbarrier, l, lane->of_mbarrier);
        warp->looked_in_order = with_lane(warp->looked_in_order, l, lane->kind == REQUEST_FENCE_ACQUIRE);
    }
    if (is_back && !waits)
        lane->work.bound = work_sum(lane->work.bound, (uint32_t)latency);
}

const struct ptx_code *ptx_run_block(const struct ptx_code *code, struct ptx_lanes *lanes)
{
    const struct hook_site *site = code->site;
    struct warp *warp = lanes->warp;
    bool is_back = code <= lanes->passed.last;
    lanes->passed.needs |= site->dependence.needs;
    work_add_more(&lanes->passed.work, &site->work);
    lanes->passed.last = code;
    if (is_back)
        warp->turned |= lanes->mask;
    if (site->is_join && the_machine.run.rejoins)
        reconvergence_pass(warp, lanes->mask, (uintptr_t)code);
    if (is_back || site->is_exit)
        FOR_EACH_LANE(l, lanes->mask) add_branch(warp, l, &site->dependence, is_back);
    return code + 1;
}

void ptx_request(struct ptx_lanes *lanes, const struct ptx_code *code, enum request_kind kind)
{
    FOR_EACH_LANE(l, lanes->mask)
    {
        struct lane *lane = &lanes->warp->lanes[l];
        lane->kind = (uint8_t)kind;
        lane->address = 0;
        lane->bytes = 0;
        lane->plain = lane->of_access = lane->of_mbarrier = lane->is_next_word = false;
        lane->instruction = code;
    }
}

/* ---- warps ---- */

void ptx_warp_begin(struct warp *warp)
{
    struct ptx_program *program = warp->block->kernel->launch.program;
    struct ptx_warp *state = warp->ptx = allocate_aligned(sizeof *state);
    struct ptx_frame *frame = take_frame(program->routines[0]);
    state->program = program;
    frame->caller = NULL;
    frame->back = NULL;
    frame->depth = 0;
    frame->lanes = (uint32_t)all_lanes(warp);
    add_fragment(state, (struct ptx_fragment){.mask = frame->lanes, .at = program->routines[0]->code, .frame = frame});
    ptx_special_begin(warp);
}

void ptx_warp_end(struct warp *warp)
{
    struct ptx_warp *state = warp->ptx;
    if (!state)
        return;
    /* lanes that have not exited, because the run ends early */
    for (unsigned f = 0; f < state->count; f++)
        for (struct ptx_frame *frame = state->fragments[f].frame, *caller; frame; frame = caller) {
            caller = frame->caller;
            leave_frame(frame, state->fragments[f].mask);
        }
    free(state->special);
    free(state);
    warp->ptx = NULL;
}
