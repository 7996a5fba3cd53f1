/*
 * What a message carries: the views of the threads that released it, each for the readers that may acquire
 * it. Two operations synchronize if the scope of each includes the other's thread (PTX: morally strong), that
 * is, if both reach a common meeting place: their block, their device or the system. An operation reaches the
 * places of its scope and of all narrower scopes. So a release has a view for each place, and an acquire
 * takes the views of the places that it reaches itself.
 *
 * A release is immutable and shared by counting references; NULL carries nothing.
 */
#ifndef MACHINE_RELEASE_H
#define MACHINE_RELEASE_H

#include "machine/weak/view.h"

/* The number of meeting places of a thread, which are, from the narrowest: its block, its device, the
 * system. */
enum { PLACES = 3 };
#define PLACE_OF_SYSTEM UINT32_MAX
#define PLACE_OF_DEVICE(device) (UINT32_C(0x80000000) | (device))

struct placed_view {
    uint32_t place; /* a block's number, PLACE_OF_DEVICE(...) or PLACE_OF_SYSTEM */
    struct view *view;
};

struct release {
    unsigned references;
    uint64_t chain, length; /* the longer of two releases of one chain carries all that the shorter carries */
    unsigned count;
    struct placed_view views[]; /* the views, ascending by place */
};

void release_drop(struct release *release);
struct release *release_keep(struct release *release);

/* Returns what `base` carries, with these views added at these places; a NULL view adds nothing. The caller
 * owns the result. */
struct release *release_with(struct release *base, const uint32_t places[PLACES],
                             struct view *const views[PLACES]);

/* Returns the view for this place, or NULL. The result is not a new reference. */
struct view *release_at(const struct release *release, uint32_t place);

#endif
