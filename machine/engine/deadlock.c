/*
 * Detects deadlocks: every lane that has not exited waits at a barrier, or polls, that is, it comes back to a
 * state in which it has been, while no lane changes memory, exits or passes a barrier. Also detects
 * livelocks: a lane that could make progress is refused a lock bit each time, because under this schedule
 * each of its tries comes while another lane holds the bit. A livelock ends under another schedule.
 * One file because the report of a deadlock describes what its detection has noted of each lane.
 */
#include "machine/engine/deadlock.h"
#include "machine/memory/lock_unit.h"
#include "machine/engine/copies.h"
#include "machine/engine/progress.h"
#include "machine/engine/groups.h"
#include "machine/engine/hang_causes.h"
#include "machine/engine/rules.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lane counts as stuck after this number of polls that found nothing changed. The adversarial schedule
 * holds a warp back for less time than these polls take. */
#define REPEATS_IN_VAIN 300
_Static_assert(REPEATS_BEFORE_STATES < REPEATS_IN_VAIN, "states are compared before a lane counts as stuck");

/* As long as lanes do anything but poll, something changes at least once in this number of dispatches. A
 * lane's loads are recorded only after this number of dispatches without a change. */
#define QUIET_DISPATCHES 64

/* Has the lane read a clock since the last change? Registers that have its time keep the lane from a state in
 * which it has been. */
static bool reads_clock(const struct run *run, const struct lane_more *more)
{
    return more->clock_since == run->changed + 1;
}

/* Returns a hash of everything that decides what the stopped lane does next, except memory. Of a lane that
 * reads a clock, only the request is hashed, because the time is in its registers. */
static uint64_t state_of(const struct warp *warp, unsigned lane)
{
    if (reads_clock(&the_machine.run, &warp->more[lane]))
        return (warp->lanes[lane].address ^ (uintptr_t)warp->lanes[lane].instruction << 16) *
               UINT64_C(0x9e3779b97f4a7c15);
    return ptx_state_of(warp, lane);
}

/* A loop with a counter never returns to an earlier state. It may end by itself, so it does not count as
 * polling. The state that is compared is renewed after 1, 2, 4, 8 loads and so on, so that loops of any
 * length are recognized (Brent 1980). */
static void remember_load(struct warp *warp, unsigned lane)
{
    const struct run *run = &the_machine.run;
    struct lane_more *more = &warp->more[lane];
    if (more->repeats_since != run->changed) {
        more->repeats_since = run->changed;
        more->repeats = 0;
        more->returned = false;
    }
    more->repeats++;
    if (more->returned || more->repeats < REPEATS_BEFORE_STATES)
        return;
    uint64_t loads = more->repeats - REPEATS_BEFORE_STATES;
    uint64_t state = state_of(warp, lane);
    if (loads && state == more->state)
        more->returned = true;
    else if ((loads & (loads - 1)) == 0)
        more->state = state;
}

void deadlock_remember_loads(struct warp *warp, lane_set lanes)
{
    if (the_machine.run.dispatches_since_change <= QUIET_DISPATCHES)
        return;
    if (warp->together && together_polls_too_long(warp))
        together_end(warp);
    FOR_EACH_LANE(i, told_lanes(warp, lanes)) remember_load(warp, i);
}

/* ---- clocks ---- */

/* How far the clocks are set forward, in cycles: more than an hour, so that a wait with a time-out gives up.
 * The lower 32 bits, which %clock has, are set forward by less than half of their range. */
#define CLOCK_JUMP (UINT64_C(1) << 43 | UINT64_C(1) << 30)

static bool clock_is_stopped(const struct run *run)
{
    return run->stopped_clock && run->stopped_since == run->changed;
}

uint64_t deadlock_clock(struct lane_more *more, uint64_t time)
{
    const struct run *run = &the_machine.run;
    if (!clock_is_stopped(run)) {
        more->clock_since = run->changed + 1;
        return time + run->clock_ahead;
    }
    if (reads_clock(run, more)) {
        more->clock_since = 0;
        more->repeats_since = NEVER;
    }
    return run->stopped_clock;
}

