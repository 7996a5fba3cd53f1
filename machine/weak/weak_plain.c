/* Plain accesses of lanes to whole words (weak_memory.h). */
#include "machine/code/calls.h"
#include "machine/ptx.h"
#include "machine/weak/weak_memory.h"
#include "machine/weak/cells.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_policy.h"

void weak_plain_begin(struct weak_plain *plain, struct warp *warp, unsigned lane, size_t bytes,
                      const void *instruction)
{
    struct block *block = warp->block;
    uintptr_t shared = (uintptr_t)block->dynamic;
    size_t statics = ptx_static_shared_bytes(block->kernel->launch.program),
           all = block->kernel->launch.shared_bytes;
    history_forget_due();
    *plain = (struct weak_plain){.warp = warp,
                                 .model = block->weak->model,
                                 .first = thread_of(warp, 0),
                                 .words = bytes % 4 == 0 && bytes <= 16 ? (unsigned)bytes / 4 : 0,
                                 .site = site_of(instruction, warp->more[lane].calls),
                                 .has_cache = the_machine.memory.policy == MACHINE_L1,
                                 .shared = shared,
                                 .shared_bytes = all,
                                 .static_bytes = statics};
    plain->first_named = model_thread_number(model_thread(plain->model, plain->first)) + 1;
    if (statics)
        plain->to_home[0] = shared_home_of(block, shared) - shared;
    if (all > statics)
        plain->to_home[1] = shared_home_of(block, shared + statics) - (shared + statics);
}

/* Returns the home of the address, or 0 if it is in the shared memory of another block. */
static uintptr_t plain_home(const struct weak_plain *plain, uintptr_t address)
{
    size_t offset = address - plain->shared;
    if (offset < plain->shared_bytes)
        return address + plain->to_home[offset >= plain->static_bytes];
    return shared_memory_has(address) ? 0 : address;
}

/* Finds the page of the words that a lane accesses, and the index of the first word in it. *page is NULL if
 * the words have not been written and `make` is false. Returns false if the access cannot be made in this
 * way. */
static bool plain_page(const struct weak_plain *plain, uintptr_t home, bool make, struct page **page,
                       unsigned *at)
{
    *at = home % PAGE_BYTES / 4;
    if (!plain->words || !home || home % 4 || *at + plain->words > PAGE_BYTES / 4)
        return false;
    *page = page_of(home, make);
    return true;
}

/* Does the thread know the word's newest write, by `writer` at `time`? It does if nobody has written the
 * word, or if the thread is the writer. `named` is the thread's number as cells have it. */
static bool plain_knows(struct weak_plain *plain, const struct model_thread *thread, uint32_t named,
                        uint32_t writer, uint32_t time)
{
    return writer == NOBODY || writer == named ||
           (writer < IN_PARTS && model_surely_orders(&plain->known, thread, writer - 1, time));
}

bool weak_plain_load(struct weak_plain *plain, unsigned lane, uintptr_t address)
{
    uintptr_t home = plain_home(plain, address);
    struct model_thread *thread = model_thread(plain->model, plain->first + lane);
    uint32_t named = plain->first_named + lane;
    struct page *page;
    unsigned at;
    if (!plain_page(plain, home, the_machine.memory.races, &page, &at))
        return false;
    for (unsigned w = at; page && w < at + plain->words; w++)
        if (!plain_knows(plain, thread, named, page->cells[w].writer, page->cells[w].time) ||
            (page->traces && page->traces[w].reader != NOBODY &&
             model_is_of_other_party(thread, page->traces[w].reader - 1) &&
             !plain_knows(plain, thread, named, page->traces[w].reader, page->traces[w].read_time)))
            return false; /* the trace may have to keep this reader */
    if (page && page->traces) {
        struct trace trace = {.reader = named,
                              .read_time = model_write_time(thread),
                              .read_site = plain->site,
                              .read_bytes = 15};
        for (unsigned w = at; w < at + plain->words; w++) {
            trace.site = page->traces[w].site;
            page->traces[w] = trace;
        }
    }
    for (unsigned w = 0; plain->has_cache && w < plain->words; w++)
        weak_cache_load(home + 4 * w);
    return true;
}

bool weak_plain_store(struct weak_plain *plain, unsigned lane, uintptr_t address)
{
    uintptr_t home = plain_home(plain, address);
    struct model_thread *thread = model_thread(plain->model, plain->first + lane);
    uint32_t named = plain->first_named + lane, time;
    struct page *page;
    unsigned at;
    if (!plain_page(plain, home, true, &page, &at))
        return false;
    for (unsigned w = at; w < at + plain->words; w++) {
        const struct trace *trace = page->traces ? &page->traces[w] : NULL;
        if (!plain_knows(plain, thread, named, page->cells[w].writer, page->cells[w].time) ||
            (trace && !plain_knows(plain, thread, named, trace->reader, trace->read_time)))
            return false;
    }
    time = model_write_time(thread);
    for (unsigned w = at; w < at + plain->words; w++) {
        struct cell *cell = &page->cells[w];
        if (cell->writer != named || cell->time != time)
            *cell = (struct cell){
                .writer = named, .time = time, .previous = (uint32_t)value_at(address + 4 * (w - at), 4)};
        if (page->traces)
            page->traces[w] = (struct trace){.site = plain->site};
    }
    for (unsigned w = 0; plain->has_cache && w < plain->words; w++)
        weak_cache_store(home + 4 * w);
    return true;
}
