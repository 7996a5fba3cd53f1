#include "machine/weak/clocks.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct clock *clock_keep(struct clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void clock_drop(struct clock *clock)
{
    if (clock && !--clock->references)
        free(clock);
}

static unsigned lines_of(const struct clock *clock)
{
    return clock ? clock->lines : 0;
}

/* Returns a copy of the clock with room for at least this number of lines. */
static struct clock *copy_of(const struct clock *clock, unsigned lines)
{
    if (lines < lines_of(clock))
        lines = lines_of(clock);
    struct clock *copy = allocate(sizeof *copy + lines * sizeof *copy->known);
    copy->references = 1;
    copy->lines = lines;
    if (clock)
        memcpy(copy->known, clock->known, clock->lines * sizeof *clock->known);
    return copy;
}

static bool knows_all_of(const struct clock *clock, const struct clock *other)
{
    for (unsigned l = 0; l < lines_of(other); l++)
        if (other->known[l] && !clock_knows(clock, (struct stamp){l, other->known[l]}))
            return false;
    return true;
}

void clock_join(struct clock **place, struct clock *other)
{
    struct clock *joined;
    if (*place == other || knows_all_of(*place, other))
        return;
    if (knows_all_of(other, *place)) {
        joined = clock_keep(other);
    } else {
        joined = copy_of(*place, lines_of(other));
        for (unsigned l = 0; l < other->lines; l++)
            if (other->known[l] > joined->known[l])
                joined->known[l] = other->known[l];
    }
    clock_drop(*place);
    *place = joined;
}

void clock_add(struct clock **place, struct stamp stamp)
{
    if (clock_knows(*place, stamp))
        return;
    struct clock *added = copy_of(*place, stamp.line + 1);
    added->known[stamp.line] = stamp.nth;
    clock_drop(*place);
    *place = added;
}

bool clock_knows(const struct clock *clock, struct stamp stamp)
{
    return stamp.line < lines_of(clock) && clock->known[stamp.line] >= stamp.nth;
}
