/* One file because each rule tells its cause by the writes that were noted and by the places where threads
 * wait. */
#include "machine/engine/hang_causes.h"
#include "base/map.h"
#include "machine/code/calls.h"
#include "machine/code/source_line.h"
#include "machine/engine/polled_words.h"
#include "machine/engine/rules.h"
#include "machine/memory/mbarrier.h"
#include "machine/memory/shared_memory.h"
#include "machine/ptx.h"
#include "machine/weak/races.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool hang_causes_are_noted;

void machine_explain_hangs(bool explain)
{
    hang_causes_are_noted = explain;
}

/* ---- what is noted ---- */

struct thread {
    uint64_t kernel; /* number of the launch, from 1; 0 means no thread */
    unsigned block, thread;
};

/* A write of a word. */
struct word_write {
    struct thread by;
    uint32_t site;
    uint64_t before, after;
    lane_set with; /* lanes of its warp that wrote the word at the same time */
};

/* The writes of a word. A write of an atomic that leaves the value as it is does not count. */
struct word {
    uintptr_t number; /* see polled_word() */
    /* If threads compare what an atomic on the word gave them, as a ticket: the kernel, and the word's value
     * before its first launch; otherwise NULL */
    const char *counts_in;
    uint64_t counted_from;
    size_t bytes;
    uint64_t kernel;   /* number of the last launch that wrote the word */
    uint64_t began;    /* the value when this launch first wrote */
    uint64_t at;       /* number of the last write among all writes of the run */
    unsigned arrivals; /* number of threads of this launch that have changed the word by an atomic */
    struct word_write last, last_atomic;
    /* the last write that overwrites a value which its thread has not read, and the write of this value */
    struct word_write lost, lost_of;
    struct word_write initial, expects; /* of an mbarrier: its init, and the last bytes that it expects */
};
static struct map words = MAP(struct word, number);
static uint64_t writes; /* number of writes so far */

/* A thread's last read of a word. */
struct word_read {
    uintptr_t number;
    struct thread by;
    uint64_t at; /* number of writes before it; 0 if it got an older value */
};
static struct map reads = MAP(struct word_read, by);

/* A thread's last read: the word that the thread polls, if it polls. A loop that polls by strong loads may
 * make plain ones between them, such as libcu++'s; so a plain load counts only after WEAK_READS more. */
#define WEAK_READS 16
struct last_read {
    struct thread by;
    const void *instruction;
    uintptr_t address;
    size_t bytes;
    unsigned weak_reads; /* number of plain loads since the last strong one, or since the beginning */
    /* If the word is an mbarrier, the phase for which the thread waits. It is noted at the read, because the
     * function that waits may have returned before the deadlock is described. */
    struct ptx_awaited awaited;
};
static struct map last_reads = MAP(struct last_read, by);

static struct thread thread_at(const struct warp *warp, unsigned lane)
{
    return (struct thread){warp->block->kernel->nth, warp->block->index, thread_of(warp, lane)};
}

static bool are_same(struct thread a, struct thread b)
{
    return a.kernel == b.kernel && a.block == b.block && a.thread == b.thread;
}

static uint64_t value_at(uintptr_t address, size_t bytes)
{
    uint64_t value = 0;
    if (!shared_memory_is_nowhere(address))
        memcpy(&value, (const void *)address, bytes < sizeof value ? bytes : sizeof value);
    return value;
}

/* The lanes whose writes take effect, with the values before them. */
static struct {
    struct warp *warp;
    lane_set lanes;
    struct {
        struct lane lane;
        uintptr_t address;
        uint32_t site;
        uint64_t before;
        bool is_compared; /* does its thread compare what an atomic gives it? */
    } of[MACHINE_MAX_WARP];
} now;

static void note_read(struct warp *warp, unsigned i, const struct lane *lane)
{
    struct thread by = thread_at(warp, i);
    struct word_read key = {.number = polled_word(warp, warp->addresses[i]), .by = by}, *read;
    read = map_get(&reads, &key);
    read->at = writes + 1;
    struct last_read *last = map_get(&last_reads, &by);
    bool is_weak = lane->kind == REQUEST_LOAD && lane->plain && !lane->of_mbarrier;
    last->weak_reads = is_weak ? last->weak_reads + 1 : 0;
    if (is_weak && last->address && last->weak_reads <= WEAK_READS)
        return;
    last->instruction = lane->instruction;
    last->address = warp->addresses[i];
    last->bytes = lane->bytes;
    last->awaited = lane->of_mbarrier ? ptx_awaited(warp, i, lane->instruction, 0)
                                      : (struct ptx_awaited){PTX_AWAITS_UNKNOWN, 0};
}

