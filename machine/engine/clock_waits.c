#include "machine/engine/clock_waits.h"
#include "base/memory.h"
#include "machine/code/instructions.h"
#include "machine/engine/copies.h"
#include "machine/engine/events.h"
#include "machine/engine/orders.h"
#include "machine/engine/reconvergence.h"
#include "machine/engine/rules.h"
#include "machine/engine/together.h"
#include "machine/engine/trace.h"
#include "machine/ptx.h"
#include "machine/time/work.h"

#include <stdlib.h>
#include <string.h>

/* A multiprocessor is watched after this number of consecutive events at which lanes have only read the
 * clock. After each attempt in vain, four times as many events are required, up to MOST_EVENTS_BEFORE. */
#define EVENTS_BEFORE 64
#define MOST_EVENTS_BEFORE 65536
#define MOST_READINGS 16384 /* in a period */
#define MOST_BLOCKS 64      /* basic blocks that lanes execute in a period */
/* Periods are skipped for at most this number of time units at once: counters of 32 bits then wrap
 * around at most once. */
#define MOST_SKIPPED (UINT64_C(1) << 30)

/* A reading of the clock by lanes of a warp. `trace` is a hash of what the lanes did after it. */
struct reading {
    unsigned slot;
    lane_set lanes;
    uint64_t at, trace;
};

/* The state of the search for a period on one multiprocessor. */
struct watch {
    /* number of dispatched groups and of lanes' runs on this multiprocessor up to its last event */
    uint64_t handled;
    /* number of consecutive events with clock readings only, and the number of them that is required */
    uint64_t quiet, after;
    bool is_on;                   /* is the multiprocessor watched? */
    uint64_t began, state;        /* time at which watching began, and a hash of the state at this time */
    uint64_t instructions, steps; /* counts since watching began */
    struct reading *readings;
    size_t count, room;
    const void *blocks[MOST_BLOCKS];
    unsigned block_count;
};

bool clock_waits_watch;
/* `watches` has an entry for each multiprocessor; `at_work` is the entry of the one whose lanes run */
static struct watch *watches, *at_work;
static unsigned watch_count;
static bool is_allowed;
static uint64_t trace, readings_of_step, instructions_before, steps_before;

/* is_trial is set while periods are tried; has_left is set when a lane then executes a basic block that was
 * not in the period */
static bool is_trial, has_left;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void clock_waits_allow(struct run *run)
{
    unsigned kernels = 0;
    for (const struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++)
        if (k->number) {
            kernels++;
            if (k->launch.cluster > 1 || !k->launch.program)
                return;
        }
    is_allowed = kernels == 1 && reconvergence_is_on() && !rules_are_checked && !orders_are_noted &&
                 !the_machine.hold_count && !the_machine.slow_fences && !trace_is_on() &&
                 the_machine.progress.model == MACHINE_FAIR && !getenv("GPUSYNC_EACH_CLOCK_READING");
    if (!is_allowed)
        return;
    for (unsigned i = 0; i < watch_count; i++)
        free(watches[i].readings);
    free(watches);
    watch_count = run->sm_count;
    watches = allocate(watch_count * sizeof *watches);
}

void clock_waits_forbid(void)
{
    is_allowed = false;
}

/* ---- noting a period ---- */

void clock_waits_step_begins(struct sm *sm)
{
    if (!is_allowed)
        return;
    readings_of_step = 0;
    at_work = &watches[sm->index];
    clock_waits_watch = at_work->is_on;
    instructions_before = the_machine.counters.instructions;
    steps_before = the_machine.steps;
}

bool clock_waits_block(const void *block)
{
    unsigned i = 0;
    while (i < at_work->block_count && at_work->blocks[i] != block)
        i++;
    trace = mix(trace, (uintptr_t)block);
    if (i < at_work->block_count)
        return true;
    if (!is_trial) {
        if (i < MOST_BLOCKS)
            at_work->blocks[i] = block;
        /* a count above MOST_BLOCKS means that some basic blocks were not noted */
        at_work->block_count = i + 1;
        return true;
    }
    has_left = true;
    return false;
}