/* ---- stores that change nothing ---- */

/* largest number of bytes of a store whose values are compared; a larger store counts as a change */
#define MOST_WATCHED 16

/* The memory content that the lanes' stores are about to overwrite. */
static struct {
    lane_set lanes;
    struct {
        const void *at;
        size_t bytes;
        unsigned char content[MOST_WATCHED];
    } of[MACHINE_MAX_WARP];
} watched;

bool deadlock_watches_stores(void)
{
    return states_are_compared();
}

void deadlock_before_stores(const struct warp *warp, lane_set lanes)
{
    watched.lanes = 0;
    if (warp->together && lane_of(warp, 0)->kind != REQUEST_STORE)
        return;
    FOR_EACH_LANE(i, lanes)
    {
        const struct lane *lane = lane_of(warp, i);
        if (lane->kind != REQUEST_STORE)
            continue;
        if (lane->bytes > MOST_WATCHED) {
            note_change();
            continue;
        }
        watched.lanes |= LANE(i);
        watched.of[i].at = (const void *)warp->addresses[i];
        watched.of[i].bytes = lane->bytes;
        if (lane->bytes == sizeof(uint32_t)) /* the usual size, and faster by itself */
            memcpy(watched.of[i].content, watched.of[i].at, sizeof(uint32_t));
        else
            memcpy(watched.of[i].content, watched.of[i].at, lane->bytes);
    }
}

void deadlock_after_stores(void)
{
    FOR_EACH_LANE(i, watched.lanes)
    if (memcmp(watched.of[i].content, watched.of[i].at, watched.of[i].bytes) != 0) {
        note_change();
        return;
    }
}

/* Does the lane poll, if no time passes? */
static bool polls_but_for_clock(const struct run *run, const struct lane_more *more)
{
    return more->repeats_since == run->changed && more->returned && more->repeats >= REPEATS_IN_VAIN;
}

/* Does the lane poll? A wait of the suite's own programs gives up when the clock says so, and must count as a
 * deadlock all the same. */
static bool polls(const struct run *run, const struct lane_more *more)
{
    return polls_but_for_clock(run, more) && !(states_are_compared() && reads_clock(run, more));
}

/* Returns whether the lane waits for other lanes of its warp that still poll. A lockstep warp runs lanes at a
 * lower instruction first, so lanes that have left a loop wait for lanes that are still in it. */
static bool waits_for_polling_lanes(const struct run *run, const struct warp *warp, unsigned lane)
{
    if (!the_machine.description.lockstep)
        return false;
    for (unsigned i = 0; i < warp->lane_count; i++)
        if (warp->lanes[i].instruction < warp->lanes[lane].instruction && polls(run, &warp->more[i]))
            return true;
    return false;
}

/* Does the lane, which does not poll itself, wait at a vote with lanes that poll? */
static bool votes_with_polling_lanes(const struct run *run, const struct warp *warp, unsigned lane)
{
    if (warp->lanes[lane].kind != REQUEST_BALLOT)
        return false;
    FOR_EACH_LANE(i, warp->more[lane].mask & all_lanes(warp))
    if (polls(run, &warp->more[i]))
        return true;
    return false;
}

static bool is_stuck(const struct run *run, const struct warp *warp, bool but_for_clock)
{
    if (progress_is_withheld(warp))
        return true;
    for (unsigned g = 0; g < warp->group_count; g++)
        FOR_EACH_LANE(i, warp->groups[g].lanes & ~warp->held)
    if (!polls(run, &warp->more[i]) && !(but_for_clock && polls_but_for_clock(run, &warp->more[i])) &&
        !waits_for_polling_lanes(run, warp, i) && !votes_with_polling_lanes(run, warp, i))
        return false;
    return true;
}

/* Are all lanes of the run stuck, or, if `but_for_clock`, would they be if no time passed? This is exact, but
 * examines every lane. */
static bool all_are_stuck(const struct run *run, bool but_for_clock)
{
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++)
            if (!is_stuck(run, run->sms[s].warps[w], but_for_clock))
                return false;
    return true;
}

