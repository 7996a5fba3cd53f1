/* The knowledge of memory (machine/weak/memory_model.h) of a block's threads while the block runs, and its
 * exchange at barriers. */
#ifndef MACHINE_WEAK_BLOCK_H
#define MACHINE_WEAK_BLOCK_H

#include "machine/weak/memory_model.h"
#include "machine/weak/races.h"
#include "machine/state.h"

struct weak_block {
    struct model_block *model;
    struct gathering at_barrier, at_named[NAMED_BARRIERS];
    /* For reports of races. `last` is the last observation that a thread of the block made. `passed` is the
     * last wait at an mbarrier that a thread of the block made. */
    struct observation last, passed;
};

/* Called when a block begins, and when it ends: make and free its threads' knowledge of memory. On a
 * coherent machine these two functions have no effect. */
void weak_block_begins(struct block *block);
void weak_block_ends(struct block *block);

/* ---- called by the scheduler while no lane runs; no effect on a coherent machine ---- */

void weak_arrive_at_block_barrier(struct warp *warp, lane_set lanes);
void weak_open_block_barrier(struct block *block);
void weak_arrive_at_named_barrier(struct warp *warp, lane_set lanes, unsigned barrier);
void weak_open_named_barrier(struct block *block, unsigned barrier);
void weak_warp_barrier(struct warp *warp, lane_set lanes);

/* ---- called by the running lane or copy, on a weak machine only ---- */

/* The copy that accesses memory now, while no lane runs (machine/weak/weak_copy.h). `block` is the block of
 * the thread that issued the copy, or NULL while lanes run; `calls` led to the instruction that issued it
 * (machine/code/calls.h). */
struct weak_actor {
    struct block *block;
    struct model_thread *thread;
    uint32_t calls;
};
extern struct weak_actor weak_actor;

static inline struct block *running_block(void)
{
    return weak_actor.block ? weak_actor.block : running.warp->block;
}

static inline struct model_thread *running_thread(void)
{
    if (weak_actor.block)
        return weak_actor.thread;
    return model_thread(running_block()->weak->model, thread_of(running.warp, running.lane));
}

/* Returns the warp's number within its block. */
static inline unsigned number_of_warp(const struct warp *warp)
{
    return (unsigned)(warp - warp->block->warps);
}

#endif