void clock_waits_ran(const struct warp *warp, lane_set lanes)
{
    FOR_EACH_LANE(i, told_lanes(warp, lanes))
    {
        const struct lane *lane = &warp->lanes[i];
        trace = mix(mix(trace, (uintptr_t)lane->instruction), lane->kind);
        trace = mix(mix(mix(trace, lane->needs), lane->arithmetic), lane->work.instructions);
        trace = mix(mix(trace, lane->work.free), lane->work.bound);
    }
    trace = mix(mix(mix(trace, warp->turned & lanes), warp->looked & lanes), warp->exited);
    for (unsigned p = 0; p < warp->passed_count; p++)
        trace = mix(mix(trace, warp->passed[p].join), warp->passed[p].arrived);
    trace = mix(trace, warp->unnoted);
}

void clock_waits_dispatched(struct sm *sm, const struct warp *warp, const struct group *group, bool ran,
                            uint64_t now)
{
    if (!is_allowed)
        return;
    uint64_t done = trace;
    trace = 0;
    if (group->kind != REQUEST_CLOCK || !ran) {
        sm->handled++;
        return;
    }
    readings_of_step++;
    struct watch *w = at_work;
    if (w->is_on && w->count < MOST_READINGS) {
        if (w->count == w->room)
            w->readings = reallocate(w->readings, (w->room = 2 * w->room + 64) * sizeof *w->readings);
        w->readings[w->count++] = (struct reading){warp->slot, group->lanes, now, done};
    }
}

/* Returns a hash of the multiprocessor's state, with times relative to `now` and without the lanes'
 * registers. Returns 0 if a memory request is under way. */
static uint64_t state_of(const struct sm *sm, uint64_t now)
{
    uint64_t hash = mix(mix(sm->cursor, sm->issue_slot - issue_slots_at(now)), sm->warp_count);
    for (unsigned s = 0; s < sm->warp_count; s++) {
        const struct warp *warp = sm->warps[s];
        if (sm->next_effect[s] != NEVER)
            return 0;
        hash = mix(hash, sm->issue_at[s] == NEVER ? NEVER : sm->issue_at[s] - now);
        hash = mix(mix(mix(hash, warp->exited), warp->held), warp->turned);
        hash = mix(mix(mix(hash, warp->looked), warp->at_block_barrier), warp->at_named_barrier);
        hash = mix(mix(mix(hash, warp->at_warp_barrier), warp->join_count), warp->group_count);
        for (unsigned j = 0; j < warp->join_count; j++)
            hash = mix(mix(mix(hash, warp->joins[j].join), warp->joins[j].lanes), warp->joins[j].arrived);
        for (unsigned f = 0; f < warp->flight_count; f++) {
            const struct in_flight *flight = &warp->flights[f];
            hash = mix(mix(mix(hash, flight->lanes), flight->requests), flight->done_at - now);
            hash = mix(hash, flight->stored_to);
        }
        for (unsigned g = 0; g < warp->group_count; g++) {
            const struct group *group = &warp->groups[g];
            hash = mix(mix(mix(hash, group->lanes), (uintptr_t)group->instruction), group->ready_at - now);
            hash = mix(mix(hash, group->issue_at - now), group->value_at ? group->value_at - now : 0);
            hash = mix(mix(mix(hash, group->work.instructions), group->work.free), group->work.bound);
            hash = mix(hash, group->kind << 1 | group->is_held);
        }
    }
    return hash | 1;
}

/* ---- trying periods ---- */

static bool are_simple(const struct watch *w)
{
    if (w->block_count > MOST_BLOCKS)
        return false;
    for (unsigned b = 0; b < w->block_count; b++)
        if (!ptx_is_ordered(w->blocks[b]))
            return false;
    return true;
}

/* A copy of a warp's state before a trial. */
struct kept {
    struct warp warp;
    struct lane lanes[MACHINE_MAX_WARP];
    struct lane_more more[MACHINE_MAX_WARP];
    struct ptx_kept ptx;
};

static bool keep(struct kept *kept, const struct warp *warp)
{
    kept->warp = *warp;
    memcpy(kept->lanes, warp->lanes, warp->lane_count * sizeof *warp->lanes);
    memcpy(kept->more, warp->more, warp->lane_count * sizeof *warp->more);
    return ptx_keep(&kept->ptx, warp);
}