/* If all lanes wait, and some of them read a clock, as the waits of libcu++ do, then only time changes. The
 * clocks are set forward, so that a wait with a time-out gives up, and stopped until something changes: a
 * lane that then comes back to a state in which it has been waits for ever. */
static void stop_clock(struct run *run)
{
    run->clock_ahead += CLOCK_JUMP;
    run->stopped_clock = run->now + run->clock_ahead;
    run->stopped_since = run->changed;
}

bool deadlock_suspected(struct run *run, const struct sm *next)
{
    if (copies_next_at != NEVER)
        return false;
    if (run->next_event[next->index] == NEVER) {
        together_end_all(run);
        return true;
    }
    if (run->dispatches_since_change < run->patience)
        return false;
    run->dispatches_since_change = 0;
    together_end_all(run);
    if (all_are_stuck(run, false))
        return true;
    if (states_are_compared() && !clock_is_stopped(run) && all_are_stuck(run, true))
        stop_clock(run);
    return false;
}

static void append(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void append(const char *format, ...)
{
    size_t used = strlen(the_machine.deadlock);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(the_machine.deadlock + used, sizeof the_machine.deadlock - used, format, arguments);
    va_end(arguments);
}

/* Returns the name of the operation at which the lane waits. */
static const char *what(const struct warp *warp, unsigned i)
{
    if (warp->at_block_barrier & LANE(i))
        return "__syncthreads";
    if (warp->at_warp_barrier & LANE(i))
        return "a warp-wide operation";
    if (warp->at_named_barrier & LANE(i))
        return "a named barrier";
    if (warp->at_cluster_barrier & LANE(i))
        return "the barrier of a cluster";
    if (warp->at_convergence & LANE(i))
        return "a convergence point, for the rest of the warp";
    if (progress_is_withheld(warp))
        return "a point where it gets no more steps";
    if (!polls(&the_machine.run, &warp->more[i]))
        return "a point behind the rest of its lockstep warp";
    switch ((enum request_kind)warp->lanes[i].kind) {
    case REQUEST_ATOMIC:
        return "an atomic, polling";
    case REQUEST_LOCK_LOAD:
    case REQUEST_STORE_UNLOCK:
        return "a lock bit, polling";
    case REQUEST_SLEEP:
        return "a sleep between polls";
    default:
        return "a load, polling";
    }
}

/* Returns whether the lane is refused a lock bit again and again while other lanes take and free this bit.
 * This is not a deadlock, because no thread holds the bit for ever. */
static bool is_starved(const struct warp *warp, unsigned i)
{
    const struct lane_more *more = &warp->more[i];
    if (warp->lanes[i].kind != REQUEST_LOCK_LOAD || more->refused < REPEATS_IN_VAIN)
        return false;
    return lock_bit_of(warp->block, warp->lanes[i].address)->turns - more->refused_since >= REPEATS_IN_VAIN;
}

static bool is_livelock(const struct run *run)
{
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++)
            for (unsigned g = 0; g < run->sms[s].warps[w]->group_count; g++)
                FOR_EACH_LANE(i, run->sms[s].warps[w]->groups[g].lanes)
    if (is_starved(run->sms[s].warps[w], i))
        return true;
    return false;
}

/* Writes which thread holds the lock bit that the lane polls, and through which word it took the bit. */
static void describe_lock(const struct block *block, const struct lane *lane)
{
    if (lane->kind != REQUEST_LOCK_LOAD)
        return;
    size_t word = lock_word(block, lane->address);
    const struct lock_bit *bit = lock_bit_of(block, lane->address);
    if (bit->taken)
        append(", where the bit of word %zu is held by block %u thread %u through word %zu%s", word,
               bit->block, bit->thread, bit->word, bit->word == word ? "" : ", an alias");
}

struct place {
    const struct warp *warp;
    unsigned lane;
};

static struct place place_of(const struct block *block, unsigned thread)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    return (struct place){&block->warps[thread / width], thread % width};
}

static bool has_exited(struct place p)
{
    return p.warp->exited & LANE(p.lane);
}

/* Returns the operation that a report names for a thread: the one at which it waits. In a report that only
 * says where threads are, the function returns the operation only if the thread waits for others. */
