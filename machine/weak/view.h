/*
 * A view holds, for each location, the oldest message that a thread may still read. Views are shared by
 * counting references, and a shared view is never changed (view_see changes a view that has a single
 * reference). NULL is the view of a thread that knows only what was there before the launch.
 *
 * Writes are stamped with their thread and with a time of its block, which increases whenever one of the
 * block's threads writes again after it has published. So a view knows: for whole blocks, all writes up to a
 * time; for some lanes of a warp, all writes up to another time; and single messages that strong reads have
 * returned. This is exact, and after a __syncthreads it is one number for each block.
 */
#ifndef MACHINE_VIEW_H
#define MACHINE_VIEW_H

#include "machine/weak/history.h"

struct known_block {
    uint32_t block, time; /* all that the block's threads wrote up to this time is known */
};
/* The known blocks, in ascending order. Views that differ only in what they know of lanes and messages share
 * them. */
struct known_blocks {
    unsigned references, count;
    struct known_block known[];
};
struct known_lanes {
    uint64_t lanes;
    uint32_t warp, time; /* the warp's number in the grid, and the time up to which its lanes are known */
};
/* A message that was read: no older message of its location may be read any more. */
struct seen {
    struct history *history;
    uint64_t serial; /* the history's serial, kept here so that a join need not fetch it */
    uint64_t message;
};

struct view {
    unsigned references;
    /* the longer of two views of one chain (not 0) knows all that the shorter knows */
    uint64_t chain, length;
    unsigned lanes_count, seen_count;
    struct known_blocks *blocks; /* the known blocks, or NULL if none are known */
    struct known_lanes *lanes;   /* ascending by warp, then descending by time; no lane is there twice */
    struct seen *seen;           /* the messages seen, ascending by serial */
};

/* The numbering of the threads of a grid: block by block, and within a block lane by lane. */
struct view_shape {
    unsigned warps;             /* the warps of a block */
    uint64_t lanes, last_lanes; /* the lanes of a warp, and of a block's last warp */
};
void view_set_shape(struct view_shape shape);

struct view *view_keep(struct view *view); /* adds a reference; returns the view */
void view_drop(struct view *view);

/* Functions that return a view return a reference that the caller owns. view_join() joins two views;
 * view_with_block() and view_with_lanes() add to a view what a block or some lanes wrote up to a time. */
struct view *view_join(struct view *a, struct view *b);
void view_forget_recent(void); /* drops the views of recent joins; to be called before histories end */
struct view *view_with_block(struct view *view, uint32_t block, uint32_t time);
struct view *view_with_lanes(struct view *view, uint32_t warp, uint64_t lanes, uint32_t time);
/* Adds this message to the view at *place. */
void view_see(struct view **place, struct history *history, uint64_t message);

/* Returns whether the view knows what this lane of the warp wrote at that time. */
bool view_knows(const struct view *view, uint32_t warp, unsigned lane, uint32_t time);
/* Returns the position of this history's message that the view has seen, or -1. */
int view_seen(const struct view *view, const struct history *history);

/* Replaces a reference by one that the caller owns. */
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

#endif