static void restore(const struct kept *kept, struct warp *warp, bool with_registers)
{
    *warp = kept->warp;
    memcpy(warp->lanes, kept->lanes, warp->lane_count * sizeof *warp->lanes);
    if (with_registers)
        memcpy(warp->more, kept->more, warp->lane_count * sizeof *warp->more);
    ptx_restore(&kept->ptx, warp, with_registers);
}

/* Returns a 4-byte word of the registers. From one period to the next, a word grows by a constant: by 0, by
 * the period if it holds a clock reading, or by the step of a counter. In the basic blocks that
 * ptx_is_ordered() allows, a word that grows by the same constant in two periods does so in all later ones,
 * until a word wraps around. */
static uint32_t word_at(const unsigned char *bytes, size_t word)
{
    uint32_t value;
    memcpy(&value, bytes + 4 * word, sizeof value);
    return value;
}

/* Returns the number of periods until one of the words wraps around, or `most` if this number is larger. */
static uint64_t until_wrap(const struct kept *kept, const int32_t *growth, uint64_t most)
{
    for (size_t w = 0; w < kept->ptx.bytes / 4; w++) {
        uint64_t value = word_at(kept->ptx.registers, w);
        int64_t more = growth[w];
        uint64_t left = more > 0   ? (UINT32_MAX - value) / (uint64_t)more
                        : more < 0 ? value / (uint64_t)-more
                                   : most;
        most = left < most ? left : most;
    }
    return most;
}

/* Sets the registers to the content that they have `count` periods after they were kept. */
static void advance(const struct kept *kept, const struct warp *warp, const int32_t *growth, uint64_t count)
{
    for (size_t w = 0; w < kept->ptx.bytes / 4; w++)
        if (growth[w]) {
            uint32_t value = word_at(kept->ptx.registers, w) + (uint32_t)growth[w] * (uint32_t)count;
            memcpy(ptx_registers(warp) + 4 * w, &value, sizeof value);
        }
}

/* Compares the warp's registers with their expected content `count` periods after they were kept. If count is
 * 1, no content is expected yet, and the function stores into `growth` by how much each word has grown. */
static bool have_grown(const struct kept *kept, const struct warp *warp, int32_t *growth, uint64_t count)
{
    if (!ptx_is_where(&kept->ptx, warp))
        return false;
    for (size_t w = 0; w < kept->ptx.bytes / 4; w++) {
        uint32_t more = word_at(ptx_registers(warp), w) - word_at(kept->ptx.registers, w);
        if (count == 1)
            growth[w] = (int32_t)more;
        else if (more != (uint32_t)growth[w] * (uint32_t)count)
            return false;
    }
    return true;
}

/* Lets the warp's lanes read the clock as in the noted period, but `later` time units later. Returns whether
 * they do the same as in that period. */
static bool goes_on(const struct watch *w, struct warp *warp, uint64_t later)
{
    bool together = warp->together;
    for (const struct reading *r = w->readings; r < w->readings + w->count; r++) {
        if (r->slot != warp->slot)
            continue;
        if (together && r->lanes != (all_lanes(warp) & ~warp->exited))
            return false;
        FOR_EACH_LANE(i, r->lanes) warp->more[i].result = r->at + later;
        trace = 0;
        has_left = false;
        reconvergence_begin(warp);
        ptx_warp_run(warp, r->lanes);
        if (has_left || warp->together != together)
            return false;
        clock_waits_ran(warp, r->lanes);
        if (trace != r->trace)
            return false;
        warp->turned &= ~r->lanes;
        warp->looked &= ~r->lanes;
        FOR_EACH_LANE(i, told_lanes(warp, r->lanes))
        {
            struct lane *lane = &warp->lanes[i];
            lane->number = (uint8_t)dependence_of(lane->instruction).number;
            lane->needs = 0;
            lane->arithmetic = 0;
            lane->work = work_after(lane->instruction);
        }
    }
    return true;
}

struct trial {
    const struct watch *w;
    struct warp *warp;
    struct kept *kept;
    int32_t *growth; /* for each word of the registers, its growth in a period */
    uint64_t period;
};

/* Simulates the warp for one period, `count` periods after the noted one. Returns whether the warp does the
 * same as in the noted period. */
static bool does_again(const struct trial *t, uint64_t count)
{
    if (count > 1)
        advance(t->kept, t->warp, t->growth, count - 1);
    return goes_on(t->w, t->warp, count * t->period) && have_grown(t->kept, t->warp, t->growth, count);
}