static const char *(*operation_of)(const struct warp *warp, unsigned i);

/* Returns the name of the operation at which the lane waits for other threads, or "" if it does not. */
static const char *waits_at(const struct warp *warp, unsigned i)
{
    lane_set waiting =
        warp->at_block_barrier | warp->at_warp_barrier | warp->at_named_barrier | warp->at_cluster_barrier;
    return waiting & LANE(i) ? what(warp, i) : "";
}

/* The instruction at which a signal has interrupted the running lane, or NULL; see machine_where(). */
static const void *interrupted;

static bool is_interrupted(struct place p)
{
    return interrupted && p.warp == running.warp && p.lane == running.lane;
}

static bool stand_together(struct place a, struct place b)
{
    if (has_exited(a) || has_exited(b))
        return has_exited(a) && has_exited(b);
    return a.warp->lanes[a.lane].instruction == b.warp->lanes[b.lane].instruction &&
           a.warp->more[a.lane].calls == b.warp->more[b.lane].calls && !is_interrupted(a) &&
           !is_interrupted(b) && operation_of(a.warp, a.lane) == operation_of(b.warp, b.lane);
}

static void line_of_place(struct place p, char text[MOST_MARK])
{
    const void *at = is_interrupted(p) ? running.code : p.warp->lanes[p.lane].instruction;
    if (at)
        source_line_of(site_of(at, p.warp->more[p.lane].calls), text, MOST_MARK);
    else
        snprintf(text, MOST_MARK, "the kernel's beginning");
}

/* largest number of ranges of threads that a clause lists */
#define RANGES 4

/* Lists the threads of this block that are in the same place as thread `first`: "threads 0-2, 4". */
static void list_threads(const struct block *block, unsigned first)
{
    struct place here = place_of(block, first);
    unsigned ranges = 0;
    char text[128] = "";
    bool are_several = false;
    for (unsigned i = first, end; i < block->threads; i = end) {
        end = i + 1;
        if (i != first && !stand_together(here, place_of(block, i)))
            continue;
        while (end < block->threads && stand_together(here, place_of(block, end)))
            end++;
        are_several = are_several || i != first || end - i > 1;
        size_t used = strlen(text);
        if (ranges++ == RANGES)
            snprintf(text + used, sizeof text - used, " and others");
        else if (ranges <= RANGES)
            snprintf(text + used, sizeof text - used, end - i > 1 ? "%s%u-%u" : "%s%u", used ? ", " : "", i,
                     end - 1);
    }
    append("thread%s %s", are_several ? "s" : "", text);
}

/* Is a thread with a lower number in the same place as this one? */
static bool is_listed(const struct block *block, unsigned thread)
{
    for (unsigned i = 0; i < thread; i++)
        if (stand_together(place_of(block, i), place_of(block, thread)))
            return true;
    return false;
}

/* Writes a clause for each place where threads of this block are: "threads 1-255 at __syncthreads
 * (file:line)". */
static void describe_block(const struct block *block, const char *kernel)
{
    for (unsigned i = 0; i < block->threads; i++) {
        struct place here = place_of(block, i);
        if (has_exited(here) || is_listed(block, i))
            continue;
        char text[MOST_MARK];
        line_of_place(here, text);
        append("; %s%sblock %u ", kernel, *kernel ? ", " : "", block->index);
        list_threads(block, i);
        const char *operation = operation_of(here.warp, here.lane);
        append(*operation ? " at %s (%s)" : " at %s%s", operation, text);
        describe_lock(block, &here.warp->lanes[here.lane]);
    }
}

static bool stand_alike(const struct block *a, const struct block *b)
{
    for (unsigned i = 0; i < a->threads; i++)
        if (!stand_together(place_of(a, i), place_of(b, i)))
            return false;
    return true;
}

/* largest number of blocks that a report describes, and largest number of blocks that are compared for it */
#define BLOCKS_DESCRIBED 3
#define BLOCKS_SEEN 1024

static int by_index(const void *a, const void *b)
{
    unsigned of_a = (*(struct block *const *)a)->index, of_b = (*(struct block *const *)b)->index;
    return (of_a > of_b) - (of_a < of_b);
}

