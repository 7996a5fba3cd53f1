#include "machine/code/calls.h"
#include "machine/weak/race_checks.h"
#include "base/map.h"
#include "machine/weak/weak_block.h"

bool races_are_muted;
/* An earlier read or write with which the lane's access may race. */
struct earlier {
    uint32_t thread, time, site;
    enum machine_scope scope;
    bool sizes_differ;
};

/* Returns whether only the order in which two fence.sc happened to be executed orders the access. */
static bool is_ordered_by_chance(const struct earlier *earlier)
{
    return model_knows(running_thread(), AS_IT_IS, earlier->thread, earlier->time);
}

static enum what_if cure_of(const struct earlier *earlier)
{
    /* The other what-if worlds contain this order of the fences, too, so they do not show what would cure the
     * race. If the write by which the block learned of the other one has a release, an acquire is missing. */
    const struct observation *last = &running_block()->weak->last;
    if (is_ordered_by_chance(earlier))
        return last->reader != NO_THREAD && last->is_released ? ACQUIRED : RELEASED_ACQUIRED;
    if (model_copy_needs_fence(running_thread(), earlier->thread, earlier->time))
        return PROXIED_GLOBAL;
    for (enum what_if world = WIDE; the_machine.memory.cures && world <= WIDE_AND_BOTH; world++)
        if (model_knows(running_thread(), world, earlier->thread, earlier->time))
            return world;
    return AS_IT_IS;
}

/* The last copies that have signalled an mbarrier, each with the mbarrier, for reports of races. */
#define TOLD 64
static struct {
    uint32_t number;
    uintptr_t home;
} told[TOLD];
static unsigned told_next;

void race_note_told(uint32_t copy, uintptr_t mbarrier_home)
{
    told[told_next].number = copy;
    told[told_next].home = mbarrier_home;
    told_next = (told_next + 1) % TOLD;
}

/* Returns the home of the mbarrier that the copy has signalled, or 0 if it is not known. */
static uintptr_t told_by(uint32_t number)
{
    for (unsigned i = 1; i <= TOLD; i++)
        if (told[(told_next - i) % TOLD].number == number)
            return told[(told_next - i) % TOLD].home;
    return 0;
}

/* By which thread, and at which of its times, a copy was issued. */
struct issue {
    uint32_t copy, thread, time;
};
static struct map issues = MAP(struct issue, copy);

void race_note_issued(uint32_t copy, uint32_t thread, uint32_t time)
{
    struct issue *issue = map_get(&issues, &copy);
    issue->thread = thread;
    issue->time = time;
}

static bool knows_issue(uint32_t copy)
{
    const struct issue *issue = map_find(&issues, &copy);
    return issue && model_knows(running_thread(), AS_IT_IS, issue->thread, issue->time);
}

/* A word that atomics change: a counter of arrivals if none of them makes it less. */
struct counter {
    uintptr_t home;
    bool is_other;
};
static struct map counters = MAP(struct counter, home);

/* How often a block's threads have changed such a word by an atomic, where they did so last, and where they
 * have read it since by a strong access; 0 if they have not. */
struct arrivals {
    struct {
        uintptr_t home;
        unsigned party, block;
    } of;
    unsigned count;
    uint32_t site, read_site;
};
static struct map arrivals = MAP(struct arrivals, of);

static struct arrivals *arrivals_of(uintptr_t home, const struct writer *who)
{
    return map_get(&arrivals, &(struct arrivals){.of = {home, who->party, who->block}});
}

void race_note_strong_read(uintptr_t home, uint32_t site)
{
    struct writer who = model_writer(model_thread_number(running_thread()));
    arrivals_of(home, &who)->read_site = site;
}

void race_note_change(uintptr_t home, uint64_t before, uint64_t after, uint32_t site)
{
    if (before == after)
        return;
    struct counter *counter = map_get(&counters, &home);
    struct writer who = model_writer(model_thread_number(running_thread()));
    struct arrivals *own = arrivals_of(home, &who);
    counter->is_other |= after < before;
    own->count++;
    own->site = site;
    own->read_site = 0;
}

/* Notes how often the blocks of both accesses have arrived at the counter that the second one's block read
 * last. */
static void count_arrivals(struct race *race)
{
    const struct counter *counter = map_find(&counters, &race->last.home);
    struct arrivals first = *arrivals_of(race->last.home, &race->first),
                    second = *arrivals_of(race->last.home, &race->second);
    if (!counter || counter->is_other || !second.read_site)
        return;
    race->counted_site = second.site;
    race->waited_site = second.read_site;
    race->first_came = first.count;
    race->second_came = second.count;
}

