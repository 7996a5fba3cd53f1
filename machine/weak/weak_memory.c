/* One file because loads, stores, vectors and atomics share the access that the running lane is executing. */
#include "machine/code/calls.h"
#include "machine/weak/weak_memory.h"
#include "machine/weak/cells.h"
#include "machine/weak/race_checks.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_policy.h"

/* The largest number of messages that a location keeps; older messages are forgotten. */
#define MOST_MESSAGES 8
#define MOST_STORES 4 /* the largest number of locations with a history that one store can cover */

/* The access that the running lane is executing. */
static struct {
    enum { NONE, PLANTED, STORES, ATOMIC } kind;
    uintptr_t address, home; /* a store's first byte, and its home (cells.h) */
    unsigned bytes;
    unsigned char newest[16];
    struct {
        struct history *history;
        uintptr_t address;
        uint8_t first, end; /* the store writes the bytes first..end - 1 of the location */
    } stores[MOST_STORES];  /* locations that a store writes; an atomic uses only the first entry */
    unsigned store_count;
    unsigned position; /* the position in the history of the message that an atomic reads */
    struct strength strength;
    uint32_t site;
} pending;

/* Returns whether these bytes are aligned and of a size that can have a history. */
static bool is_location(uintptr_t home, size_t bytes)
{
    return (bytes == 4 || bytes == 8) && home % bytes == 0;
}

/* Finds or begins a history for a strong access: a history of the location itself, or of its word if the
 * location is smaller than a word. Returns NULL if neither can have one. */
static struct history *history_for_strong(uintptr_t address, uintptr_t home, size_t bytes)
{
    uintptr_t inside = home % 4;
    if (is_location(home, bytes))
        return cells_begin_history(address, home, (unsigned)bytes);
    if (bytes >= 4 || inside + bytes > 4)
        return NULL;
    struct history *word = history_of(home - inside, 4);
    return word ? word : cells_begin_history(address - inside, home - inside, 4);
}

/* Lets the running lane learn from a message of the history that it reads. */
static void observe(struct history *history, unsigned position, struct strength strength,
                    bool is_to_be_overwritten, uint32_t site)
{
    const struct message *message = &history->messages[position];
    if (strength.scope == SCOPE_THREAD)
        return;
    uint32_t reader = model_thread_number(running_thread());
    if (the_machine.memory.cures)
        race_note_strong_read(history->address, site);
    if (message->thread != NO_THREAD && message->thread != reader && message->scope != SCOPE_THREAD &&
        !(strength.order & ORDER_ARRIVAL))
        running_block()->weak->last = (struct observation){reader,
                                                           site,
                                                           message->thread,
                                                           message->site,
                                                           history->address,
                                                           message->release[AS_IT_IS] != NULL,
                                                           false};
    model_read(running_thread(), history, position, strength, is_to_be_overwritten);
    weak_cache_acquire(strength);
}

/* Lets the lane learn from the messages that wrote these bytes last before the message at this position,
 * and from this message if it did: a read of a part of the location learns nothing from writes to other
 * parts. */
static void observe_bytes(struct history *history, unsigned position, uintptr_t home, size_t bytes,
                          struct strength strength, bool is_to_be_overwritten, uint32_t site)
{
    uint8_t left = bytes_among(history->address, home, bytes);
    for (unsigned p = position + 1; left && p-- > 0;) {
        uint8_t wrote = message_bytes(history, &history->messages[p]);
        if (wrote & left)
            observe(history, p, strength, is_to_be_overwritten && p == position, site);
        left &= (uint8_t)~wrote;
    }
}

/* ---- values planted in memory for loads, and stored values read back ---- */

static void plant(uintptr_t address, unsigned bytes, const void *value)
{
    pending.kind = PLANTED;
    pending.address = address;
    pending.bytes = bytes;
    memcpy(pending.newest, (const void *)address, bytes);
    memcpy((void *)address, value, bytes);
}

static void append(struct history *history, unsigned position, uint64_t value, struct strength strength,
                   int read_from, uint32_t site)
{
    model_write(running_thread(), history, position, value, strength, read_from, site);
    if (history->count > MOST_MESSAGES)
        history_forget(history, history->count - MOST_MESSAGES);
}

