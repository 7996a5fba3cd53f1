#include "machine/weak_memory.h"
#include "base/failure.h"
#include "base/memory.h"
#include "machine/l1_cache.h"
#include "machine/lanes.h"
#include "machine/races.h"
#include "machine/shared_memory.h"

#include <stdlib.h>
#include <string.h>

/* Older messages of a location are forgotten. */
#define MOST_MESSAGES 8
/* So rarely, at least, does a strong load get the newest message where the policy would not: who polls comes on. */
#define PROGRESS 4
#define MOST_STORES 4 /* locations with a history that one store can cover */

/* ---- cells ---- */

/* The writer is a thread's number plus one, or one of these. */
enum { NOBODY = 0 }; /* since the launch began */
#define HAS_HISTORY UINT32_MAX
#define IN_PARTS (UINT32_MAX - 1)

struct cell {
    uint32_t writer;
    union {
        struct {
            uint32_t time, previous; /* the value before the newest write of that thread in that time */
        };
        uint32_t number; /* of its history, or of its parts */
    };
};
_Static_assert(sizeof(struct cell) == 12, "three times the data, and no more");

/* For reports of races alone: where a word or byte was written, and who read it last by a weak load. */
struct trace {
    uint32_t site;
    uint32_t reader, read_time, read_site; /* the reader as a cell's writer */
};

/* A word that is written in parts. */
struct parts {
    struct cell bytes[4];
    struct trace traces[4];
};

#define PAGE_BYTES 4096u
struct page {
    uintptr_t number;
    uint64_t launch;      /* which wrote it: its cells mean nothing to another */
    struct trace *traces; /* of each cell; NULL: nobody asks for races */
    struct cell cells[PAGE_BYTES / 4];
};

static struct {
    struct page **pages; /* open addressing; a power of two of places */
    size_t page_places, page_count;
    struct page *last;
    uint64_t launch;
    struct history **histories; /* of the launch: views may point to them until it ends */
    size_t history_count;
    struct parts **parts;
    size_t parts_count;
    struct random random;
    /* The access that the running lane does just now. */
    struct {
        enum { NONE, PLANTED, STORES, ATOMIC } kind;
        uintptr_t address;
        unsigned bytes;
        unsigned char newest[16];
        struct {
            struct history *history;
            uintptr_t address;
        } stores[MOST_STORES]; /* of an atomic, the first */
        unsigned store_count;
        bool is_mixed;     /* the store has another size than the locations */
        unsigned position; /* of what an atomic reads */
        struct strength strength;
        uint32_t site;
    } access;
} weak;

struct weak_block {
    struct model_block *model;
    struct gathering at_barrier, at_named[NAMED_BARRIERS];
    struct observation last;
    bool used_named;
};

static uint64_t draw(void)
{
    return random_next(&weak.random);
}

static size_t place_in(uintptr_t number)
{
    size_t mask = weak.page_places - 1, at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (weak.pages[at] && weak.pages[at]->number != number)
        at = (at + 1) & mask;
    return at;
}

static void grow_pages(void)
{
    struct page **old = weak.pages;
    size_t places = weak.page_places;
    weak.page_places = places ? 2 * places : 1024;
    weak.pages = allocate(weak.page_places * sizeof(struct page *));
    for (size_t i = 0; i < places; i++)
        if (old[i])
            weak.pages[place_in(old[i]->number)] = old[i];
    free(old);
}

static void clear_page(struct page *page)
{
    memset(page->cells, 0, sizeof page->cells);
    if (page->traces)
        memset(page->traces, 0, PAGE_BYTES / 4 * sizeof *page->traces);
}

/* The page, or NULL when this launch has not written there and none is to be made. */
static struct page *page_of(uintptr_t address, bool make)
{
    uintptr_t number = address / PAGE_BYTES;
    if (weak.last && weak.last->number == number && weak.last->launch == weak.launch)
        return weak.last;
    if (2 * weak.page_count >= weak.page_places)
        grow_pages();
    size_t at = place_in(number);
    struct page *page = weak.pages[at];
    if (!page || page->launch != weak.launch) {
        if (!make)
            return NULL;
        if (!page) {
            page = weak.pages[at] = allocate(sizeof *page);
            weak.page_count++;
        } else {
            clear_page(page);
        }
        page->number = number;
        page->launch = weak.launch;
        if (the_machine.memory.races && !page->traces)
            page->traces = allocate(PAGE_BYTES / 4 * sizeof *page->traces);
    }
    return weak.last = page;
}

