/*
 * The machine's data about memory, by address, while a kernel runs on weak memory.
 *
 * Each word that the kernel writes has a cell of 12 bytes: its newest write and the value before it. A word
 * that strong accesses use gets a history; a word that is written in parts gets a cell for each byte. All of
 * it is forgotten when the launch ends.
 *
 * Cells are found by home. A home is the address itself, except in shared memory, where several blocks have
 * the same addresses: there it is a place of the block's own.
 */
#ifndef MACHINE_CELLS_H
#define MACHINE_CELLS_H

#include "machine/weak/history.h"
#include "machine/memory/shared_memory.h"
#include "machine/state.h"

#include <string.h>

/* The writer of a cell is a thread's number plus one, or one of these. */
enum { NOBODY = 0 }; /* nobody has written since the launch began */
#define HAS_HISTORY UINT32_MAX
#define IN_PARTS (UINT32_MAX - 1)

struct cell {
    uint32_t writer;
    union {
        struct {
            /* the writer's time, and the value before its first write in that time */
            uint32_t time, previous;
        };
        uint32_t number; /* the number of its history, or of its parts */
    };
};
_Static_assert(sizeof(struct cell) == 12, "three times the data, and no more");

/* Where a word or byte was written, and which thread last read it by a weak load. Only reports of races need
 * it. */
struct trace {
    uint32_t site;
    uint32_t reader, read_time, read_site; /* `reader` is numbered like a cell's writer */
};

/* The cells of a word that is written in parts. */
struct parts {
    struct cell bytes[4];
    struct trace traces[4];
};

/* Begin and end a launch. */
void cells_launch_begins(void);
void cells_launch_ends(void);

/* Called between the end of a launch and the beginning of a launch that depends on it (programmatic dependent
 * launch). What the first launch wrote and read is then marked as done by the kernel before. The memory model
 * is still that of the first launch. */
void cells_hand_over(void);

/* Called before a block begins: clears the cells of its shared memory, which another block may have had, so
 * that no thread has written it yet. */
void cells_clear_shared(const struct block *block);

/* ---- homes ---- */

#define SHARED_HOME (UINT64_C(1) << 62)

static inline bool is_shared(uintptr_t home)
{
    return home & SHARED_HOME;
}

/* Return, for a home in shared memory, its offset in the block's __shared__ variables or in its dynamic
 * shared memory, and whether it is in the latter. */
uintptr_t home_offset(uintptr_t home);
bool home_is_dynamic(uintptr_t home);

uintptr_t shared_home_of(struct block *seeing, uintptr_t address);

/* Returns the home of an address as a thread of the block sees it. */
static inline uintptr_t home_of(struct block *block, uintptr_t address)
{
    return shared_memory_has(address) ? shared_home_of(block, address) : address;
}

/* Returns the content of memory at an address, in up to 8 bytes. */
static inline uint64_t value_at(uintptr_t address, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, bytes);
    return value;
}

/* ---- cells; here because every access looks for one ---- */

#define PAGE_BYTES 4096u
struct page {
    uintptr_t number;
    uint64_t launch;      /* the launch that wrote it; its cells mean nothing to another launch */
    struct trace *traces; /* the trace of each cell, or NULL if races are not collected */
    struct cell cells[PAGE_BYTES / 4];
};
extern struct page *last_page; /* the page that was last found in this launch, or NULL */

struct page *page_find(uintptr_t number, bool make);

/* Returns the page of a home, or NULL if this launch has not written there and `make` is false. */
static inline struct page *page_of(uintptr_t home, bool make)
{
    uintptr_t number = home / PAGE_BYTES;
    return last_page && last_page->number == number ? last_page : page_find(number, make);
}

/* Returns the cell of the home's word, or NULL if this launch has not written there and `make` is false. */
static inline struct cell *cell_of(uintptr_t home, bool make)
{
    struct page *page = page_of(home, make);
    return page ? &page->cells[home % PAGE_BYTES / 4] : NULL;
}

struct trace *trace_find(uintptr_t home);

/* Returns the trace of the home's word, or of its byte if the word is written in parts; NULL unless races are
 * collected. */
static inline struct trace *trace_of(uintptr_t home)
{
    return the_machine.memory.races ? trace_find(home) : NULL;
}

/* Returns the parts of a cell that is IN_PARTS. */
struct parts *cell_parts(const struct cell *cell);

/* Makes the word one that is written in parts: each part begins with the cell's write and with `trace`, which
 * may be NULL. */
struct parts *cell_begin_parts(struct cell *cell, const struct trace *trace);

/* ---- histories ---- */

/* Returns the history of a cell that HAS_HISTORY. */
struct history *cell_history(const struct cell *cell);

/* Returns the history of exactly this location, or NULL. */
static inline struct history *history_of(uintptr_t home, size_t bytes)
{
    const struct cell *cell = cell_of(home, false);
    if (!cell || cell->writer != HAS_HISTORY)
        return NULL;
    struct history *history = cell_history(cell);
    return history->address == home && history->bytes == bytes ? history : NULL;
}

/* Begins a history for a location of 4 or 8 bytes that has none. Returns NULL if it cannot have one (because
 * it is written in parts or in another size). */
struct history *cells_begin_history(uintptr_t address, uintptr_t home, unsigned bytes);

#endif