static void harvest_store(struct history *history, uintptr_t address, uint8_t first, uint8_t end)
{
    bool is_whole = first == 0 && end == history->bytes && pending.bytes == history->bytes;
    struct strength strength = pending.strength;
    uint64_t value = value_at(address, history->bytes);
    /* a store to a part of the location makes a message that also contains the preceding message's other
     * bytes */
    if (!is_whole) {
        append(history, history->count, value, strength, -1, pending.site);
        history_newest(history)->first = first;
        history_newest(history)->bytes = (uint8_t)(end - first);
        if (pending.bytes != (unsigned)(end - first)) {
            history_newest(history)->of_first = (int8_t)(pending.home - history->address);
            history_newest(history)->of_bytes = (uint8_t)pending.bytes;
        }
        return;
    }
    append(history, weak_choose_for_store(history, strength.scope), value, strength, -1, pending.site);
    memcpy((void *)address, &history_newest(history)->value, history->bytes);
}

void weak_access_ends(void)
{
    if (pending.kind == PLANTED)
        memcpy((void *)pending.address, pending.newest, pending.bytes);
    else if (pending.kind == STORES)
        for (unsigned i = 0; i < pending.store_count; i++)
            harvest_store(pending.stores[i].history, pending.stores[i].address, pending.stores[i].first,
                          pending.stores[i].end);
    pending.kind = NONE;
}

/* Prepares the message of a store to a location with a history. The store writes these bytes of the
 * location. It writes `of_bytes` bytes from `of` on in all, some of which may belong to other locations. */
static void expect_store(struct history *history, uintptr_t address, uintptr_t home, size_t bytes,
                         uintptr_t of, size_t of_bytes, struct strength strength, uint32_t site)
{
    race_check_message(history, strength, RACE_WRITES, of, of_bytes, site);
    if (pending.kind != STORES)
        pending.store_count = 0;
    pending.kind = STORES;
    unsigned at = 0;
    while (at < pending.store_count && pending.stores[at].history != history)
        at++;
    if (at == MOST_STORES)
        return;
    if (at == pending.store_count) {
        pending.stores[pending.store_count++].history = history;
        pending.stores[at].address = address + (history->address - home);
        pending.stores[at].first = pending.stores[at].end = (uint8_t)(home - history->address);
    }
    pending.stores[at].end = (uint8_t)(home + bytes - history->address);
    pending.home = of;
    pending.bytes = (unsigned)of_bytes;
    pending.strength = strength;
    pending.site = site;
}

/* ---- loads ---- */

/* A load can cover several words of one write that the lane does not know. This is the choice that is made
 * for all of these words: they all get the new values, or all get the old ones. */
struct decision {
    uint32_t writer, time;
    bool previous;
};

static bool is_unknown(const struct cell *cell)
{
    return cell->writer != NOBODY && !model_knows(running_thread(), AS_IT_IS, cell->writer - 1, cell->time);
}

/* Returns whether nothing orders the cell's write before the running lane's access, so that the two race. */
static bool is_unordered(const struct cell *cell)
{
    return cell->writer != NOBODY && !model_orders(running_thread(), cell->writer - 1, cell->time);
}

/* Returns whether a weak load of a cell without a history gets the cell's previous value. */
static bool decide(const struct cell *cell, uintptr_t home, struct decision *decision)
{
    if (decision->writer != cell->writer || decision->time != cell->time)
        *decision = (struct decision){cell->writer, cell->time, weak_chooses_previous(home)};
    return decision->previous;
}

static void load_bytes(const struct parts *parts, unsigned first, unsigned end, uintptr_t home,
                       unsigned char *image, uint32_t site)
{
    struct decision decision = {0};
    for (unsigned b = first; b < end; b++) {
        const struct cell *cell = &parts->bytes[b];
        if (is_unordered(cell))
            race_check_cell(cell, RACE_READS, home + b, 1, site);
        if (!is_unknown(cell))
            continue;
        if (decision.writer != cell->writer || decision.time != cell->time)
            decision = (struct decision){cell->writer, cell->time, weak_chooses_previous_byte()};
        if (decision.previous)
            image[b - first] = (unsigned char)cell->previous;
    }
}