static struct cell *cell_of(uintptr_t address, bool make)
{
    struct page *page = page_of(address, make);
    return page ? &page->cells[address % PAGE_BYTES / 4] : NULL;
}

/* The trace of the address's word, or of its byte where it is written in parts; NULL: there is none. */
static struct trace *trace_of(uintptr_t address)
{
    struct page *page = the_machine.memory.races ? page_of(address, true) : NULL;
    if (!page)
        return NULL;
    const struct cell *cell = &page->cells[address % PAGE_BYTES / 4];
    return cell->writer == IN_PARTS ? &weak.parts[cell->number]->traces[address % 4]
                                    : &page->traces[address % PAGE_BYTES / 4];
}

static struct history *history_in(const struct cell *cell)
{
    return weak.histories[cell->number];
}

/* ---- addresses ---- */

/* Shared memory has one address for several blocks, so its cells lie at places of their own. */
#define SHARED_HOME (UINT64_C(1) << 62)

/* With weak memory there is one at a time. */
static const struct kernel *the_kernel(void)
{
    return &the_machine.run.kernels[0];
}

static bool is_shared(uintptr_t home)
{
    return home & SHARED_HOME;
}

/* Dynamic shared memory apart from the __shared__ variables, so that both keep their alignment. */
#define DYNAMIC (UINT64_C(1) << 23)

static size_t static_shared_bytes(void)
{
    return shared_memory_bytes(the_kernel()) - the_kernel()->launch.shared_bytes;
}

static uintptr_t shared_home(const struct block *block)
{
    uint64_t place = (uint64_t)block->sm->index << 12 | block->place;
    return SHARED_HOME | place << 24;
}

static uintptr_t home_of(const struct block *block, uintptr_t address)
{
    if (!shared_memory_has(address))
        return address;
    size_t offset = shared_memory_offset(block, address), statics = static_shared_bytes();
    return shared_home(block) | (offset < statics ? offset : DYNAMIC | (offset - statics));
}

/* ---- who acts ---- */

static struct block *running_block(void)
{
    return running.warp->block;
}

static struct model_thread *self(void)
{
    return model_thread(running_block()->weak->model, thread_of(running.warp, running.lane));
}

/* ---- races ---- */

struct write {
    uint32_t thread, time, site;
    enum machine_scope scope;
};

static enum what_if cure_of(const struct write *write)
{
    for (enum what_if world = WIDE; the_machine.memory.cures && world <= WIDE_AND_BOTH; world++)
        if (model_knows(self(), world, write->thread, write->time))
            return world;
    return AS_IT_IS;
}

static void note_race(const struct write *write, enum race_kind kind, struct strength strength,
                      uintptr_t home, size_t bytes, uint32_t site)
{
    if (!the_machine.memory.races || race_again(write->site, site, kind))
        return;
    bool both_strong = write->scope != SCOPE_THREAD && strength.scope != SCOPE_THREAD;
    struct race race = {.first = write->thread,
                        .first_site = write->site,
                        .second = model_thread_number(self()),
                        .second_site = site,
                        .kind = kind,
                        .both_strong = both_strong,
                        .address = is_shared(home) ? home & (DYNAMIC - 1) : home,
                        .bytes = bytes,
                        .is_shared = is_shared(home),
                        .cure = both_strong ? WIDE : cure_of(write),
                        .last = running_block()->weak->last};
    race_note(&race, running_block()->threads);
}

/* ---- which of the messages that it may read an access gets ---- */

