#include "machine/memory/l2_halves.h"
#include "base/memory.h"

#include <stdlib.h>

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
