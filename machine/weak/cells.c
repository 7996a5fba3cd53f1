#include "machine/weak/cells.h"
#include "base/map.h"
#include "base/memory.h"
#include "machine/ptx.h"
#include "machine/weak/memory_model.h"

#include <stdlib.h>

struct page *last_page;

/* The pages of cells by the number of their homes (cells.h). */
struct numbered_page {
    uintptr_t number;
    struct page *page;
};
static struct map pages = MAP(struct numbered_page, number);

static struct {
    uint64_t launch;
    /* all histories of this launch; they are kept until the launch ends, because views may point to them */
    struct history **histories;
    size_t history_count;
    struct parts **parts;
    size_t parts_count;
} all;

/* ---- pages ---- */

static void clear_page(struct page *page)
{
    memset(page->cells, 0, sizeof page->cells);
    if (page->traces)
        memset(page->traces, 0, PAGE_BYTES / 4 * sizeof *page->traces);
}

struct page *page_find(uintptr_t number, bool make)
{
    struct numbered_page *numbered = make ? map_get(&pages, &number) : map_find(&pages, &number);
    struct page *page = numbered ? numbered->page : NULL;
    if (!page || page->launch != all.launch) {
        if (!make)
            return NULL;
        if (page)
            clear_page(page);
        else
            page = numbered->page = allocate(sizeof *page);
        page->number = number;
        page->launch = all.launch;
        if (the_machine.memory.races && !page->traces)
            page->traces = allocate(PAGE_BYTES / 4 * sizeof *page->traces);
    }
    return last_page = page;
}

struct trace *trace_find(uintptr_t home)
{
    struct page *page = page_of(home, true);
    const struct cell *cell = &page->cells[home % PAGE_BYTES / 4];
    return cell->writer == IN_PARTS ? &all.parts[cell->number]->traces[home % 4]
                                    : &page->traces[home % PAGE_BYTES / 4];
}

/* ---- homes ---- */

/* A bit that marks homes (cells.h) in dynamic shared memory. They are separate from the homes of
 * __shared__ variables, so that both keep their alignment. */
#define DYNAMIC (UINT64_C(1) << 23)

uintptr_t home_offset(uintptr_t home)
{
    return home & (DYNAMIC - 1);
}

bool home_is_dynamic(uintptr_t home)
{
    return is_shared(home) && home & DYNAMIC;
}

static uintptr_t first_shared_home(const struct block *block)
{
    uint64_t place = (uint64_t)block->sm->index << 12 | block->place;
    /* blocks of overlapping kernels may have equal places */
    uint64_t kernel = (uint64_t)(block->kernel - the_machine.run.kernels);
    return SHARED_HOME | kernel << 56 | place << 24;
}

uintptr_t shared_home_of(struct block *seeing, uintptr_t address)
{
    const struct block *block = shared_memory_owner(seeing, address);
    if (!block) /* the block that had this shared memory has ended */
        return address;
    size_t offset = shared_memory_offset(block, address),
           statics = ptx_static_shared_bytes(block->kernel->launch.program);
    return first_shared_home(block) | (offset < statics ? offset : DYNAMIC | (offset - statics));
}

static void clear(uintptr_t first, size_t bytes)
{
    for (uintptr_t at = first; at < first + bytes; at += PAGE_BYTES) {
        struct page *page = page_of(at, false);
        if (page)
            clear_page(page);
    }
}

void cells_clear_shared(const struct block *block)
{
    clear(first_shared_home(block), ptx_static_shared_bytes(block->kernel->launch.program));
    clear(first_shared_home(block) | DYNAMIC, block->kernel->launch.shared_bytes);
}

static void forget_histories(uintptr_t first, size_t bytes)
{
    for (uintptr_t at = first; at < first + bytes; at += PAGE_BYTES) {
        const struct page *page = page_of(at, false);
        for (unsigned c = 0; page && c < PAGE_BYTES / 4; c++)
            if (page->cells[c].writer == HAS_HISTORY)
                history_empty(all.histories[page->cells[c].number]);
    }
}