static uint32_t word_at(uintptr_t address)
{
    uint32_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

/* Does a weak load of this word, whose newest value it need not get, get the one before? What a cache has may be older
 * still; but the one before is allowed for sure. */
static bool gets_previous(uintptr_t home)
{
    switch (the_machine.memory.policy) {
    case MACHINE_OLDEST:
        return true;
    case MACHINE_ANY:
        return draw() & 1;
    case MACHINE_L1:
        return !is_shared(home) && l1_load(running_block()->sm->index, home, word_at) != word_at(home);
    default:
        return false;
    }
}

/* The position that an access to a location with a history gets. */
static unsigned choose_message(const struct history *history, struct strength strength)
{
    unsigned oldest = model_oldest(self(), history), newest = history->count - 1;
    bool is_strong = strength.scope != SCOPE_THREAD;
    if (oldest == newest || (is_strong && draw() % PROGRESS == 0))
        return newest;
    switch (the_machine.memory.policy) {
    case MACHINE_OLDEST:
        return oldest;
    case MACHINE_ANY:
        return oldest + (unsigned)(draw() % (newest - oldest + 1));
    case MACHINE_L1: {
        if (is_shared(history->address) || is_strong)
            return newest;
        uint32_t cached = l1_load(running_block()->sm->index, history->address, word_at);
        unsigned position = newest;
        while (position > oldest && (uint32_t)history->messages[position].value != cached)
            position--;
        return position;
    }
    default:
        return newest;
    }
}

/* ---- histories ---- */

static uint64_t value_at(uintptr_t address, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, bytes);
    return value;
}

static uint32_t keep_history(struct history *history)
{
    weak.histories = with_room(weak.histories, sizeof *weak.histories, weak.history_count, 1);
    weak.histories[weak.history_count] = history;
    return (uint32_t)weak.history_count++;
}

/* The newest write of a cell becomes a message; who wrote it, and when, is kept. */
static void take_over(struct history *history, const struct cell *cell, uint64_t value)
{
    const struct trace *trace = trace_of(history->address);
    struct message *message = history_insert(history, history->count);
    message->value = value;
    message->read_from = NO_MESSAGE;
    message->thread = cell->writer - 1;
    message->time = cell->time;
    message->site = trace ? trace->site : 0;
    message->scope = SCOPE_THREAD;
}

static bool is_plain(const struct cell *cell)
{
    return cell->writer != HAS_HISTORY && cell->writer != IN_PARTS;
}

/* A history for a location of 4 or 8 bytes that has none; NULL where it cannot be (written in parts or in another
 * size). */
static struct history *begin_history(uintptr_t address, uintptr_t home, unsigned bytes)
{
    struct cell *low = cell_of(home, true), *high = bytes == 8 ? cell_of(home + 4, true) : low;
    if (!is_plain(low) || !is_plain(high))
        return NULL;
    uint64_t newest = value_at(address, bytes), before = newest;
    bool is_one_write = low->writer == high->writer && low->time == high->time;
    if (low->writer != NOBODY && is_one_write)
        before = bytes == 8 ? (uint64_t)high->previous << 32 | low->previous : low->previous;
    struct history *history = history_begin(home, bytes, before);
    if (low->writer != NOBODY && is_one_write)
        take_over(history, low, newest);
    *low = *high = (struct cell){.writer = HAS_HISTORY, .number = keep_history(history)};
    return history;
}

/* The history of exactly this location, or NULL. */
static struct history *history_of(uintptr_t home, size_t bytes)
{
    const struct cell *cell = cell_of(home, false);
    if (!cell || cell->writer != HAS_HISTORY)
        return NULL;
    struct history *history = history_in(cell);
    return history->address == home && history->bytes == bytes ? history : NULL;
}

static bool is_location(uintptr_t home, size_t bytes)
{
    return (bytes == 4 || bytes == 8) && home % bytes == 0;
}

static void check_message(const struct history *history, struct strength strength, enum race_kind kind,
                          uint32_t site)
{
    const struct message *newest = history_newest(history);
    if (newest->thread == NO_THREAD || model_knows_message(self(), AS_IT_IS, history, history->count - 1) ||
        model_morally_strong(self(), strength.scope, newest))
        return;
    struct write write = {newest->thread, newest->time, newest->site, newest->scope};
    note_race(&write, kind, strength, history->address, history->bytes, site);
}

static void observe(struct history *history, unsigned position, struct strength strength,
                    bool is_to_be_overwritten, uint32_t site)
{
    const struct message *message = &history->messages[position];
    if (strength.scope == SCOPE_THREAD)
        return;
    uint32_t reader = model_thread_number(self());
    if (message->thread != NO_THREAD && message->thread != reader && message->scope != SCOPE_THREAD)
        running_block()->weak->last = (struct observation){reader, site, message->thread, message->site};
    model_read(self(), history, position, strength, is_to_be_overwritten);
    if (strength.order & ORDER_ACQUIRE && strength.scope > SCOPE_BLOCK &&
        the_machine.memory.policy == MACHINE_L1)
        l1_empty(running_block()->sm->index);
}