static void note_race(const struct earlier *earlier, enum race_kind kind, struct strength strength,
                      uintptr_t home, size_t bytes, uint32_t site)
{
    struct writer first = model_writer(earlier->thread),
                  second = model_writer(model_thread_number(running_thread()));
    enum race_span span = race_span_of(&first, &second);
    if (!the_machine.memory.races || races_are_muted || race_again(earlier->site, site, kind, span))
        return;
    bool first_strong = earlier->scope != SCOPE_THREAD, second_strong = strength.scope != SCOPE_THREAD;
    bool both_strong = first_strong && second_strong;
    struct race race = {.first = first,
                        .first_site = earlier->site,
                        .second = second,
                        .second_site = site,
                        .kind = kind,
                        .both_strong = both_strong,
                        .only_first_strong = first_strong && !second_strong,
                        .only_second_strong = second_strong && !first_strong,
                        .sizes_differ = earlier->sizes_differ,
                        .is_hidden = is_ordered_by_chance(earlier),
                        .is_refill =
                            kind == RACE_READS && first.kind == OF_A_COPY && !knows_issue(earlier->thread),
                        .address = is_shared(home) ? home_offset(home) : home,
                        .bytes = bytes,
                        .is_shared = is_shared(home),
                        .is_dynamic = home_is_dynamic(home),
                        .cure = both_strong ? WIDE : cure_of(earlier),
                        .last = running_block()->weak->last,
                        .passed = running_block()->weak->passed};
    if (race.last.reader != NO_THREAD) {
        unsigned reader = model_writer(race.last.reader).thread;
        race.last_writer = model_writer(race.last.writer);
        race.last_reader_knows = model_knows(model_thread(running_block()->weak->model, reader), AS_IT_IS,
                                             earlier->thread, earlier->time);
        count_arrivals(&race);
    }
    if (first.kind != OF_A_COPY || race.passed.home != told_by(earlier->thread))
        race.passed.reader = NO_THREAD;
    race_note(&race);
}

/* An access of the host. */
struct host_access {
    uintptr_t address;
    size_t bytes;
    bool writes, is_strong;
    const struct clock *clock;
    const void *instruction;
};

/* Notes a race of the host's access with an earlier write or, if `kind` is RACE_WRITES_READ, read. */
static void note_host_race(const struct host_access *access, const struct earlier *earlier,
                           enum race_kind kind)
{
    uint32_t site = site_of(access->instruction, 0);
    if (race_again(earlier->site, site, kind, RACE_IN_GRID))
        return;
    struct race race = {.first = model_writer(earlier->thread),
                        .first_site = earlier->site,
                        .second = {.kind = OF_HOST},
                        .second_site = site,
                        .kind = kind,
                        .address = access->address,
                        .bytes = access->bytes,
                        .cure = AS_IT_IS,
                        .last = {.reader = NO_THREAD},
                        .passed = {.reader = NO_THREAD}};
    race_note(&race);
}

/* Returns the thread of a write with which the host's access may race, or NO_THREAD if the location's newest
 * write cannot race. Only a weak write can: the host may wait for a strong write, and then knows what its
 * writer has released. */
static struct earlier host_may_race_with(const struct host_access *access, const struct history *history)
{
    const struct message *newest = history_newest(history);
    if (access->is_strong)
        model_tell_host(history);
    uint32_t thread = newest->scope == SCOPE_THREAD ? newest->thread : NO_THREAD;
    return (struct earlier){thread, newest->time, newest->site, newest->scope, false};
}

/* Checks the part of the host's access that is in the word at `place`, or in this byte of a word that is
 * written in parts. */
static void check_host_at(const struct host_access *access, const struct cell *cell, uintptr_t place)
{
    const struct trace *trace = trace_of(place);
    struct earlier write = {NO_THREAD, cell->time, trace ? trace->site : 0, SCOPE_THREAD, false};
    if (cell->writer == HAS_HISTORY)
        write = host_may_race_with(access, cell_history(cell));
    else if (cell->writer != NOBODY)
        write.thread = cell->writer - 1;
    if (write.thread != NO_THREAD && !model_host_knows(access->clock, write.thread, write.time)) {
        note_host_race(access, &write, access->writes ? RACE_WRITES : RACE_READS);
        return;
    }
    if (!access->writes || !trace || !trace->reader ||
        !(trace->read_bytes & bytes_among(place, access->address, access->bytes)) ||
        model_host_knows(access->clock, trace->reader - 1, trace->read_time))
        return;
    struct earlier read = {trace->reader - 1, trace->read_time, trace->read_site, SCOPE_THREAD, false};
    note_host_race(access, &read, RACE_WRITES_READ);
}

void race_check_host(uintptr_t address, size_t bytes, bool writes, bool is_strong, const struct clock *clock,
                     const void *instruction)
{
    struct host_access access = {address, bytes, writes, is_strong, clock, instruction};
    for (uintptr_t word = address & ~UINT64_C(3); word < address + bytes; word += 4) {
        const struct cell *cell = cell_of(word, false);
        if (!cell)
            continue;
        if (cell->writer != IN_PARTS) {
            check_host_at(&access, cell, word);
            continue;
        }
        for (uintptr_t at = word; at < word + 4; at++)
            if (at - address < bytes)
                check_host_at(&access, &cell_parts(cell)->bytes[at - word], at);
    }
}