/* Does a weak load, word by word. On entry, `image` has the bytes in memory; on return, it has the bytes that
 * the load gets. Returns whether the two may differ. */
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
        bool is_plain = cell && cell->writer != HAS_HISTORY && cell->writer != IN_PARTS;
        race_note_read_of_word(at - first, first, end, site);
        if (is_plain && is_unordered(cell))
            race_check_cell(cell, RACE_READS, at, bytes, site);
        if (cell && cell->writer == HAS_HISTORY) {
            race_check_message(cell_history(cell), WEAK, RACE_READS, at, end - first, site);
        } else if (cell && cell->writer == IN_PARTS) {
            load_bytes(cell_parts(cell), first, end, at - first, out, site);
            changed = true;
        } else if (is_plain && is_unknown(cell)) {
            if (decide(cell, at - first, &decision)) {
                memcpy(out, (const unsigned char *)&cell->previous + first, end - first);
                changed = true;
            }
        } else {
            weak_cache_load(at - first);
        }
        at += end - first;
    }
    return changed;
}

static void load_history(struct history *history, uintptr_t address, uintptr_t home, size_t bytes,
                         struct strength strength, uint32_t site)
{
    unsigned position = weak_choose_for_load(history, strength);
    race_check_message(history, strength, RACE_READS, home, bytes, site);
    if (strength.scope == SCOPE_THREAD)
        race_note_read(history->address, home, bytes, site);
    observe_bytes(history, position, home, bytes, strength, false, site);
    if (position + 1 < history->count)
        plant(address + (history->address - home), history->bytes, &history->messages[position].value);
}

/* Checks a strong access of words that have no history of their own. */
static void check_cells(const struct cell *cell, uintptr_t word, uintptr_t home, size_t bytes,
                        enum race_kind kind, uint32_t site)
{
    if (cell->writer != IN_PARTS) {
        if (is_unordered(cell))
            race_check_cell(cell, kind, word, bytes, site);
        return;
    }
    for (unsigned b = 0; b < 4; b++)
        if (word + b - home < bytes && is_unordered(&cell_parts(cell)->bytes[b]))
            race_check_cell(&cell_parts(cell)->bytes[b], kind, word + b, 1, site);
}

/* Does a strong load, or the load of an atomic, whose size differs from the sizes of the locations with a
 * history that it covers. The load gets the newest values, and the thread learns from their messages. */
static void load_mixed(uintptr_t home, size_t bytes, struct strength strength, enum race_kind kind,
                       uint32_t site)
{
    /* all words are checked first, because what the thread learns from one must not hide a race at another */
    for (int learns = 0; learns < 2; learns++) {
        const struct history *last = NULL;
        for (uintptr_t at = home & ~UINT64_C(3); at < home + bytes; at += 4) {
            const struct cell *cell = cell_of(at, false);
            struct history *history = cell && cell->writer == HAS_HISTORY ? cell_history(cell) : NULL;
            if (!learns && cell && !history)
                check_cells(cell, at, home, bytes, kind, site);
            else if (!learns && history && history != last)
                race_check_message(history, strength, kind, home, bytes, site);
            else if (history && history != last)
                observe_bytes(history, history->count - 1, home, bytes, strength, false, site);
            last = history;
        }
    }
}

/* Returns the site of an instruction of the running lane, or of a copy that it has issued before. */
static uint32_t acting_site(const void *instruction)
{
    return weak_actor.block ? site_of(instruction, weak_actor.calls) : site_here(instruction);
}

/* Returns whether one of these words is written in parts. Its parts have only weak stores, from which a load
 * learns nothing. */
static bool has_parts(uintptr_t home, size_t bytes)
{
    for (uintptr_t word = home & ~UINT64_C(3); word < home + bytes; word += 4) {
        const struct cell *cell = cell_of(word, false);
        if (cell && cell->writer == IN_PARTS)
            return true;
    }
    return false;
}

void weak_load(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    history_forget_due();
    uintptr_t home = home_of(running_block(), address);
    uint32_t site = acting_site(instruction);
    const struct cell *cell = cell_of(home, false);
    struct history *history = history_of(home, bytes);
    if (!history && strength.scope != SCOPE_THREAD && cell && cell->writer != NOBODY &&
        !has_parts(home, bytes))
        history = history_for_strong(address, home, bytes);
    if (history)
        return load_history(history, address, home, bytes, strength, site);
    if (strength.scope != SCOPE_THREAD)
        return load_mixed(home, bytes, strength, RACE_READS, site);
    unsigned char image[16];
    if (bytes > sizeof image)
        return;
    memcpy(image, (const void *)address, bytes);
    if (load_words(home, bytes, image, site))
        plant(address, (unsigned)bytes, image);
}

