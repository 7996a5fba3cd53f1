/*
 * A release is the part of a message that readers may acquire: a set of views. Two operations synchronize
 * if the scope of each includes the other's thread (PTX: morally strong), that is, if both reach a common
 * meeting place: their block, their cluster, their device or the system. An operation reaches the meeting
 * places of its scope and of all narrower scopes. So a release has a view for each meeting place, and an
 * acquire takes the views of the meeting places that it reaches itself. A release is immutable and shared
 * by reference counting. NULL is a release that carries nothing.
 */
#ifndef MACHINE_RELEASE_H
#define MACHINE_RELEASE_H

#include "machine/weak/view.h"

/* The meeting places that a thread has, from the narrowest on. A block that is alone in its cluster has no
 * place for the cluster. */
enum { PLACE_BLOCK, PLACE_CLUSTER, PLACE_DEVICE, PLACE_SYSTEM, PLACES };
#define PLACE_OF_SYSTEM UINT32_MAX
#define PLACE_OF_CLUSTER(first_block) (UINT32_C(0x40000000) | (first_block))
#define PLACE_OF_DEVICE(device) (UINT32_C(0x80000000) | (device))

struct placed_view {
    uint32_t place; /* a block's number, PLACE_OF_CLUSTER(...), PLACE_OF_DEVICE(...) or PLACE_OF_SYSTEM */
    struct view *view;
};

struct release {
    unsigned references;
    /* of two releases with equal `chain`, the one with the larger `length` carries all that the other
     * carries */
    uint64_t chain, length;
    unsigned count;
    struct placed_view views[]; /* the release's views, in ascending order of meeting place */
};

void release_drop(struct release *release);
struct release *release_keep(struct release *release);

/* Adds views to a release: returns a release with the views of `base`, which may be NULL, and in which the
 * view of each meeting place places[i] also includes views[i]. If views[i] is NULL, the view of this place
 * stays. The places are in ascending order. The caller gets a reference of its own to the result, which is
 * `base` itself if all views are NULL. */
struct release *release_with(struct release *base, const uint32_t places[PLACES],
                             struct view *const views[PLACES]);

/* Returns the view of a release, which must not be NULL, for this meeting place, or NULL if it has none. The
 * caller gets no reference of its own. */
struct view *release_at(const struct release *release, uint32_t place);

#endif
