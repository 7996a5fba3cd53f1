/*
 * A view holds, for each location, the oldest message that a thread may still read. Views are shared by
 * counting references, and a shared view is never changed (view_see changes a view that has a single
 * reference). NULL is the view of a thread that knows only what was there before the launch.
 *
 * Each write is stamped with its thread and with the time of the thread's block. This time is a counter,
 * which increases whenever one of the block's threads writes again after it has published its earlier writes.
 * So a view knows: for whole blocks, all writes up to a time; for some lanes of a warp, all writes up to
 * another time; and single messages that strong reads have returned. This is exact, and after a __syncthreads
 * it is one number for each block.
 */
#ifndef MACHINE_VIEW_H
#define MACHINE_VIEW_H

#include "machine/weak/history.h"

struct known_block {
    /* a known block, and the time up to which the view knows all that the block's threads wrote */
    uint32_t block, time;
};
/* A list of known blocks, in ascending order. Views that differ only in known lanes and seen messages
 * share one such list. */
struct known_blocks {
    unsigned references, count;
    struct known_block known[];
};
struct known_lanes {
    uint64_t lanes;
    /* number of the warp in the grid, and time up to which the view knows all writes of these lanes */
    uint32_t warp, time;
};
/* A message that a thread has read; after it the thread may read no older message of its location. */
struct seen {
    struct history *history;
    uint64_t serial; /* serial number of the history, copied here because joins read it often */
    uint64_t message;
};

struct view {
    unsigned references;
    /* Views with equal `chain` (other than 0) have grown one from another: the view with the larger `length`
     * knows all that the others know. */
    uint64_t chain, length;
    unsigned lanes_count, seen_count;
    struct known_blocks *blocks; /* the view's known blocks, or NULL if the view knows no block as a whole */
    /* Lanes whose writes the view knows up to a time. Each lane occurs once. The entries are sorted by
     * ascending warp, then by descending time. */
    struct known_lanes *lanes;
    struct seen *seen; /* the messages seen, in ascending order of the histories' serials */
};

/* How threads of a grid are numbered: block by block, and within a block lane by lane. */
struct view_shape {
    unsigned warps; /* number of warps in a block */
    /* sets of lanes, as bits: the lanes of a full warp, and of a block's last warp */
    uint64_t lanes, last_lanes;
};
void view_set_shape(struct view_shape shape);

struct view *view_keep(struct view *view); /* adds a reference to the view and returns it */
void view_drop(struct view *view);

/* Functions that return a view return a reference that the caller owns. view_join() joins two views.
 * view_with_block() adds to a view all that a block wrote up to a time, and view_with_lanes() all that
 * some lanes of a warp wrote. */
struct view *view_join(struct view *a, struct view *b);
/* drops the cached results of recent joins; must be called before histories end */
void view_forget_recent(void);
struct view *view_with_block(struct view *view, uint32_t block, uint32_t time);
struct view *view_with_lanes(struct view *view, uint32_t warp, uint64_t lanes, uint32_t time);
/* Replaces the view at *place by one that has also seen this message of the history. */
void view_see(struct view **place, struct history *history, uint64_t message);

/* Returns whether the view knows what this lane of the warp wrote at that time. */
bool view_knows(const struct view *view, uint32_t warp, unsigned lane, uint32_t time);
/* Returns the time up to which the view knows all that this block wrote. */
uint32_t view_time_of_block(const struct view *view, uint32_t block);
/* Returns the position in this history of the message that the view has seen, or -1 if it has seen none. */
int view_seen(const struct view *view, const struct history *history);

/* Drops the reference at *place and stores `view` there, whose reference it takes over. */
static inline void view_set(struct view **place, struct view *view)
{
    view_drop(*place);
    *place = view;
}
static inline void view_add(struct view **place, struct view *other)
{
    if (other && *place != other)
        view_set(place, view_join(*place, other));
}

/* ---- releases ---- */

/*
 * A release is the part of a message that readers may acquire: a set of views. Two operations synchronize
 * if the scope of each includes the other's thread (PTX: morally strong), that is, if both reach a common
 * meeting place: their block, their cluster, their device or the system. An operation reaches the meeting
 * places of its scope and of all narrower scopes. So a release has a view for each meeting place, and an
 * acquire takes the views of the meeting places that it reaches itself. A release is immutable and shared
 * by reference counting. NULL is a release that carries nothing.
 */

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
