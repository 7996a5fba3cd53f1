#include "machine/memory/cache_tags.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
    /* A launch has fewer than 2^32 acquires, so the sums of `emptied` and acquires of two launches differ. */
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

/* For each place of L2, the line that it holds, plus 1; 0 if no line has used the place. A line can be in one
 * place only. */
static uint64_t *places;
static size_t place_count;

void l2_tags_open(unsigned lines)
{
    if (lines == place_count)
        return;
    free(places);
    places = lines ? allocate(lines * sizeof *places) : NULL;
    place_count = lines;
}

bool l2_tags_find(uint64_t line)
{
    if (!place_count)
        return true;
    uint64_t *place = &places[line % place_count];
    bool held = !*place || *place == line + 1;
    *place = line + 1;
    return held;
}

void l2_tags_forget(void)
{
    if (place_count)
        memset(places, 0, place_count * sizeof *places);
}