void cells_forget_shared(const struct block *block)
{
    size_t statics = ptx_static_shared_bytes(block->kernel->launch.program);
    forget_histories(first_shared_home(block), statics);
    forget_histories(first_shared_home(block) | DYNAMIC, block->kernel->launch.shared_bytes - statics);
}

/* ---- parts ---- */

struct parts *cell_parts(const struct cell *cell)
{
    return all.parts[cell->number];
}

/* Returns the trace of a single byte, taken from the trace of its word. */
static struct trace trace_of_byte(const struct trace *word, unsigned byte)
{
    struct trace trace = {.site = word->site};
    if (word->read_bytes >> byte & 1)
        trace = (struct trace){word->site, word->reader, word->read_time, word->read_site, 1};
    return trace;
}

struct parts *cell_begin_parts(struct cell *cell, const struct trace *trace)
{
    struct parts *parts = allocate(sizeof *parts);
    all.parts = with_room(all.parts, sizeof *all.parts, all.parts_count, 1);
    all.parts[all.parts_count] = parts;
    for (unsigned b = 0; b < 4; b++) {
        parts->bytes[b] = *cell;
        parts->bytes[b].previous = cell->previous >> 8 * b & 255;
        parts->traces[b] = trace ? trace_of_byte(trace, b) : (struct trace){0};
    }
    *cell = (struct cell){.writer = IN_PARTS, .number = (uint32_t)all.parts_count++};
    return parts;
}

/* ---- histories ---- */

struct history *cell_history(const struct cell *cell)
{
    return all.histories[cell->number];
}

static uint32_t keep_history(struct history *history)
{
    all.histories = with_room(all.histories, sizeof *all.histories, all.history_count, 1);
    all.histories[all.history_count] = history;
    return (uint32_t)all.history_count++;
}

/* Turns the newest write of a cell into a message of the history. The cell stands for `bytes` bytes from
 * `home` on. The message keeps the cell's writer and time stamp. */
static void take_over(struct history *history, const struct cell *cell, uintptr_t home, unsigned bytes,
                      uint64_t value)
{
    const struct trace *trace = trace_of(home);
    if (cell->writer == NOBODY)
        return;
    struct message *message = history_insert(history, history->count);
    message->value = value;
    message->read_from = NO_MESSAGE;
    message->thread = cell->writer - 1;
    message->time = cell->time;
    message->site = trace ? trace->site : 0;
    message->scope = SCOPE_THREAD;
    if (bytes < history->bytes) {
        message->first = (uint8_t)(home - history->address);
        message->bytes = (uint8_t)bytes;
    }
}

static bool is_plain(const struct cell *cell)
{
    return cell->writer != HAS_HISTORY && cell->writer != IN_PARTS;
}

/* Combines the traces of a word's bytes into the trace of the word. If several threads have read bytes of the
 * word, only one of them is kept. */
static void take_over_reads(const struct parts *parts, struct trace *trace)
{
    if (!trace)
        return;
    *trace = (struct trace){0};
    for (unsigned b = 0; b < 4; b++) {
        const struct trace *byte = &parts->traces[b];
        if (!byte->reader)
            continue;
        uint8_t before =
            byte->reader == trace->reader && byte->read_time == trace->read_time ? trace->read_bytes : 0;
        *trace = *byte;
        trace->read_bytes = (uint8_t)(before | 1 << b);
    }
}

/* Turns the newest writes of a word and of its bytes into messages. */
static void take_over_word(struct history *history, struct cell *cell, uintptr_t word, uint64_t value)
{
    if (is_plain(cell)) {
        take_over(history, cell, word, 4, value);
        return;
    }
    const struct parts *parts = cell_parts(cell);
    for (unsigned b = 0; b < 4; b++)
        take_over(history, &parts->bytes[b], word + b, 1, value);
    *cell = (struct cell){.writer = NOBODY};
    take_over_reads(parts, trace_of(word));
}