/* ---- planting and harvesting ---- */

static void plant(uintptr_t address, unsigned bytes, const void *value)
{
    weak.access.kind = PLANTED;
    weak.access.address = address;
    weak.access.bytes = bytes;
    memcpy(weak.access.newest, (const void *)address, bytes);
    memcpy((void *)address, value, bytes);
}

/* Where the running lane's message goes: the end, or now and then any place that PTX leaves open. */
static unsigned choose_position(const struct history *history, enum machine_scope scope)
{
    if (the_machine.memory.policy != MACHINE_ANY || draw() % 4)
        return history->count;
    unsigned position = history->count, seen = 0;
    for (unsigned p = model_oldest(self(), history) + 1; p <= history->count; p++)
        if (model_may_write(self(), history, p, scope) && draw() % ++seen == 0)
            position = p;
    return position;
}

static void append(struct history *history, unsigned position, uint64_t value, struct strength strength,
                   int read_from, uint32_t site)
{
    model_write(self(), history, position, value, strength, read_from, site);
    if (history->count > MOST_MESSAGES)
        history_forget(history, history->count - MOST_MESSAGES);
}

static void harvest_store(struct history *history, uintptr_t address)
{
    struct strength strength = weak.access.strength;
    uint64_t value = value_at(address, history->bytes);
    if (weak.access.is_mixed) /* it keeps some of what was there, and what that carries */
        return append(history, history->count, value, strength, (int)history->count - 1, weak.access.site);
    append(history, choose_position(history, strength.scope), value, strength, -1, weak.access.site);
    memcpy((void *)address, &history_newest(history)->value, history->bytes);
}

void weak_finish_access(void)
{
    if (weak.access.kind == PLANTED)
        memcpy((void *)weak.access.address, weak.access.newest, weak.access.bytes);
    else if (weak.access.kind == STORES)
        for (unsigned i = 0; i < weak.access.store_count; i++)
            harvest_store(weak.access.stores[i].history, weak.access.stores[i].address);
    weak.access.kind = NONE;
}

/* The lane is about to write to a location with a history; its first byte is at this address. */
static void expect_store(struct history *history, uintptr_t address, bool is_mixed, struct strength strength,
                         uint32_t site)
{
    check_message(history, strength, RACE_WRITES, site);
    if (weak.access.kind != STORES)
        weak.access.store_count = 0;
    weak.access.kind = STORES;
    for (unsigned i = 0; i < weak.access.store_count; i++)
        if (weak.access.stores[i].history == history)
            return;
    if (weak.access.store_count == MOST_STORES)
        return;
    weak.access.stores[weak.access.store_count].history = history;
    weak.access.stores[weak.access.store_count++].address = address;
    weak.access.is_mixed = is_mixed;
    weak.access.strength = strength;
    weak.access.site = site;
}

/* ---- loads ---- */

static const struct strength WEAK = {SCOPE_THREAD, ORDER_RELAXED};

/* What was decided for the last write that the access found unknown: its words go together. */
struct decision {
    uint32_t writer, time;
    bool previous;
};

static bool is_unknown(const struct cell *cell)
{
    return cell->writer != NOBODY && !model_knows(self(), AS_IT_IS, cell->writer - 1, cell->time);
}

/* Whether a weak load of a plain cell gets its previous value. */
static bool decide(const struct cell *cell, uintptr_t home, struct decision *decision)
{
    if (decision->writer != cell->writer || decision->time != cell->time)
        *decision = (struct decision){cell->writer, cell->time, gets_previous(home)};
    return decision->previous;
}

static void race_with_cell(const struct cell *cell, enum race_kind kind, uintptr_t home, size_t bytes,
                           uint32_t site)
{
    const struct trace *trace = trace_of(home);
    struct write write = {cell->writer - 1, cell->time, trace ? trace->site : 0, SCOPE_THREAD};
    note_race(&write, kind, WEAK, home, bytes, site);
}

