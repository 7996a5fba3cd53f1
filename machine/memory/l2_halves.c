#include "machine/memory/l2_halves.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct written {
    uint64_t line_plus_one; /* 0 means that the entry is free */
    bool has_copy[2];       /* for each half */
};

static struct written *lines;
static size_t count, room; /* `room` is a power of two, or 0 */

static struct written *place_of(uint64_t line)
{
    size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    while (lines[at & (room - 1)].line_plus_one && lines[at & (room - 1)].line_plus_one != line + 1)
        at++;
    return &lines[at & (room - 1)];
}

static void grow(void)
{
    struct written *old = lines;
    size_t old_room = room;
    room = room ? 2 * room : 1024;
    lines = allocate(room * sizeof *lines);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].line_plus_one)
            *place_of(old[i].line_plus_one - 1) = old[i];
    free(old);
}

static void write(uint64_t line, bool in_0, bool in_1)
{
    if (2 * count >= room)
        grow();
    struct written *place = place_of(line);
    count += !place->line_plus_one;
    *place = (struct written){line + 1, {in_0, in_1}};
}

void l2_halves_store(uint64_t line, unsigned half)
{
    write(line, half == 0, half == 1);
}

void l2_halves_atomic(uint64_t line)
{
    write(line, false, false);
}

bool l2_halves_load(uint64_t line, unsigned half)
{
    struct written *place = count ? place_of(line) : NULL;
    if (!place || !place->line_plus_one || place->has_copy[half])
        return false;
    place->has_copy[half] = true;
    return true;
}

void l2_halves_forget(void)
{
    free(lines);
    lines = NULL;
    count = room = 0;
}

#define WAYS 4 /* lines in a set; a new line replaces the line that was brought in first */

/* A set of a cache. The cache holds a line if the line's `filled` says that it was brought in after the
 * cache was last emptied. */
struct set {
    uint64_t line[WAYS];
    uint64_t filled[WAYS];
    unsigned next;
};

static struct {
    struct set *sets;
    size_t sets_of_each, allocated;
    uint64_t emptied; /* number of launches that have emptied the caches, times 2^32 */
} tags;

void cache_tags_open(unsigned multiprocessors, unsigned bytes, unsigned line_bytes)
{
    size_t each = bytes / line_bytes / WAYS;
    if (each * multiprocessors > tags.allocated) {
        free(tags.sets);
        tags.allocated = each * multiprocessors;
        tags.sets = allocate(tags.allocated * sizeof *tags.sets);
        tags.emptied = 0;
    }
    tags.sets_of_each = each;
    /* A launch has fewer than 2^32 acquires, so no sum of `emptied` and acquires occurs in two launches. */
    tags.emptied += UINT64_C(1) << 32;
}

bool cache_tags_find(unsigned multiprocessor, uint64_t acquires, uint64_t line)
{
    if (!tags.sets_of_each)
        return false;
    struct set *set = &tags.sets[multiprocessor * tags.sets_of_each + line % tags.sets_of_each];
    uint64_t now = tags.emptied + acquires;
    for (unsigned w = 0; w < WAYS; w++)
        if (set->line[w] == line && set->filled[w] == now)
            return true;
    set->line[set->next] = line;
    set->filled[set->next] = now;
    set->next = (set->next + 1) % WAYS;
    return false;
}