/* ---- stores ---- */

/* Records a write in the cell before the write is done; `value` is the value that it overwrites. */
static void stamp(struct cell *cell, uintptr_t home, size_t bytes, uint32_t value, uint32_t site)
{
    struct model_thread *thread = running_thread();
    uint32_t writer = model_thread_number(thread) + 1, time = model_write_time(thread);
    if (cell->writer != writer && is_unordered(cell))
        race_check_cell(cell, RACE_WRITES, home, bytes, site);
    race_check_reader_at(home, home, bytes, WEAK, RACE_WRITES_READ, site);
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
        cell->writer == IN_PARTS ? cell_parts(cell) : cell_begin_parts(cell, trace_of(word));
    for (unsigned b = first; b < end; b++)
        stamp(&parts->bytes[b], word + b, 1, *(const unsigned char *)(address + b - first), site);
}

/* Stores bytes first..end - 1 of a word, which are some of the `of_bytes` bytes that the store writes from
 * `of` on. */
static void store_word(uintptr_t address, uintptr_t word, unsigned first, unsigned end, uintptr_t of,
                       size_t of_bytes, struct strength strength, uint32_t site)
{
    struct cell *cell = cell_of(word, true);
    if (strength.scope != SCOPE_THREAD && cell->writer != HAS_HISTORY)
        cells_begin_history(address - first, word, 4);
    if (cell->writer == HAS_HISTORY) {
        struct history *history = cell_history(cell);
        race_check_reader(word + first, end - first, strength, RACE_WRITES_READ, site);
        expect_store(history, address, word + first, end - first, of, of_bytes, strength, site);
    } else if (cell->writer == IN_PARTS || end - first < 4) {
        store_parts(address, word, first, end, site);
    } else {
        stamp(cell, word, of_bytes, (uint32_t)value_at(address, 4), site);
    }
    weak_cache_store(word);
}

static void store_words(uintptr_t address, uintptr_t home, size_t bytes, struct strength strength,
                        uint32_t site)
{
    for (uintptr_t at = home; at < home + bytes;) {
        unsigned first = (unsigned)(at % 4), end = 4;
        if (at - first + 4 > home + bytes)
            end = (unsigned)(home + bytes - (at - first));
        store_word(address + (at - home), at - first, first, end, home, bytes, strength, site);
        at += end - first;
    }
}

void weak_store(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    history_forget_due();
    uintptr_t home = home_of(running_block(), address);
    uint32_t site = acting_site(instruction);
    struct history *history = history_of(home, bytes);
    if (history || strength.scope != SCOPE_THREAD)
        race_check_reader(home, bytes, strength, RACE_WRITES_READ, site);
    if (!history && strength.scope != SCOPE_THREAD)
        history = history_for_strong(address, home, bytes);
    if (history) {
        expect_store(history, address, home, bytes, home, bytes, strength, site);
        weak_cache_store(home);
        return;
    }
    store_words(address, home, bytes, strength, site);
}

/* ---- vectors ---- */

bool weak_is_whole(uintptr_t address, size_t bytes)
{
    if ((bytes != 8 && bytes != 16) || address % bytes)
        return false;
    uintptr_t home = home_of(running_block(), address);
    for (uintptr_t word = home; word < home + bytes; word += 4) {
        const struct cell *cell = cell_of(word, false);
        if (cell && (cell->writer == IN_PARTS ||
                     (cell->writer == HAS_HISTORY && !history_of(word & ~UINT64_C(7), 8))))
            return false;
    }
    return true;
}

void weak_is_of_items(uintptr_t address, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 8) {
        struct history *history = history_of(home_of(running_block(), address + at), 8);
        if (history)
            history->is_of_items = true;
    }
}

/* ---- atomics ---- */

