#include "machine/memory/l2_halves.h"
#include "base/map.h"

/* A line that was written. */
struct line {
    uint64_t number;
    bool has_copy[2]; /* for each half of the L2 cache: does it have a copy of the line? */
};
static struct map lines = MAP(struct line, number);

void l2_halves_store(uint64_t line, unsigned half)
{
    struct line *written = map_get(&lines, &line);
    written->has_copy[half] = true;
    written->has_copy[!half] = false;
}

void l2_halves_atomic(uint64_t line)
{
    struct line *written = map_get(&lines, &line);
    written->has_copy[0] = written->has_copy[1] = false;
}

bool l2_halves_load(uint64_t line, unsigned half)
{
    struct line *written = map_find(&lines, &line);
    bool must_copy = written && !written->has_copy[half];
    if (must_copy)
        written->has_copy[half] = true;
    return must_copy;
}

void l2_halves_forget(void)
{
    map_end(&lines);
}