void race_check_cell(const struct cell *cell, enum race_kind kind, uintptr_t home, size_t bytes,
                     uint32_t site)
{
    const struct trace *trace = trace_of(home);
    struct earlier write = {cell->writer - 1, cell->time, trace ? trace->site : 0, SCOPE_THREAD, false};
    note_race(&write, kind, WEAK, home, bytes, site);
}

void race_check_write(uint32_t writer, uint32_t time, uint32_t write_site, enum race_kind kind,
                      uintptr_t home, size_t bytes, uint32_t site)
{
    struct earlier write = {writer, time, write_site, SCOPE_THREAD, false};
    note_race(&write, kind, WEAK, home, bytes, site);
}

/* Accesses of different sizes are never morally strong (PTX ISA, "Morally strong operations"). */
void race_check_message(const struct history *history, struct strength strength, enum race_kind kind,
                        uintptr_t home, size_t bytes, uint32_t site)
{
    uint8_t left = bytes_among(history->address, home, bytes); /* their newest write is not found yet */
    for (unsigned position = history->count; left && position-- > 0;) {
        const struct message *m = &history->messages[position];
        uintptr_t first = history->address + m->first;
        size_t size = m->bytes ? m->bytes : history->bytes;
        uint8_t wrote = message_bytes(history, m);
        bool same =
            m->of_bytes
                ? history->address + (uintptr_t)(intptr_t)m->of_first == home && m->of_bytes == bytes
                : (first == home && size == bytes) || (history->is_of_items && (size == 4 || bytes == 4));
        if (!(wrote & left))
            continue;
        left &= (uint8_t)~wrote;
        if (m->thread == NO_THREAD || model_orders_message(running_thread(), history, position) ||
            (same && model_morally_strong(running_thread(), strength.scope, m)))
            continue;
        struct earlier write = {m->thread, m->time, m->site, m->scope, !same};
        note_race(&write, kind, strength, home, bytes, site);
    }
}

void race_check_reader_at(uintptr_t place, uintptr_t home, size_t bytes, struct strength strength,
                          enum race_kind kind, uint32_t site)
{
    const struct trace *trace = trace_of(place);
    if (!trace || !trace->reader || !(trace->read_bytes & bytes_among(place, home, bytes)) ||
        model_orders(running_thread(), trace->reader - 1, trace->read_time))
        return;
    struct earlier read = {trace->reader - 1, trace->read_time, trace->read_site, SCOPE_THREAD, false};
    note_race(&read, kind, strength, home, bytes, site);
}

void race_check_reader(uintptr_t home, size_t bytes, struct strength strength, enum race_kind kind,
                       uint32_t site)
{
    if (!the_machine.memory.races)
        return;
    for (uintptr_t word = home & ~UINT64_C(3); word < home + bytes; word += 4) {
        const struct cell *cell = cell_of(word, false);
        uintptr_t place = cell && cell->writer == HAS_HISTORY ? cell_history(cell)->address : word;
        for (unsigned b = 0; cell && cell->writer == IN_PARTS && b < 4; b++)
            if (word + b - home < bytes)
                race_check_reader_at(word + b, home, bytes, strength, kind, site);
        if (cell && cell->writer != IN_PARTS)
            race_check_reader_at(place, home, bytes, strength, kind, site);
        if (place != word) /* reads of the word from the time before its history began */
            race_check_reader_at(word, home, bytes, strength, kind, site);
    }
}

/* Does the trace keep its reader, although another thread reads now? It has room for one of them. If the
 * newer one always stayed, a kernel that changes words in place would hide that a copy, which nothing orders
 * with it, reads them meanwhile. So each stays in half of the words and of the runs. */
static bool keeps_reader(const struct trace *trace, uintptr_t place)
{
    if (!trace->reader || !model_is_of_other_party(running_thread(), trace->reader - 1) ||
        model_orders(running_thread(), trace->reader - 1, trace->read_time))
        return false;
    struct random drawn =
        the_machine.random; /* a copy, so that the schedule draws the same numbers as without */
    return (place / 4 + random_next(&drawn)) % 2;
}

void race_note_read(uintptr_t place, uintptr_t home, size_t bytes, uint32_t site)
{
    struct trace *trace = trace_of(place);
    uint32_t reader = model_thread_number(running_thread()) + 1, time = model_write_time(running_thread());
    if (!trace || keeps_reader(trace, place))
        return;
    uint8_t before = trace->reader == reader && trace->read_time == time ? trace->read_bytes : 0;
    *trace = (struct trace){trace->site, reader, time, site, before | bytes_among(place, home, bytes)};
}

void race_note_read_of_word(uintptr_t word, unsigned first, unsigned end, uint32_t site)
{
    const struct cell *cell = the_machine.memory.races ? cell_of(word, true) : NULL;
    if (!cell)
        return;
    if (cell->writer == HAS_HISTORY)
        race_note_read(cell_history(cell)->address, word + first, end - first, site);
    else if (cell->writer != IN_PARTS)
        race_note_read(word, word + first, end - first, site);
    else
        for (unsigned b = first; b < end; b++)
            race_note_read(word + b, word + b, 1, site);
}