/* Begins an atomic of a location that is also accessed in other sizes: the atomic gets the newest value. */
static void begin_mixed_atomic(uintptr_t home, size_t bytes)
{
    struct strength acquires = {pending.strength.scope, pending.strength.order & ORDER_ACQUIRE};
    pending.bytes = (unsigned)bytes;
    memcpy(pending.newest, (const void *)pending.address, bytes);
    load_mixed(home, bytes, acquires, RACE_ATOMIC, pending.site);
}

/* Ends an atomic that begin_mixed_atomic() began: notes its new value, which is in memory, as a store. */
static void end_mixed_atomic(void)
{
    uintptr_t address = pending.address, home = home_of(running_block(), address);
    unsigned char written[8];
    size_t bytes = pending.bytes;
    memcpy(written, (const void *)address, bytes);
    memcpy((void *)address, pending.newest, bytes);
    races_are_muted = true; /* begin_mixed_atomic() has checked the access */
    store_words(address, home, bytes,
                (struct strength){pending.strength.scope, pending.strength.order & ORDER_RELEASE},
                pending.site);
    races_are_muted = false;
    memcpy((void *)address, written, bytes);
    weak_access_ends();
}

void weak_atomic_begins(uintptr_t address, size_t bytes, struct strength strength, const void *instruction)
{
    history_forget_due();
    uintptr_t home = home_of(running_block(), address);
    struct history *history = history_of(home, bytes);
    pending.site = acting_site(instruction);
    race_check_reader(home, bytes, strength, RACE_ATOMIC_READ, pending.site);
    if (!history)
        history = cells_begin_history(address, home, (unsigned)bytes);
    pending.kind = ATOMIC;
    pending.stores[0].history = history;
    pending.address = address;
    pending.strength = strength;
    if (!history) {
        begin_mixed_atomic(home, bytes);
        return;
    }
    pending.position = weak_choose_for_atomic(history, strength.scope);
    race_check_message(history, strength, RACE_ATOMIC, home, bytes, pending.site);
    memcpy(pending.newest, (const void *)address, bytes);
    /* the host may have written to memory that it shares with the kernel */
    if (pending.position + 1 == history->count)
        history_newest(history)->value = value_at(address, (unsigned)bytes);
    memcpy((void *)address, &history->messages[pending.position].value, bytes);
}

void weak_atomic_ends(bool wrote)
{
    struct history *history = pending.stores[0].history;
    enum machine_scope scope = pending.strength.scope;
    enum machine_order order = pending.strength.order;
    if (history)
        observe_bytes(history, pending.position, history->address, history->bytes,
                      (struct strength){scope, order & (ORDER_ACQUIRE | ORDER_ARRIVAL)}, wrote, pending.site);
    if (history && wrote) {
        uint64_t value = value_at(pending.address, history->bytes);
        if (the_machine.memory.cures)
            race_note_change(history->address, history->messages[pending.position].value, value,
                             pending.site);
        append(history, history->count, value, (struct strength){scope, order & ORDER_RELEASE},
               (int)pending.position, pending.site);
        weak_cache_store(history->address);
    } else if (history) {
        memcpy((void *)pending.address, pending.newest, history->bytes);
    } else if (wrote) {
        end_mixed_atomic();
    }
    pending.kind = NONE;
}

/* ---- fences ---- */

void weak_wait_passed(uintptr_t mbarrier, unsigned parity, const void *instruction)
{
    struct observation *passed = &running_block()->weak->passed;
    const struct history *history = history_of(home_of(running_block(), mbarrier), 8);
    passed->reader = NO_THREAD;
    for (unsigned p = history ? history->count : 0; p-- > 1;) {
        const struct message *m = &history->messages[p];
        if (m->value >> 63 == parity || m[-1].value >> 63 != parity)
            continue;
        if (m->thread != NO_THREAD && model_writer(m->thread).kind == OF_A_THREAD)
            *passed = (struct observation){model_thread_number(running_thread()),
                                           site_here(instruction),
                                           m->thread,
                                           m->site,
                                           history->address,
                                           m->read_from != NO_MESSAGE, /* mbarrier.init releases nothing */
                                           false};
        return;
    }
}

void weak_fence(struct strength strength)
{
    /* A lane's access ends when the lane stops at its next request. A fence of block scope may make no
     * request, so the access is ended here. */
    weak_access_ends();
    model_fence(running_block()->weak->model, number_of_warp(running.warp), LANE(running.lane), strength);
    weak_cache_acquire(strength);
}