/* The running lane has got a value that is not the newest. */
static void note_old(void)
{
    const struct warp *warp = running.warp;
    if (!warp)
        return;
    struct word_read key = {.number = polled_word(warp, warp->addresses[running.lane]),
                            .by = thread_at(warp, running.lane)},
                     *read = map_find(&reads, &key);
    if (read)
        read->at = 0;
}

void hang_causes_before(struct warp *warp, lane_set lanes)
{
    now.warp = warp;
    now.lanes = 0;
    the_machine.memory.got_old = note_old;
    FOR_EACH_LANE(i, lanes)
    {
        const struct lane *lane = lane_of(warp, i);
        bool writes_word = lane->kind == REQUEST_STORE || lane->kind == REQUEST_ATOMIC;
        if ((lane->kind != REQUEST_LOAD && !writes_word) || !warp->addresses[i] ||
            lane->bytes > sizeof(uint64_t))
            continue;
        if (writes_word) {
            now.lanes |= LANE(i);
            now.of[i].lane = *lane;
            now.of[i].address = warp->addresses[i];
            now.of[i].site = site_of(lane->instruction, warp->more[i].calls);
            now.of[i].before = value_at(warp->addresses[i], lane->bytes);
            now.of[i].is_compared =
                lane->kind == REQUEST_ATOMIC && !lane->of_mbarrier &&
                ptx_awaited(warp, i, lane->instruction, now.of[i].before).what != PTX_AWAITS_UNKNOWN;
        }
        if (lane->kind != REQUEST_STORE)
            note_read(warp, i, lane);
    }
}

struct place {
    struct warp *warp; /* NULL if the thread has ended */
    unsigned lane;
};

static void name_place(struct place at, uintptr_t address, size_t bytes, char *name, size_t size)
{
    struct running before = running;
    running.warp = at.warp;
    running.lane = at.lane;
    running.launch = &at.warp->block->kernel->launch;
    race_describe_place(at.warp->block, address, bytes, name, size);
    running = before;
}

/* Called for the first write of a word in a launch, by an atomic. If the word is a counter whose value
 * threads compare, and an earlier launch of the kernel found another value in it, the program may have to set
 * it back: writes so, as advice for a wrong answer. */
static void check_kept(struct word *word, struct place at, const struct word_write *write)
{
    const char *kernel = at.warp->block->kernel->launch.name;
    uintptr_t address = now.of[at.lane].address;
    size_t bytes = now.of[at.lane].lane.bytes;
    if (!now.of[at.lane].is_compared)
        return;
    if (!word->counts_in) {
        word->counts_in = kernel;
        word->counted_from = write->before;
        return;
    }
    if (strcmp(word->counts_in, kernel) != 0 || word->counted_from == write->before || *the_machine.mend)
        return;
    char name[2 * MOST_MARK];
    name_place(at, address, bytes, name, sizeof name);
    snprintf(the_machine.mend, sizeof the_machine.mend,
             "set %s back to %" PRIu64
             " after each launch of %s, unless it is to go on: threads compare what "
             "they get from it at %s, and a later launch begins with %" PRIu64,
             name, word->counted_from, kernel, rule_line_of_site(write->site), write->before);
}

