/*
 * The machine's data about memory, by address, while a kernel runs on weak memory.
 *
 * Each word that the kernel writes has a cell of 12 bytes: its newest write and the value before it. A word
 * that strong accesses use gets a history; a word that is written in parts gets a cell for each byte. All of
 * it is forgotten when the launch ends.
 *
 * Cells are found by home. A home is the address itself, except in shared memory, which has one address for
 * several blocks: there it is a place of the block's own.
 */
#ifndef MACHINE_CELLS_H
#define MACHINE_CELLS_H

#include "machine/weak/history.h"
#include "machine/memory/shared_memory.h"
#include "machine/state.h"

#include <string.h>

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

/* Only for reports of races: where a word or byte was written, and which thread last read it
 * by a weak load. */
struct trace {
    uint32_t site;
    uint32_t reader, read_time, read_site; /* the reader as a cell's writer */
};

/* A word that is written in parts. */
struct parts {
    struct cell bytes[4];
    struct trace traces[4];
};

/* Called before and after a launch. */
void cells_launch_begins(void);
void cells_launch_ends(void);

/* Between the end of a launch and the begin of one that depends on it (programmatic dependent launch): what the first
 * wrote and read is the kernel's before. The memory model is still that of the first. */
void cells_hand_over(void);

/* Called before a block begins: clears shared memory that another block had, and that no
 * thread has written yet. */
void cells_clear_shared(const struct block *block);

/* ---- homes ---- */

#define SHARED_HOME (UINT64_C(1) << 62)

static inline bool is_shared(uintptr_t home)
{
    return home & SHARED_HOME;
}

/* In shared memory: its offset in the block's __shared__ variables, or in its dynamic shared memory. */
uintptr_t home_offset(uintptr_t home);
bool home_is_dynamic(uintptr_t home);

uintptr_t shared_home_of(struct block *seeing, uintptr_t address);

/* Of an address as a thread of the block sees it. */
static inline uintptr_t home_of(struct block *block, uintptr_t address)
{
    return shared_memory_has(address) ? shared_home_of(block, address) : address;
}

/* The content of memory at an address, in up to 8 bytes. */
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
    uint64_t launch;      /* which wrote it: its cells mean nothing to another */
    struct trace *traces; /* of each cell; NULL: nobody asks for races */
    struct cell cells[PAGE_BYTES / 4];
};
extern struct page *last_page; /* that was asked for in this launch; NULL: none */

struct page *page_find(uintptr_t number, bool make);

/* The page of a home, or NULL if this launch has not written there and `make` is false. */
static inline struct page *page_of(uintptr_t home, bool make)
{
    uintptr_t number = home / PAGE_BYTES;
    return last_page && last_page->number == number ? last_page : page_find(number, make);
}

/* The cell of the home's word, or NULL likewise. */
static inline struct cell *cell_of(uintptr_t home, bool make)
{
    struct page *page = page_of(home, make);
    return page ? &page->cells[home % PAGE_BYTES / 4] : NULL;
}

struct trace *trace_find(uintptr_t home);

/* The trace of the home's word, or of its byte if the word is written in parts; NULL
 * unless races are collected. */
static inline struct trace *trace_of(uintptr_t home)
{
    return the_machine.memory.races ? trace_find(home) : NULL;
}

/* The parts of a cell that is IN_PARTS. */
struct parts *cell_parts(const struct cell *cell);

/* From now on the word is written in parts: each part begins with the cell's write and this trace, if it is
 * not NULL. */
struct parts *cell_begin_parts(struct cell *cell, const struct trace *trace);

/* ---- histories ---- */

/* The history of a cell that HAS_HISTORY. */
struct history *cell_history(const struct cell *cell);

/* The history of exactly this location, or NULL. */
static inline struct history *history_of(uintptr_t home, size_t bytes)
{
    const struct cell *cell = cell_of(home, false);
    if (!cell || cell->writer != HAS_HISTORY)
        return NULL;
    struct history *history = cell_history(cell);
    return history->address == home && history->bytes == bytes ? history : NULL;
}

/* Begins a history for a location of 4 or 8 bytes that has none; NULL if it cannot have one (because it is
 * written in parts or in another size). */
struct history *cells_begin_history(uintptr_t address, uintptr_t home, unsigned bytes);

#endif