struct history *cells_begin_history(uintptr_t address, uintptr_t home, unsigned bytes)
{
    struct cell *low = cell_of(home, true), *high = bytes == 8 ? cell_of(home + 4, true) : low;
    if (low->writer == HAS_HISTORY || high->writer == HAS_HISTORY)
        return NULL;
    uint64_t newest = value_at(address, bytes), before = newest;
    bool is_one_write = is_plain(low) && low->writer == high->writer && low->time == high->time;
    if (low->writer != NOBODY && is_one_write)
        before = bytes == 8 ? (uint64_t)high->previous << 32 | low->previous : low->previous;
    struct history *history = history_begin(home, bytes, before);
    if (is_one_write) {
        take_over(history, low, home, bytes, newest);
    } else { /* their order is unknown, so even a thread that does not know them reads the newest values */
        take_over_word(history, low, home, newest);
        if (bytes == 8)
            take_over_word(history, high, home + 4, newest);
    }
    *low = *high = (struct cell){.writer = HAS_HISTORY, .number = keep_history(history)};
    return history;
}

/* ---- launches ---- */

void cells_launch_begins(void)
{
    all.launch++;
    last_page = NULL;
}

void cells_launch_ends(void)
{
    for (size_t i = 0; i < all.history_count; i++)
        history_end(all.histories[i]);
    free(all.histories);
    all.histories = NULL;
    all.history_count = 0;
    for (size_t i = 0; i < all.parts_count; i++)
        free(all.parts[i]);
    free(all.parts);
    all.parts = NULL;
    all.parts_count = 0;
}

/* ---- dependent launches ---- */

/* Attributes a write or read of this launch to the kernel before the next one. `writer` is a thread's number
 * plus one; if it is NOBODY, the function changes nothing. */
static void to_kernel_before(uint32_t *writer, uint32_t *time)
{
    if (*writer == NOBODY)
        return;
    *writer = model_before_number(model_before_of(*writer - 1, *time)) + 1;
    *time = 1;
}

static void hand_over_trace(struct trace *trace)
{
    to_kernel_before(&trace->reader, &trace->read_time);
}

static void hand_over_page(struct page *page)
{
    for (unsigned c = 0; c < PAGE_BYTES / 4; c++)
        if (is_plain(&page->cells[c]))
            to_kernel_before(&page->cells[c].writer, &page->cells[c].time);
    for (unsigned c = 0; page->traces && c < PAGE_BYTES / 4; c++)
        hand_over_trace(&page->traces[c]);
}

static void hand_over_history(struct history *history)
{
    for (unsigned m = 0; m < history->count; m++) {
        struct message *message = &history->messages[m];
        for (unsigned w = 0; w < MOST_VIEWS; w++) {
            release_drop(message->release[w]);
            message->release[w] = NULL;
        }
        uint32_t writer = message->thread == NO_THREAD ? NOBODY : message->thread + 1;
        to_kernel_before(&writer, &message->time);
        message->thread = writer == NOBODY ? NO_THREAD : writer - 1;
    }
}

void cells_hand_over(void)
{
    const struct numbered_page *numbered = pages.items;
    for (size_t i = 0; i < pages.count; i++) {
        struct page *page = numbered[i].page;
        if (page->launch != all.launch || is_shared(page->number * PAGE_BYTES))
            continue;
        hand_over_page(page);
        page->launch = all.launch + 1; /* marks the page as belonging to the launch that begins next */
    }
    for (size_t i = 0; i < all.history_count; i++)
        hand_over_history(all.histories[i]);
    for (size_t i = 0; i < all.parts_count; i++)
        for (unsigned b = 0; b < 4; b++) {
            to_kernel_before(&all.parts[i]->bytes[b].writer, &all.parts[i]->bytes[b].time);
            hand_over_trace(&all.parts[i]->traces[b]);
        }
}