/* A weak load: of all that read a word, the last is remembered. */
static void note_read(uintptr_t home, uint32_t site)
{
    struct trace *trace = trace_of(home);
    if (trace)
        *trace = (struct trace){trace->site, model_thread_number(self()) + 1, model_write_time(self()), site};
}

/* The same, of these bytes of a word. Of parts of a word that is written as a whole it is not remembered. */
static void note_read_of_word(uintptr_t word, unsigned first, unsigned end, uint32_t site)
{
    const struct cell *cell = the_machine.memory.races ? cell_of(word, true) : NULL;
    if (!cell)
        return;
    if (cell->writer == HAS_HISTORY)
        note_read(history_in(cell)->address, site);
    else if (cell->writer != IN_PARTS && end - first == 4)
        note_read(word, site);
    else if (cell->writer == IN_PARTS)
        for (unsigned b = first; b < end; b++)
            note_read(word + b, site);
}

/* A write of this strength: has somebody read before, whose read the writer does not know? */
static void check_reader(uintptr_t home, size_t bytes, struct strength strength, enum race_kind kind,
                         uint32_t site)
{
    const struct trace *trace = trace_of(home);
    if (!trace || !trace->reader || model_knows(self(), AS_IT_IS, trace->reader - 1, trace->read_time))
        return;
    struct write read = {trace->reader - 1, trace->read_time, trace->read_site, SCOPE_THREAD};
    note_race(&read, kind, strength, home, bytes, site);
}

static void load_bytes(const struct parts *parts, unsigned first, unsigned end, uintptr_t home,
                       unsigned char *image, uint32_t site)
{
    struct decision decision = {0};
    for (unsigned b = first; b < end; b++) {
        const struct cell *cell = &parts->bytes[b];
        if (!is_unknown(cell))
            continue;
        race_with_cell(cell, RACE_READS, home + b, 1, site);
        bool oldest = the_machine.memory.policy == MACHINE_OLDEST;
        if (decision.writer != cell->writer || decision.time != cell->time)
            decision = (struct decision){cell->writer, cell->time,
                                         oldest || (the_machine.memory.policy == MACHINE_ANY && draw() & 1)};
        if (decision.previous)
            image[b - first] = (unsigned char)cell->previous;
    }
}

/* A weak load, word by word; `image` is what it will see. */
static bool load_words(uintptr_t home, size_t bytes, unsigned char *image, uint32_t site)
{
    bool changed = false;
    struct decision decision = {0};
    for (uintptr_t at = home; at < home + bytes;) {
        unsigned first = (unsigned)(at % 4), end = 4;
        if (at - first + 4 > home + bytes)
            end = (unsigned)(home + bytes - (at - first));
        const struct cell *cell = cell_of(at, false);
        unsigned char *out = image + (at - home);
        note_read_of_word(at - first, first, end, site);
        if (cell && cell->writer == HAS_HISTORY) {
            check_message(history_in(cell), WEAK, RACE_READS, site);
        } else if (cell && cell->writer == IN_PARTS) {
            load_bytes(weak.parts[cell->number], first, end, at - first, out, site);
            changed = true;
        } else if (cell && is_unknown(cell)) {
            race_with_cell(cell, RACE_READS, at, bytes, site);
            if (decide(cell, at - first, &decision)) {
                memcpy(out, (const unsigned char *)&cell->previous + first, end - first);
                changed = true;
            }
        } else if (the_machine.memory.policy == MACHINE_L1 && !is_shared(at)) {
            l1_load(running_block()->sm->index, at - first, word_at); /* and has it from now on */
        }
        at += end - first;
    }
    return changed;
}

static void load_history(struct history *history, uintptr_t address, struct strength strength, uint32_t site)
{
    unsigned position = choose_message(history, strength);
    check_message(history, strength, RACE_READS, site);
    if (strength.scope == SCOPE_THREAD)
        note_read(history->address, site);
    observe(history, position, strength, false, site);
    if (position + 1 < history->count)
        plant(address, history->bytes, &history->messages[position].value);
}

