/*
 * The machine's data about memory, by address, while kernels run on weak memory.
 *
 * Each written word has a cell of 12 bytes: its newest write and its previous value. A word that strong
 * accesses use gets a history; a word that is written in parts gets a cell for each byte. All of it is kept
 * until every later task is sure to know it (machine/weak/weak_launches.h). In this file "launch" means all
 * launches and other tasks up to that time.
 *
 * The key by which a cell is found is called its home. It is the word's address, except in shared memory:
 * several blocks have equal addresses there, so each block has homes of its own.
 */
#ifndef MACHINE_CELLS_H
#define MACHINE_CELLS_H

#include "machine/weak/history.h"
#include "machine/memory/shared_memory.h"
#include "machine/state.h"

#include <string.h>

/* The writer of a cell is a thread's number plus one, or NOBODY, HAS_HISTORY or IN_PARTS. */
enum { NOBODY = 0 }; /* no thread has written the word since the launch began */
#define HAS_HISTORY UINT32_MAX
#define IN_PARTS (UINT32_MAX - 1)

struct cell {
    uint32_t writer;
    union {
        struct {
            /* time stamp of the newest write, and the word's value before the writer's first write with
             * this stamp */
            uint32_t time, previous;
        };
        /* for a cell with a history or with parts: the number of this history, or of these parts */
        uint32_t number;
    };
};
_Static_assert(sizeof(struct cell) == 12, "three times the data, and no more");

/* The trace of a word or byte, which only reports of races need: the instruction that wrote it, and the
 * thread that last read some of it by a weak load. */
struct trace {
    uint32_t site;
    /* `reader` is a thread's number plus one, as a cell's writer is, or NOBODY */
    uint32_t reader, read_time, read_site;
    uint8_t read_bytes; /* bit b is set if byte b, counted from the trace's address, was read */
};

/* The four byte cells of a word that is written in parts. */
struct parts {
    struct cell bytes[4];
    struct trace traces[4];
};

/* cells_launch_begins() begins a launch, which ignores all earlier cells. cells_launch_ends() ends it, and
 * frees the histories and the cells of bytes; the pages of cells are used again. */
void cells_launch_begins(void);
void cells_launch_ends(void);

/* Called between a launch and a dependent launch (programmatic dependent launch), while the memory model
 * still describes the first launch. Marks the writes and reads of the first launch as made by "the kernel
 * before". */
void cells_hand_over(void);

/* Called before a block begins: clears the cells of the block's shared memory, which an earlier block
 * may have used. */
void cells_clear_shared(const struct block *block);
/* Called when a block ends: frees the messages of the words of its shared memory. */
void cells_forget_shared(const struct block *block);

/* ---- homes ---- */

#define SHARED_HOME (UINT64_C(1) << 62)

static inline bool is_shared(uintptr_t home)
{
    return home & SHARED_HOME;
}

/* For a home in shared memory, home_offset() returns its offset in the block's __shared__ variables or in
 * its dynamic shared memory; home_is_dynamic() returns whether it is in the latter. */
uintptr_t home_offset(uintptr_t home);
bool home_is_dynamic(uintptr_t home);

uintptr_t shared_home_of(struct block *seeing, uintptr_t address);

/* Returns the home of the address, which identifies its cell: the address itself or, in shared memory, a key
 * of the block. */
static inline uintptr_t home_of(struct block *block, uintptr_t address)
{
    return shared_memory_has(address) ? shared_home_of(block, address) : address;
}

/* Returns up to 8 bytes of memory as a number. */
static inline uint64_t value_at(uintptr_t address, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, bytes);
    return value;
}

/* ---- cells; inline, because every access looks up a cell ---- */

#define PAGE_BYTES 4096u
struct page {
    uintptr_t number;
    /* number of the launch that wrote in the page; other launches ignore the page's cells */
    uint64_t launch;
    struct trace *traces; /* a trace for each cell of the page, or NULL if races are not collected */
    struct cell cells[PAGE_BYTES / 4];
};
extern struct page *last_page; /* the page that page_find() returned last in this launch, or NULL */

struct page *page_find(uintptr_t number, bool make);

/* Returns the page that has the cell of a word. `home` is the word's address, or in shared memory a key that
 * each block has of its own (home_of()). If this launch has not written in the page, makes it, or returns
 * NULL if `make` is false. */
static inline struct page *page_of(uintptr_t home, bool make)
{
    uintptr_t number = home / PAGE_BYTES;
    return last_page && last_page->number == number ? last_page : page_find(number, make);
}

/* Returns the cell of a word. `home` is the word's address, or in shared memory a key that each block has of
 * its own (home_of()). If this launch has not written in the word's page, makes the page, or returns NULL if
 * `make` is false. */
static inline struct cell *cell_of(uintptr_t home, bool make)
{
    struct page *page = page_of(home, make);
    return page ? &page->cells[home % PAGE_BYTES / 4] : NULL;
}

struct trace *trace_find(uintptr_t home);

/* Returns the trace of a word, or of a byte if its word is written in parts. `home` is its address, or in
 * shared memory a key that each block has of its own (home_of()). Returns NULL if races are not collected. */
static inline struct trace *trace_of(uintptr_t home)
{
    return the_machine.memory.races ? trace_find(home) : NULL;
}

/* Returns the byte cells of a word whose cell is IN_PARTS. */
struct parts *cell_parts(const struct cell *cell);

/* Changes the word's cell to one that is written in parts. Each byte's cell begins with the word's write
 * and with `trace`, which may be NULL. */
struct parts *cell_begin_parts(struct cell *cell, const struct trace *trace);

/* ---- histories ---- */

/* Returns the history of a cell that HAS_HISTORY. */
struct history *cell_history(const struct cell *cell);

/* Returns the history of the location with exactly these bytes, or NULL if there is none. */
static inline struct history *history_of(uintptr_t home, size_t bytes)
{
    const struct cell *cell = cell_of(home, false);
    if (!cell || cell->writer != HAS_HISTORY)
        return NULL;
    struct history *history = cell_history(cell);
    return history->address == home && history->bytes == bytes ? history : NULL;
}

/* Begins a history for a location of 4 or 8 bytes that has no history yet. Returns NULL if the location
 * cannot have a history, because it is written in parts or in another size. */
struct history *cells_begin_history(uintptr_t address, uintptr_t home, unsigned bytes);

#endif