static void note_write(struct warp *warp, unsigned i, uint64_t after)
{
    const struct lane *lane = &now.of[i].lane;
    uint64_t before = now.of[i].before;
    uintptr_t number = polled_word(warp, now.of[i].address);
    struct word *word = map_get(&words, &number);
    struct word_write write = {thread_at(warp, i), now.of[i].site, before, after, 0};
    FOR_EACH_LANE(other, now.lanes)
    write.with |= now.of[other].address == now.of[i].address ? LANE(other) : 0;
    bool is_atomic = lane->kind == REQUEST_ATOMIC;
    struct word_read key = {.number = number, .by = write.by}, *read = map_find(&reads, &key);
    if (word->kernel != write.by.kernel || word->bytes != lane->bytes) {
        if (is_atomic)
            check_kept(word, (struct place){warp, i}, &write);
        memset(&word->bytes, 0, sizeof *word - offsetof(struct word, bytes));
        word->kernel = write.by.kernel;
        word->began = before;
        word->bytes = lane->bytes;
    }
    if (!is_atomic && read && word->last.by.kernel && read->at <= word->at &&
        !are_same(word->last.by, write.by)) {
        word->lost = write;
        word->lost_of = word->last;
    }
    if (lane->of_mbarrier && (after & MBARRIER_BYTES) != (before & MBARRIER_BYTES) &&
        mbarrier_pending(after) <= mbarrier_pending(before))
        word->expects = write;
    if (!is_atomic && lane->bytes == sizeof(uint64_t))
        word->initial = write;
    word->arrivals += is_atomic;
    word->last = write;
    if (is_atomic)
        word->last_atomic = write;
    word->at = ++writes;
}

void hang_causes_after(void)
{
    FOR_EACH_LANE(i, now.lanes)
    {
        uint64_t after = value_at(now.of[i].address, now.of[i].lane.bytes);
        if (now.of[i].lane.kind == REQUEST_STORE || after != now.of[i].before)
            note_write(now.warp, i, after);
    }
}

/* ---- where threads are ---- */

static struct place place_of(const struct run *run, struct thread thread)
{
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++) {
            struct warp *warp = run->sms[s].warps[w];
            struct thread first = thread_at(warp, 0);
            unsigned lane = thread.thread - first.thread;
            if (first.kernel == thread.kernel && first.block == thread.block && lane < warp->lane_count &&
                !(warp->exited & LANE(lane)))
                return (struct place){warp, lane};
        }
    return (struct place){NULL, 0};
}

static lane_set waiting_of(const struct warp *warp)
{
    return warp->at_block_barrier | warp->at_warp_barrier | warp->at_named_barrier |
           warp->at_cluster_barrier | warp->at_convergence;
}

/* Does the lane poll? Each lane of a deadlock polls or waits for others, or it has exited. */
static bool polls(const struct warp *warp, unsigned lane)
{
    return !((waiting_of(warp) | warp->exited) & LANE(lane));
}

/* Returns the first lane of the cluster's blocks that the function picks. */
static struct place first_of(const struct cluster *cluster,
                             bool (*is_picked)(const struct warp *warp, unsigned lane))
{
    for (unsigned b = 0; b < cluster->count; b++)
        for (unsigned w = 0; cluster->blocks[b] && w < cluster->blocks[b]->warp_count; w++) {
            struct warp *warp = &cluster->blocks[b]->warps[w];
            FOR_EACH_LANE(i, all_lanes(warp) & ~warp->exited)
            if (is_picked(warp, i))
                return (struct place){warp, i};
        }
    return (struct place){NULL, 0};
}

static bool is_at_block_barrier(const struct warp *warp, unsigned lane)
{
    return warp->at_block_barrier & LANE(lane);
}

static bool is_at_named_barrier(const struct warp *warp, unsigned lane)
{
    return warp->at_named_barrier & LANE(lane);
}

static bool is_at_cluster_barrier(const struct warp *warp, unsigned lane)
{
    return warp->at_cluster_barrier & LANE(lane);
}

static bool is_at_warp_barrier(const struct warp *warp, unsigned lane)
{
    return warp->at_warp_barrier & LANE(lane);
}

static bool waits_at_barrier(const struct warp *warp, unsigned lane)
{
    return is_at_block_barrier(warp, lane) || is_at_named_barrier(warp, lane) ||
           is_at_cluster_barrier(warp, lane);
}

/* ---- the text ---- */

static struct {
    char *text;
    size_t size;
} out;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    size_t used = strlen(out.text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out.text + used, out.size - used, format, arguments);
    va_end(arguments);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void say_name(struct place p)
{
    say("block %u thread %u", p.warp->block->index, thread_of(p.warp, p.lane));
}

static void say_thread(struct thread thread)
{
    say("block %u thread %u", thread.block, thread.thread);
}

/* Says where the thread is: at a line, or at its end. */
static void say_where(struct place p)
{
    if (p.warp)
        say("waits at %s", rule_line_of_lane(p.warp, p.lane));
    else
        say("has ended");
}