/* A strong load gets the newest of locations of another size, and learns from it. */
static void load_mixed(uintptr_t home, size_t bytes, struct strength strength, uint32_t site)
{
    const struct history *last = NULL;
    for (uintptr_t at = home & ~UINT64_C(3); at < home + bytes; at += 4) {
        const struct cell *cell = cell_of(at, false);
        struct history *history = cell && cell->writer == HAS_HISTORY ? history_in(cell) : NULL;
        if (history && history != last)
            observe(history, history->count - 1, strength, false, site);
        last = history;
    }
}

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    uintptr_t home = home_of(running_block(), address);
    uint32_t site = race_site(instruction);
    const struct cell *cell = cell_of(home, false);
    struct history *history = history_of(home, bytes);
    if (!history && strength.scope != SCOPE_THREAD && cell && cell->writer != NOBODY &&
        is_location(home, bytes))
        history = begin_history(address, home, (unsigned)bytes);
    if (history)
        return load_history(history, address, strength, site);
    if (strength.scope != SCOPE_THREAD)
        return load_mixed(home, bytes, strength, site);
    unsigned char image[16];
    if (bytes > sizeof image)
        return;
    memcpy(image, (const void *)address, bytes);
    if (load_words(home, bytes, image, site))
        plant(address, (unsigned)bytes, image);
}

/* ---- stores ---- */

static struct parts *begin_parts(struct cell *cell, const struct trace *trace)
{
    struct parts *parts = allocate(sizeof *parts);
    weak.parts = with_room(weak.parts, sizeof *weak.parts, weak.parts_count, 1);
    weak.parts[weak.parts_count] = parts;
    for (unsigned b = 0; b < 4; b++) {
        parts->bytes[b] = *cell;
        parts->bytes[b].previous = cell->previous >> 8 * b & 255;
        parts->traces[b] = trace ? *trace : (struct trace){0};
    }
    *cell = (struct cell){.writer = IN_PARTS, .number = (uint32_t)weak.parts_count++};
    return parts;
}

/* A write to what the cell stands for, before it is done; `value` is what is there now. */
static void stamp(struct cell *cell, uintptr_t home, size_t bytes, uint32_t value, uint32_t site)
{
    struct model_thread *thread = self();
    uint32_t writer = model_thread_number(thread) + 1, time = model_write_time(thread);
    if (cell->writer != writer && is_unknown(cell))
        race_with_cell(cell, RACE_WRITES, home, bytes, site);
    check_reader(home, bytes, WEAK, RACE_WRITES_READ, site);
    if (cell->writer != writer || cell->time != time)
        cell->previous = value;
    cell->writer = writer;
    cell->time = time;
    struct trace *trace = trace_of(home);
    if (trace)
        *trace = (struct trace){.site = site};
}

static void store_parts(uintptr_t address, uintptr_t word, unsigned first, unsigned end, uint32_t site)
{
    struct cell *cell = cell_of(word, true);
    struct parts *parts =
        cell->writer == IN_PARTS ? weak.parts[cell->number] : begin_parts(cell, trace_of(word));
    for (unsigned b = first; b < end; b++)
        stamp(&parts->bytes[b], word + b, 1, *(const unsigned char *)(address + b - first), site);
}

static void store_word(uintptr_t address, uintptr_t word, unsigned first, unsigned end, size_t bytes,
                       struct strength strength, uint32_t site)
{
    struct cell *cell = cell_of(word, true);
    if (cell->writer == HAS_HISTORY) {
        struct history *history = history_in(cell);
        check_reader(history->address, bytes, strength, RACE_WRITES_READ, site);
        expect_store(history, address - (word + first - history->address), true, strength, site);
    } else if (cell->writer == IN_PARTS || end - first < 4) {
        store_parts(address, word, first, end, site);
    } else {
        stamp(cell, word, bytes, word_at(address), site);
    }
    if (the_machine.memory.policy == MACHINE_L1 && !is_shared(word))
        l1_drop(running_block()->sm->index, word);
}

