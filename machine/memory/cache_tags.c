#include "machine/memory/cache_tags.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4 /* lines with one hash that are there at once; the one that came first goes first */

/* A line that was brought in before the last time the cache was emptied is not in the cache. */
struct set {
    uint64_t line[WAYS];
    uint64_t filled[WAYS];
    unsigned next;
};

static struct {
    struct set *sets;
    size_t sets_of_each, allocated;
    uint64_t emptied; /* by the ends of launches: those before this one */
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
    tags.emptied += UINT64_C(1) << 32; /* more than the acquires of a launch */
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
