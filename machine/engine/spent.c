#include "machine/engine/spent.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool spent_is_noted;

static void (*watch)(const struct machine_span *span);
static struct machine_spent *all;
static size_t count;
static unsigned *places; /* hash table: the number of a key plus one; 0 if the entry is free */
static size_t room;      /* size of `places`, a power of two; 0 before it is allocated */
static uint64_t warp_count;

void machine_note_spent(bool note, void (*watcher)(const struct machine_span *span))
{
    spent_is_noted = note;
    watch = watcher;
}

static unsigned *place_of(const void *at, const void *whom, enum machine_reason reason)
{
    uint64_t hash = ((uint64_t)(uintptr_t)at * 31 + (uintptr_t)whom) * 8 + reason;
    size_t place = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; place++) {
        unsigned *number = &places[place & (room - 1)];
        const struct machine_spent *s = *number ? &all[*number - 1] : NULL;
        if (!s || (s->at == at && s->whom == whom && s->reason == reason))
            return number;
    }
}

static void grow(void)
{
    free(places);
    room = room ? 2 * room : 256;
    places = allocate(room * sizeof *places);
    for (size_t i = 0; i < count; i++)
        *place_of(all[i].at, all[i].whom, all[i].reason) = (unsigned)i + 1;
}

unsigned spent_key(const void *at, const void *whom, enum machine_reason reason)
{
    if (2 * count >= room)
        grow();
    unsigned *place = place_of(at, whom, reason);
    if (!*place) {
        all = with_room(all, sizeof *all, count, 1);
        all[count++] = (struct machine_spent){.at = at, .whom = whom, .reason = reason};
        *place = (unsigned)count;
    }
    return *place - 1;
}

void spent_begin(void)
{
    for (size_t i = 0; i < count; i++)
        all[i].path = all[i].warps = 0;
    warp_count = 0;
}

void spent_by_warp(const struct warp *warp, unsigned key, uint64_t from, uint64_t to)
{
    struct machine_spent *s = &all[key];
    s->warps += to - from;
    if (!watch)
        return;
    const struct block *block = warp->block;
    watch(&(struct machine_span){.multiprocessor = block->sm->index,
                                 .block = block->index,
                                 .warp = (unsigned)(warp - block->warps),
                                 .at = s->at,
                                 .whom = s->whom,
                                 .reason = s->reason,
                                 .from = from - the_machine.run.start,
                                 .to = to - the_machine.run.start});
}

void spent_count_warp(void)
{
    warp_count++;
}

static void add_to_path(unsigned key, uint64_t units)
{
    all[key].path += units;
}

void spent_set_path(const struct bag *bag)
{
    for (size_t i = 0; i < count; i++)
        all[i].path = 0;
    bag_each(bag, add_to_path);
}

const struct machine_spent *machine_spent(size_t *number, uint64_t *warps)
{
    *number = count;
    *warps = warp_count;
    return all;
}