/* ---- words that threads poll ---- */

/* A thread that polls. */
struct poll {
    struct place by;
    const struct last_read *read;
    const struct word *word; /* NULL if no thread of this launch has written it */
    struct ptx_awaited awaited;
    uint64_t value;
    char name[2 * MOST_MARK];
};

static struct poll poll_of(struct place by)
{
    struct poll poll = {.by = by};
    struct thread thread = thread_at(by.warp, by.lane);
    poll.read = map_find(&last_reads, &thread);
    if (!poll.read)
        return poll;
    uintptr_t number = polled_word(by.warp, poll.read->address);
    poll.word = map_find(&words, &number);
    if (poll.word && poll.word->kernel != thread.kernel && shared_memory_has(poll.read->address))
        poll.word = NULL;
    poll.value = value_at(poll.read->address, poll.read->bytes);
    poll.awaited = poll.read->awaited.what == PTX_AWAITS_PARITY
                       ? poll.read->awaited
                       : ptx_awaited(by.warp, by.lane, poll.read->instruction, poll.value);
    name_place(by, poll.read->address, poll.read->bytes, poll.name, sizeof poll.name);
    return poll;
}

/* Would the thread go on if the word had this value? */
static bool is_enough(const struct poll *p, uint64_t value)
{
    int64_t v = p->read->bytes == sizeof(uint32_t) && p->awaited.value < 0 ? (int32_t)value : (int64_t)value;
    switch (p->awaited.what) {
    case PTX_AWAITS_EQUAL:
        return v == p->awaited.value;
    case PTX_AWAITS_OTHER:
        return v != p->awaited.value;
    case PTX_AWAITS_AT_LEAST:
        return v >= p->awaited.value;
    case PTX_AWAITS_AT_MOST:
        return v <= p->awaited.value;
    default:
        return false;
    }
}

/* Says what the thread waits for: "block 0 thread 0 waits at LINE until NAME is at least 4, and it is 3". */
static void say_wait(const struct poll *p)
{
    static const char *const relations[] = {[PTX_AWAITS_EQUAL] = "is",
                                            [PTX_AWAITS_OTHER] = "is not",
                                            [PTX_AWAITS_AT_LEAST] = "is at least",
                                            [PTX_AWAITS_AT_MOST] = "is at most"};
    say_name(p->by);
    say(" waits at %s", rule_line_of_lane(p->by.warp, p->by.lane));
    if (p->awaited.what == PTX_AWAITS_UNKNOWN || p->awaited.what == PTX_AWAITS_PARITY)
        say(" for another value of %s than %" PRIu64, p->name, p->value);
    else if (p->awaited.what == PTX_AWAITS_OTHER)
        say(" until %s is not %" PRIi64, p->name, p->awaited.value);
    else
        say(" until %s %s %" PRIi64 ", and it is %" PRIu64, p->name, relations[p->awaited.what],
            p->awaited.value, p->value);
}

static void say_write(const struct word_write *w)
{
    say("%" PRIu64 " by ", w->after);
    say_thread(w->by);
    say(" at %s", rule_line_of_site(w->site));
}

/* ---- rules ---- */

/* Blocks have no room, and those that have room wait for them. */
static bool tell_room(const struct run *run)
{
    unsigned kernels = 0;
    const struct kernel *waiting = NULL;
    for (const struct kernel *k = run->kernels; k < run->kernels + MOST_KERNELS; k++) {
        kernels += k->number > 0;
        if (k->number && k->started < k->most)
            waiting = k;
    }
    if (!waiting)
        return false;
    unsigned resident = waiting->started - (waiting->most - waiting->blocks_left);
    if (kernels > 1)
        say("smaller grids, so that all blocks of the kernels that wait for each other are resident at a "
            "time: of %s, %u of %u blocks have room beside the other kernel",
            waiting->launch.name, resident, waiting->grid);
    else
        say("a grid of at most %u blocks, as many as are resident at a time (%zu on a multiprocessor), or "
            "blocks with fewer threads or less shared memory: %u blocks have no room while others wait",
            resident, waiting->per_sm, waiting->most - waiting->started);
    return true;
}

