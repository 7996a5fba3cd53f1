#include "machine/weak/weak_copy.h"
#include "base/map.h"
#include "machine/code/calls.h"
#include "machine/memory/shared_memory.h"
#include "machine/weak/cells.h"
#include "machine/weak/race_checks.h"
#include "machine/weak/weak_block.h"
#include "machine/weak/weak_memory.h"

#include <string.h>

struct weak_copy weak_copy_begin(const struct block *tells, unsigned place, bool is_async,
                                 const void *instruction)
{
    struct weak_copy copy = {
        .block = running.warp->block, .instruction = instruction, .calls = more_of_running_lane()->calls};
    if (the_machine.memory.is_weak) {
        struct model_thread *issuer = running_thread();
        copy.thread = model_copy_begin(issuer, tells->weak->model, place, is_async);
        race_note_issued(model_thread_number(copy.thread), model_thread_number(issuer),
                         model_write_time(issuer));
    }
    return copy;
}

/* Makes the following accesses count as the copy's, not the running lane's, until rest() is called. */
static void act(const struct weak_copy *copy, uintptr_t address)
{
    if (!copy->thread)
        return;
    weak_actor = (struct weak_actor){copy->block, copy->thread, copy->calls};
    model_copy_turns_to(copy->thread, shared_memory_has(address));
}

static void rest(void)
{
    weak_actor.block = NULL;
}

/* Returns the number of bytes from `at` to the next word's beginning or to `end`, whichever comes first.
 * A copy accesses memory in such pieces. */
static size_t piece(uintptr_t at, uintptr_t end)
{
    size_t bytes = 4 - at % 4;
    return bytes < end - at ? bytes : end - at;
}

void weak_copy_reads(const struct weak_copy *copy, void *to, uintptr_t from, size_t bytes)
{
    if (!copy->thread) {
        memcpy(to, (const void *)from, bytes);
        return;
    }
    act(copy, from);
    for (uintptr_t at = from, next; at < from + bytes; at = next) {
        next = at + piece(at, from + bytes);
        weak_load(at, next - at, WEAK, copy->instruction);
        memcpy((char *)to + (at - from), (const void *)at, next - at);
        weak_access_ends();
    }
    rest();
}

void weak_copy_writes(const struct weak_copy *copy, uintptr_t to, const void *from, size_t bytes)
{
    if (!copy->thread) {
        memcpy((void *)to, from, bytes);
        return;
    }
    act(copy, to);
    for (uintptr_t at = to, next; at < to + bytes; at = next) {
        next = at + piece(at, to + bytes);
        weak_store(at, next - at, WEAK, copy->instruction);
        memcpy((void *)at, (const char *)from + (at - to), next - at);
        weak_access_ends();
    }
    rest();
}

void weak_copy_changes(const struct weak_copy *copy, uintptr_t address, unsigned bytes,
                       struct strength strength, uint64_t (*change)(uint64_t old, const void *data),
                       const void *data)
{
    act(copy, address);
    if (copy->thread)
        weak_atomic_begins(address, bytes, strength, copy->instruction);
    uint64_t value = change(value_at(address, bytes), data);
    memcpy((void *)address, &value, bytes);
    if (copy->thread)
        weak_atomic_ends(true);
    rest();
    note_change();
}

/* ---- mbarriers ---- */

/* Records which thread initialized an mbarrier last, and when. The mbarrier is named by its home
 * (cells.h). */
struct beginning {
    uintptr_t home;
    uint32_t thread, time, site;
};
static struct map beginnings = MAP(struct beginning, home);

void weak_mbarrier_begins(uintptr_t address, const void *instruction)
{
    uintptr_t home = home_of(running_block(), address);
    struct beginning *beginning = map_get(&beginnings, &home);
    *beginning = (struct beginning){home, model_thread_number(running_thread()),
                                    model_write_time(running_thread()), site_here(instruction)};
}

void weak_copy_tells(const struct weak_copy *copy, uintptr_t mbarrier)
{
    if (!copy->thread)
        return;
    act(copy, mbarrier);
    uintptr_t home = home_of(running_block(), mbarrier);
    race_note_told(model_thread_number(copy->thread), home);
    const struct beginning *beginning = map_find(&beginnings, &home);
    if (beginning && !model_knows(copy->thread, AS_IT_IS, beginning->thread, beginning->time))
        race_check_write(beginning->thread, beginning->time, beginning->site, RACE_ATOMIC, home, 8,
                         site_of(copy->instruction, copy->calls));
    rest();
}

uint32_t weak_copy_so_far(const struct weak_copy *copy)
{
    return copy->thread ? model_copy_so_far(copy->thread) : 0;
}

void weak_copy_known(struct model_thread *thread, const struct weak_copy *copy, uint32_t so_far)
{
    if (copy->thread)
        model_copy_known(thread, copy->thread, so_far);
}