void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    uintptr_t home = home_of(running_block(), address);
    uint32_t site = race_site(instruction);
    struct history *history = history_of(home, bytes);
    if (!history && strength.scope != SCOPE_THREAD && is_location(home, bytes))
        history = begin_history(address, home, (unsigned)bytes);
    if (history) {
        check_reader(home, bytes, strength, RACE_WRITES_READ, site);
        expect_store(history, address, false, strength, site);
        if (the_machine.memory.policy == MACHINE_L1 && !is_shared(home))
            l1_drop(running_block()->sm->index, home);
        return;
    }
    for (uintptr_t at = home; at < home + bytes;) {
        unsigned first = (unsigned)(at % 4), end = 4;
        if (at - first + 4 > home + bytes)
            end = (unsigned)(home + bytes - (at - first));
        store_word(address + (at - home), at - first, first, end, bytes, strength, site);
        at += end - first;
    }
}

/* ---- atomics ---- */

/* The newest message; or, of too narrow a scope to see others' writes, an older one: then theirs are lost. */
static unsigned choose_for_atomic(const struct history *history, enum machine_scope scope)
{
    unsigned position = history->count - 1, oldest = model_oldest(self(), history);
    if (the_machine.memory.policy == MACHINE_L1)
        return position;
    while (position > oldest && !model_morally_strong(self(), scope, &history->messages[position]) &&
           (the_machine.memory.policy == MACHINE_OLDEST || draw() & 1))
        position--;
    return position;
}

void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    uintptr_t home = home_of(running_block(), address);
    struct history *history = history_of(home, bytes);
    if (!history)
        history = begin_history(address, home, (unsigned)bytes);
    weak.access.site = race_site(instruction);
    weak.access.kind = ATOMIC;
    weak.access.stores[0].history = history;
    weak.access.address = address;
    weak.access.strength = strength;
    if (!history) /* of another size: the newest, and nothing is learnt */
        return;
    weak.access.position = choose_for_atomic(history, strength.scope);
    check_message(history, strength, RACE_ATOMIC, weak.access.site);
    check_reader(home, bytes, strength, RACE_ATOMIC_READ, weak.access.site);
    memcpy(weak.access.newest, (const void *)address, bytes);
    memcpy((void *)address, &history->messages[weak.access.position].value, bytes);
}

void weak_atomic_ends(bool wrote)
{
    struct history *history = weak.access.stores[0].history;
    enum machine_scope scope = weak.access.strength.scope;
    enum machine_order order = weak.access.strength.order;
    if (history)
        observe(history, weak.access.position, (struct strength){scope, order & ORDER_ACQUIRE}, wrote,
                weak.access.site);
    if (history && wrote) {
        uint64_t value = value_at(weak.access.address, history->bytes);
        append(history, history->count, value, (struct strength){scope, order & ORDER_RELEASE},
               (int)weak.access.position, weak.access.site);
        if (the_machine.memory.policy == MACHINE_L1 && !is_shared(history->address))
            l1_drop(running_block()->sm->index, history->address);
    } else if (history) {
        memcpy((void *)weak.access.address, weak.access.newest, history->bytes);
    }
    weak.access.kind = NONE;
}

/* ---- fences and barriers ---- */

void weak_fence(struct strength strength)
{
    const struct warp *warp = running.warp;
    unsigned number = (unsigned)(warp - warp->block->warps);
    model_fence(warp->block->weak->model, number, LANE(running.lane), strength);
    if (strength.order & ORDER_ACQUIRE && strength.scope > SCOPE_BLOCK &&
        the_machine.memory.policy == MACHINE_L1)
        l1_empty(warp->block->sm->index);
}

static unsigned number_of(const struct warp *warp)
{
    return (unsigned)(warp - warp->block->warps);
}

void weak_arrive_at_block_barrier(struct warp *warp, lane_set lanes)
{
    struct weak_block *weak_block = warp->block->weak;
    if (weak_block)
        model_gather_whole(&weak_block->at_barrier, weak_block->model, number_of(warp), lanes);
}

void weak_open_block_barrier(struct block *block)
{
    struct weak_block *weak_block = block->weak;
    if (!weak_block)
        return;
    model_gathered_whole(&weak_block->at_barrier, weak_block->model);
    for (unsigned w = 0; w < block->warp_count; w++)
        model_learn(&weak_block->at_barrier, weak_block->model, w, block->warps[w].at_block_barrier);
    model_gathering_end(&weak_block->at_barrier);
}

void weak_arrive_at_named_barrier(struct warp *warp, lane_set lanes, unsigned barrier)
{
    struct weak_block *weak_block = warp->block->weak;
    if (weak_block)
        model_gather(&weak_block->at_named[barrier], weak_block->model, number_of(warp), lanes);
}