/* Does the thread poll this word? */
static bool polls_word(struct place by, const struct word *word)
{
    struct thread thread = by.warp ? thread_at(by.warp, by.lane) : (struct thread){0};
    const struct last_read *read = by.warp ? map_find(&last_reads, &thread) : NULL;
    return read && polls(by.warp, by.lane) && polled_word(by.warp, read->address) == word->number;
}

/* Returns the thread that made the last write of a word: of several lanes that tried an atomic at the same
 * time, the first one that does not try again. */
static struct thread owner_of(const struct run *run, const struct word *word)
{
    unsigned width = (unsigned)the_machine.description.warp_size;
    struct thread by = word->last.by;
    FOR_EACH_LANE(i, word->last.with)
    {
        struct thread one = {by.kernel, by.block, by.thread / width * width + i};
        if (!polls_word(place_of(run, one), word))
            return one;
    }
    return by;
}

/* Did the last write take away the value for which the thread waits, as the owner of a lock does? */
static bool is_taken(const struct poll *p)
{
    return p->word && p->word->kernel == p->by.warp->block->kernel->nth &&
           is_enough(p, p->word->last.before) && !is_enough(p, p->word->last.after);
}

static bool tell_lock(const struct run *run, const struct poll *p)
{
    if (!is_taken(p))
        return false;
    struct thread owner = owner_of(run, p->word);
    struct place at = place_of(run, owner);
    bool is_own = at.warp == p->by.warp && at.lane == p->by.lane;
    struct poll next = at.warp && !is_own && polls(at.warp, at.lane) ? poll_of(at) : (struct poll){0};
    bool waits_for_lock = next.read && is_taken(&next);
    if (is_own)
        say("release %s before the thread takes it again: ", p->name);
    else if (waits_for_lock)
        say("take the locks in one order in all threads: ");
    else if (at.warp == p->by.warp)
        say("let one lane of a warp at a time take %s, or release it before the lane waits for the others: ",
            p->name);
    else
        say("release %s before its owner %s: ", p->name, at.warp ? "waits" : "ends");
    say_thread(owner);
    say(" took %s at %s and ", p->name, rule_line_of_site(p->word->last.site));
    say_where(at);
    if (waits_for_lock) {
        say(" for %s, which ", next.name);
        say_thread(owner_of(run, next.word));
        say(" took at %s", rule_line_of_site(next.word->last.site));
    }
    if (!is_own) {
        say("; ");
        say_name(p->by);
        say(" waits at %s", rule_line_of_lane(p->by.warp, p->by.lane));
    }
    return true;
}

static bool tell_lost(const struct poll *p)
{
    const struct word *w = p->word;
    if (!w || !w->lost.by.kernel || w->kernel != p->by.warp->block->kernel->nth)
        return false;
    const char *again = strcmp(rule_line_of_site(w->lost.site), rule_line_of_site(w->lost_of.site)) == 0
                            ? "in place of the read and the write of"
                            : "or a barrier between the two writes of";
    say("one atomic operation, %s %s at %s: ", again, p->name, rule_line_of_site(w->lost.site));
    say_thread(w->lost.by);
    say(" wrote %" PRIu64 " there over the ", w->lost.after);
    say_write(&w->lost_of);
    say(", which it had not read, so a write is lost; ");
    say_wait(p);
    return true;
}

/* Returns the number of arrivals that a counter lacks, or 0 if the word is no counter of arrivals. A negative
 * number means that more have come. */
static int64_t lacking(const struct poll *p)
{
    const struct word *w = p->word;
    bool counts = w && w->arrivals && w->kernel == p->by.warp->block->kernel->nth &&
                  (p->awaited.what == PTX_AWAITS_EQUAL || p->awaited.what == PTX_AWAITS_AT_LEAST ||
                   p->awaited.what == PTX_AWAITS_AT_MOST);
    if (!counts)
        return 0;
    bool is_down = w->last_atomic.after < w->last_atomic.before;
    return is_down ? (int64_t)p->value - p->awaited.value : p->awaited.value - (int64_t)p->value;
}