static bool repeats(const struct trial *t, uint64_t count)
{
    bool does = does_again(t, count);
    restore(t->kept, t->warp, true);
    return does;
}

/* Returns the number of periods, at most `most`, in which the warp does the same as in the noted period. */
static uint64_t periods_of(const struct trial *t, uint64_t most)
{
    if (!most || !repeats(t, 1))
        return 0;
    most = until_wrap(t->kept, t->growth, most);
    if (most < 2 || !repeats(t, 2))
        return 0;
    if (repeats(t, most))
        return most;
    uint64_t known = 2, not = most;
    for (uint64_t step = 4; step < not &&repeats(t, step); step *= 2)
        known = step;
    not = 2 * known < not ? 2 * known : not ;
    while (known + 1 < not ) {
        uint64_t middle = known + (not -known) / 2;
        *(repeats(t, middle) ? &known : &not ) = middle;
    }
    return known;
}

/* ---- skipping ---- */

static void shift(struct run *run, struct sm *sm, uint64_t time)
{
    for (unsigned s = 0; s < sm->warp_count; s++) {
        struct warp *warp = sm->warps[s];
        for (unsigned g = 0; g < warp->group_count; g++) {
            struct group *group = &warp->groups[g];
            group->ready_at += time;
            group->issue_at += time;
            group->value_at += group->value_at ? time : 0;
        }
        for (unsigned f = 0; f < warp->flight_count; f++)
            warp->flights[f].done_at += time;
        warp->last_dispatch += time;
        sm->issue_at[s] += sm->issue_at[s] == NEVER ? 0 : time;
    }
    sm->issue_slot += issue_slots_at(time);
    events_note(run, sm);
}

/* Skips as many periods as possible. Returns whether any were skipped. */
static bool skip(struct run *run, struct sm *sm, struct watch *w)
{
    static struct kept kept;
    static int32_t *growth;
    static size_t growth_room;
    uint64_t period = run->now - w->began, count = MOST_SKIPPED / period;
    if (w->count == MOST_READINGS || !are_simple(w))
        return false;
    is_trial = clock_waits_watch = true;
    for (int commits = 0; commits < 2 && count; commits++)
        for (unsigned s = 0; s < sm->warp_count && count; s++) {
            struct trial t = {w, sm->warps[s], &kept, NULL, period};
            if (!keep(&kept, t.warp))
                count = 0;
            if (kept.ptx.bytes > growth_room)
                growth = reallocate(growth, growth_room = 2 * kept.ptx.bytes);
            t.growth = growth;
            if (!commits) {
                count = periods_of(&t, count);
                continue;
            }
            repeats(&t, 1); /* computes `growth` again */
            does_again(&t, count);
            restore(&kept, t.warp, false);
        }
    is_trial = clock_waits_watch = false;
    trace = 0;
    if (!count)
        return false;
    the_machine.counters.instructions += count * w->instructions;
    the_machine.steps += count * w->steps;
    shift(run, sm, count * period);
    return true;
}

void clock_waits_step_ends(struct run *run, struct sm *sm)
{
    struct watch *w = at_work;
    clock_waits_watch = false;
    if (!is_allowed)
        return;
    bool is_quiet = readings_of_step && sm->handled == w->handled && copies_next_at == NEVER;
    w->handled = sm->handled;
    if (!is_quiet) {
        w->quiet = 0;
        w->after = EVENTS_BEFORE;
        w->is_on = false;
        return;
    }
    w->instructions += the_machine.counters.instructions - instructions_before;
    w->steps += the_machine.steps - steps_before;
    if (++w->quiet < w->after)
        return;
    uint64_t state = state_of(sm, run->now);
    if (!w->is_on) {
        w->is_on = state != 0;
        w->began = run->now;
        w->state = state;
        w->instructions = w->steps = w->count = w->block_count = 0;
        return;
    }
    bool has_returned = state == w->state && run->now > w->began;
    if (!has_returned && w->count < MOST_READINGS)
        return;
    bool has_skipped = has_returned && skip(run, sm, w);
    w->is_on = false;
    w->quiet = 0;
    w->after = has_skipped ? EVENTS_BEFORE : w->after < MOST_EVENTS_BEFORE ? 4 * w->after : w->after;
}