void weak_open_named_barrier(struct block *block, unsigned barrier)
{
    struct weak_block *weak_block = block->weak;
    if (!weak_block)
        return;
    for (unsigned w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        lane_set lanes = 0;
        FOR_EACH_LANE(i, warp->at_named_barrier)
        if ((unsigned)warp->more[i].value == barrier)
            lanes |= LANE(i);
        model_learn(&weak_block->at_named[barrier], weak_block->model, w, lanes);
    }
    model_gathering_end(&weak_block->at_named[barrier]);
}

void weak_warp_barrier(struct warp *warp, lane_set lanes)
{
    struct weak_block *weak_block = warp->block->weak;
    if (!weak_block)
        return;
    struct gathering gathering = {{NULL}};
    model_gather(&gathering, weak_block->model, number_of(warp), lanes);
    model_learn(&gathering, weak_block->model, number_of(warp), lanes);
    model_gathering_end(&gathering);
}

/* ---- launches and blocks ---- */

void weak_launch_begins(void)
{
    const struct kernel *kernel = the_kernel();
    const struct machine_description *d = &the_machine.description;
    if (!the_machine.memory.is_weak)
        return;
    unsigned devices = the_machine.devices ? the_machine.devices : 1;
    weak.launch++;
    weak.random.state = the_machine.random.state ^ weak.launch;
    weak.access.kind = NONE;
    model_begin((struct model_shape){.blocks = kernel->grid,
                                     .threads = kernel->threads,
                                     .warp = (unsigned)d->warp_size,
                                     .blocks_per_device = (kernel->grid + devices - 1) / devices,
                                     .what_ifs = the_machine.memory.cures});
    size_t shared = shared_memory_bytes(kernel) * kernel->per_sm;
    if (the_machine.memory.policy == MACHINE_L1)
        l1_open((unsigned)d->sm_count, l1_bytes(d->compute_capability, (unsigned)shared));
}

void weak_launch_ends(void)
{
    if (!the_machine.memory.is_weak)
        return;
    for (size_t i = 0; i < weak.history_count; i++)
        history_end(weak.histories[i]);
    free(weak.histories);
    weak.histories = NULL;
    weak.history_count = 0;
    for (size_t i = 0; i < weak.parts_count; i++)
        free(weak.parts[i]);
    free(weak.parts);
    weak.parts = NULL;
    weak.parts_count = 0;
    model_end();
    l1_close();
}

static void clear(uintptr_t first, size_t bytes)
{
    for (uintptr_t at = first; at < first + bytes; at += PAGE_BYTES) {
        struct page *page = page_of(at, false);
        if (page)
            clear_page(page);
    }
}

/* Shared memory that another block had: nobody has written it yet. */
static void clear_shared(const struct block *block)
{
    clear(shared_home(block), static_shared_bytes());
    clear(shared_home(block) | DYNAMIC, block->kernel->launch.shared_bytes);
}

void weak_block_begins(struct block *block)
{
    if (!the_machine.memory.is_weak)
        return;
    block->weak = allocate(sizeof *block->weak);
    block->weak->model = model_block_begin(block->index);
    block->weak->last.reader = NO_THREAD;
    clear_shared(block);
}

void weak_block_ends(struct block *block)
{
    if (!block->weak)
        return;
    model_gathering_end(&block->weak->at_barrier);
    for (unsigned b = 0; b < NAMED_BARRIERS; b++)
        model_gathering_end(&block->weak->at_named[b]);
    model_block_end(block->weak->model);
    free(block->weak);
    block->weak = NULL;
}

static const char *const memory_names[] = {"coherent", "l1", "oldest", "random"};

bool machine_memory_of(const char *name, enum machine_memory *out)
{
    for (unsigned m = 0; m < sizeof memory_names / sizeof *memory_names; m++)
        if (strcmp(name, memory_names[m]) == 0) {
            *out = (enum machine_memory)m;
            return true;
        }
    return false;
}

void machine_set_memory(enum machine_memory memory)
{
    machine_installed();
    the_machine.memory.is_weak = memory != MACHINE_COHERENT;
    the_machine.memory.policy = memory;
}