static bool tell_count(const struct poll *p)
{
    int64_t lacks = lacking(p);
    const struct word *w = p->word;
    if (!lacks)
        return false;
    if (w->began && lacks < 0)
        say("set %s back before the launch: it was %" PRIu64 " when this launch first changed it; ", p->name,
            w->began);
    else if (lacks < 0)
        say("wait until %s is at least %" PRIi64 ", or set it back after each round: it has passed this "
            "value; ",
            p->name, p->awaited.value);
    else
        say("wait for %u arrivals in place of %" PRIi64 ", or let %" PRIi64 " more thread%s arrive: ",
            w->arrivals, lacks + w->arrivals, lacks, plural((uint32_t)lacks));
    say_wait(p);
    say(" after %u arrivals, the last by ", w->arrivals);
    say_thread(w->last_atomic.by);
    say(" at %s", rule_line_of_site(w->last_atomic.site));
    return true;
}

static void tell_value(const struct poll *p)
{
    struct place at_barrier = first_of(p->by.warp->block->cluster, waits_at_barrier);
    bool is_written = p->word && p->word->kernel == p->by.warp->block->kernel->nth;
    say("a write of %s by a thread that does not wait itself: ", p->name);
    say_wait(p);
    if (is_written) {
        say("; the last write was ");
        say_write(&p->word->last);
        return;
    }
    say("; no thread has written it in this launch");
    if (at_barrier.warp)
        say(". If a thread that waits at the barrier at %s is to write it, wait at %s after this barrier",
            rule_line_of_lane(at_barrier.warp, at_barrier.lane), rule_line_of_lane(p->by.warp, p->by.lane));
}

/* Returns the bytes for which a phase of an mbarrier waits; fewer than 0 if more came than were expected. */
static int32_t bytes_of(uint64_t mbarrier)
{
    int32_t bytes = (int32_t)(mbarrier & MBARRIER_BYTES);
    return bytes > (int32_t)(MBARRIER_BYTES / 2) ? bytes - (int32_t)MBARRIER_BYTES - 1 : bytes;
}

/* Tells which arrivals or bytes the phase of an mbarrier lacks. */
static bool tell_mbarrier(const struct poll *p)
{
    if (p->awaited.what != PTX_AWAITS_PARITY)
        return false;
    const struct word *w = p->word;
    uint32_t pending = mbarrier_pending(p->value), count = (uint32_t)(p->value >> 43) & MBARRIER_COUNT,
             came = count - pending;
    int32_t bytes = bytes_of(p->value);
    const struct word_write *initial = w && w->initial.by.kernel ? &w->initial : NULL,
                            *expects = w && w->expects.by.kernel ? &w->expects : NULL;
    uint32_t over = pending > count ? MBARRIER_COUNT + 1 - pending : 0;
    if (over)
        say("at most %u arrival%s in a phase of %s, %u fewer than came: ", count, plural(count), p->name,
            over);
    else if (pending == count && !bytes && w && w->arrivals)
        say("wait for parity %d, that of the phase that has ended, or let threads arrive in the next phase: ",
            !p->awaited.value);
    else if (pending && !came)
        say("let %u thread%s arrive at %s: ", pending, plural(pending), p->name);
    else if (pending && initial)
        say("an mbarrier.init with %u in place of %u at %s, or %u more arrival%s: ", came, count,
            rule_line_of_site(initial->site), pending, plural(pending));
    else if (pending)
        say("%u more arrival%s at %s: ", pending, plural(pending), p->name);
    else if (expects)
        say("an expect_tx of %" PRIi32 " bytes in place of %" PRIi32 " at %s: ",
            bytes_of(expects->after) - bytes_of(expects->before) - bytes,
            bytes_of(expects->after) - bytes_of(expects->before), rule_line_of_site(expects->site));
    else
        say("the bytes of the copies and of expect_tx the same: ");
    say_name(p->by);
    say(" waits at %s for the end of the phase of %s with parity %" PRIi64 ": ",
        rule_line_of_lane(p->by.warp, p->by.lane), p->name, p->awaited.value);
    if (over)
        say("%u arrival%s waited for, and %u came", count, count == 1 ? " is" : "s are", count + over);
    else if (pending == count)
        say("%u arrival%s waited for, and none came", count, count == 1 ? " is" : "s are");
    else if (pending)
        say("%u arrivals are waited for, and %u came", count, came);
    else
        say("%" PRIi32 " bytes %s", bytes < 0 ? -bytes : bytes,
            bytes < 0 ? "more came than were expected" : "are expected that no copy brings");
    return true;
}

