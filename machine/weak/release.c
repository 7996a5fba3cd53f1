#include "machine/weak/release.h"
#include "base/memory.h"

#include <stdlib.h>

struct release *release_keep(struct release *release)
{
    if (release)
        release->references++;
    return release;
}

void release_drop(struct release *release)
{
    if (!release || --release->references)
        return;
    for (unsigned i = 0; i < release->count; i++)
        view_drop(release->views[i].view);
    free(release);
}

static void append(struct release *release, uint32_t place, struct view *owned)
{
    release->views[release->count++] = (struct placed_view){place, owned};
}

struct release *release_with(struct release *base, const uint32_t places[PLACES],
                             struct view *const views[PLACES])
{
    static uint64_t chains;
    unsigned there = 0;
    for (unsigned p = 0; p < PLACES; p++)
        there += views[p] != NULL;
    if (!there)
        return release_keep(base);
    unsigned count = base ? base->count : 0, at = 0;
    struct release *release = allocate(sizeof *release + (count + PLACES) * sizeof *release->views);
    release->references = 1;
    release->chain = base ? base->chain : ++chains;
    release->length = base ? base->length + 1 : 0;
    for (unsigned p = 0; p < PLACES; p++) {
        if (!views[p])
            continue;
        for (; at < count && base->views[at].place < places[p]; at++)
            append(release, base->views[at].place, view_keep(base->views[at].view));
        if (at < count && base->views[at].place == places[p])
            append(release, places[p], view_join(base->views[at++].view, views[p]));
        else
            append(release, places[p], view_keep(views[p]));
    }
    for (; at < count; at++)
        append(release, base->views[at].place, view_keep(base->views[at].view));
    return release;
}

struct view *release_at(const struct release *release, uint32_t place)
{
    unsigned low = 0, high = release->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (release->views[middle].place == place)
            return release->views[middle].view;
        if (release->views[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