/* Stores the kernel's resident blocks in ascending order and returns their number. */
static unsigned list_blocks(const struct run *run, const struct kernel *kernel,
                            const struct block *blocks[BLOCKS_SEEN])
{
    unsigned count = 0;
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count && count < BLOCKS_SEEN; b++)
            if (run->sms[s].blocks[b]->kernel == kernel)
                blocks[count++] = run->sms[s].blocks[b];
    qsort(blocks, count, sizeof *blocks, by_index);
    return count;
}

/* Describes the kernel's resident blocks. Consecutive blocks whose threads are in the same places are
 * described once: "blocks 1-3 likewise". Describes at most BLOCKS_DESCRIBED different blocks, or only one if
 * kernels overlap in this run. */
static void describe_blocks(const struct run *run, const struct kernel *kernel, const char *name)
{
    static const struct block *blocks[BLOCKS_SEEN];
    unsigned count = list_blocks(run, kernel, blocks), most = run->shared ? 1 : BLOCKS_DESCRIBED;
    for (unsigned i = 0, end, described = 0; i < count; i = end) {
        for (end = i + 1; end < count && stand_alike(blocks[i], blocks[end]); end++) {
        }
        if (described++ == most) {
            append("; and so on");
            return;
        }
        describe_block(blocks[i], name);
        if (end - i > 1)
            append(end - i > 2 ? "; blocks %u-%u likewise" : "; block %u likewise", blocks[i + 1]->index,
                   blocks[end - 1]->index);
    }
}

static void count_blocks(const struct kernel *kernel)
{
    unsigned ended = kernel->most - kernel->blocks_left, waiting = kernel->grid - kernel->started;
    append("%u of %u blocks are resident and wait, %u wait for a free multiprocessor",
           kernel->grid - ended - waiting, kernel->grid, waiting);
}

/* Writes the kernel's name, or an empty string if kernels do not overlap in this run. */
static void name_kernel(const struct run *run, const struct kernel *kernel, char *name, size_t size)
{
    name[0] = '\0';
    if (!run->shared)
        return;
    snprintf(name, size, "kernel %u (%s)", kernel->number, kernel->launch.name);
}

void deadlock_describe(const struct run *run)
{
    char names[MOST_KERNELS][96];
    const char *separator = ": ";
    operation_of = what;
    the_machine.deadlock[0] = '\0';
    append("%s after %llu time units",
           is_livelock(run) ? "livelock (a lock bit goes round among threads that it does not help)"
                            : "deadlock",
           (unsigned long long)(run->now - run->start));
    for (unsigned k = 0; k < MOST_KERNELS; k++)
        if (run->kernels[k].number) {
            name_kernel(run, &run->kernels[k], names[k], sizeof names[k]);
            append("%s%s%s", separator, names[k], *names[k] ? ": " : "");
            count_blocks(&run->kernels[k]);
            separator = "; ";
        }
    for (unsigned k = 0; k < MOST_KERNELS; k++)
        if (run->kernels[k].number)
            describe_blocks(run, &run->kernels[k], names[k]);
    if (hang_causes_are_noted)
        hang_causes_tell(run, the_machine.mend, sizeof the_machine.mend);
}

const char *machine_where(const void *at, bool all)
{
    const struct run *run = &the_machine.run;
    together_end_all(&the_machine.run);
    operation_of = waits_at;
    interrupted = at;
    the_machine.deadlock[0] = '\0';
    if (!all && running.warp) {
        char line[MOST_MARK];
        line_of_place((struct place){running.warp, running.lane}, line);
        append("block %u thread %u at %s", running.warp->block->index, thread_of(running.warp, running.lane),
               line);
    }
    for (unsigned k = 0; all && run->sms && k < MOST_KERNELS; k++)
        if (run->kernels[k].number)
            describe_blocks(run, &run->kernels[k], "");
    const char *text = the_machine.deadlock;
    return text + strspn(text, "; ");
}

const char *machine_deadlock_report(void)
{
    return the_machine.deadlock;
}

const char *machine_mend(void)
{
    return the_machine.mend;
}