static void tell_poll(const struct run *run, const struct poll *p)
{
    if (!tell_mbarrier(p) && !tell_lock(run, p) && !tell_lost(p) && !tell_count(p))
        tell_value(p);
}

/* ---- barriers ---- */

static void tell_named(struct place at)
{
    const struct block *block = at.warp->block;
    unsigned id = (unsigned)at.warp->more[at.lane].value, came = block->arrived[id],
             expected = block->expected[id];
    if (came % (unsigned)the_machine.description.warp_size == 0)
        say("%u in place of %u threads for barrier %u, or ", came, expected, id);
    say("%u more threads that come to barrier %u: ", expected - came, id);
    say_name(at);
    say(" waits at %s, where %u arrivals are waited for, and %u came", rule_line_of_lane(at.warp, at.lane),
        expected, came);
}

/* Threads wait at two kinds of barriers, neither of which opens. */
static void tell_two_barriers(struct place one, struct place other)
{
    say("one barrier to which all of these threads come: ");
    say_name(one);
    say(" waits at %s, and ", rule_line_of_lane(one.warp, one.lane));
    say_name(other);
    say(" at %s", rule_line_of_lane(other.warp, other.lane));
}

static void tell_warp_operation(struct place at)
{
    lane_set missing = at.warp->more[at.lane].mask & all_lanes(at.warp) & ~at.warp->exited;
    FOR_EACH_LANE(i, at.warp->at_warp_barrier)
    if (at.warp->more[i].mask == at.warp->more[at.lane].mask &&
        at.warp->lanes[i].kind == at.warp->lanes[at.lane].kind)
        missing &= ~LANE(i);
    if (!missing)
        return;
    unsigned lane = first_lane(missing);
    say("a mask without the lanes that do not come to %s, or a way of all lanes of the mask to it: ",
        rule_line_of_lane(at.warp, at.lane));
    say_name(at);
    say(" waits there for thread %u, which waits at %s", thread_of(at.warp, lane),
        rule_line_of_lane(at.warp, lane));
}

/* Tells of barriers of the block's cluster that do not open. Returns false if nothing is known of them. */
static bool tell_barriers(const struct block *block)
{
    static bool (*const kinds[])(const struct warp *warp, unsigned lane) = {
        is_at_block_barrier, is_at_named_barrier, is_at_cluster_barrier, is_at_warp_barrier};
    static void (*const rules[])(struct place at) = {NULL, tell_named, NULL, tell_warp_operation};
    struct place found[2];
    unsigned count = 0, first = 0;
    for (unsigned k = 0; k < 4 && count < 2; k++) {
        found[count] = first_of(block->cluster, kinds[k]);
        first = found[count].warp && !count ? k : first;
        count += found[count].warp != NULL;
    }
    if (count == 2)
        tell_two_barriers(found[0], found[1]);
    else if (count && rules[first])
        rules[first](found[0]);
    return *out.text;
}

/* ---- all rules ---- */

#define MOST_TOLD 2 /* number of different words of which a report tells */

/* Tells of the words that threads poll: of one for each line that polls and each kind of cause. */
static unsigned tell_polls(const struct run *run)
{
    const void *told[MOST_TOLD];
    unsigned count = 0;
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned w = 0; w < run->sms[s].warp_count; w++)
            FOR_EACH_LANE(i, all_lanes(run->sms[s].warps[w]))
            {
                struct warp *warp = run->sms[s].warps[w];
                if (count == MOST_TOLD || !polls(warp, i))
                    continue;
                struct poll poll = poll_of((struct place){warp, i});
                bool is_new = poll.read;
                for (unsigned t = 0; t < count && is_new; t++)
                    is_new = told[t] != poll.read->instruction;
                if (!is_new)
                    continue;
                told[count] = poll.read->instruction;
                say("%s", count++ ? "; and " : "");
                tell_poll(run, &poll);
            }
    return count;
}

void hang_causes_tell(const struct run *run, char *text, size_t size)
{
    out.text = text;
    out.size = size;
    *text = '\0';
    if (tell_room(run) || tell_polls(run))
        return;
    for (unsigned s = 0; s < run->sm_count; s++)
        for (unsigned b = 0; b < run->sms[s].block_count; b++)
            if (tell_barriers(run->sms[s].blocks[b]))
                return;
}
