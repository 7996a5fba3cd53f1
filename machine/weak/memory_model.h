/*
 * What PTX allows a thread to read, as a machine of views: each location keeps a history of
 * messages, each thread a view, the oldest message of each location that it may still read. Strong
 * reads raise the view to what they returned, releases hang the view of the writer on messages,
 * acquires join the views of what was read, fence.sc joins with all before it, a barrier of threads
 * joins what they know, but not what they have only seen released.
 *
 * It never shows what PTX forbids (tests/memory_model.c compares with the axioms), and not all that
 * PTX allows: no load takes effect after a store that follows it (load buffering), and all writes
 * to a location have one order.
 *
 * This file knows nothing of kernels, addresses and policies: who calls it chooses which message is
 * read and where a new one goes, among those that it allows.
 */
#ifndef MACHINE_MEMORY_MODEL_H
#define MACHINE_MEMORY_MODEL_H

#include "machine/weak/release.h"

/* How an access or fence is meant; a weak access has SCOPE_THREAD. */
struct strength {
    enum machine_scope scope;
    enum machine_order order;
};
static const struct strength WEAK = {SCOPE_THREAD, ORDER_RELAXED};

/*
 * What a thread would know if the program were another: the first is the program as it is; the
 * others are for reports, which ask in which of them a race would be none.
 */
enum what_if {
    AS_IT_IS,
    WIDE,              /* all strong accesses and fences had system scope */
    RELEASED,          /* every strong write released */
    ACQUIRED,          /* every strong read acquired */
    RELEASED_ACQUIRED, /* both */
    WIDE_AND_BOTH
};
_Static_assert(WIDE_AND_BOTH == MOST_VIEWS - 1, "as many as a message carries");

struct model_thread;
struct model_block;

/* What is to be known of a launch. */
struct model_shape {
    unsigned blocks, threads; /* of the grid, of a block */
    unsigned warp;            /* threads */
    unsigned blocks_per_device;
    bool what_ifs; /* keep the views of all of enum what_if: for reports */
};

void model_begin(struct model_shape shape);
void model_end(void);

/* A block's threads, by their number in it; blocks may come and go. */
struct model_block *model_block_begin(unsigned block);
void model_block_end(struct model_block *block);
struct model_thread *model_thread(struct model_block *block, unsigned thread);

/* Threads are numbered through the grid. */
uint32_t model_thread_number(const struct model_thread *thread);

/* The time to stamp on what the thread writes now. */
uint32_t model_write_time(struct model_thread *thread);

/* Does it know what that thread wrote at that time? */
bool model_knows(const struct model_thread *thread, enum what_if world, uint32_t writer, uint32_t time);

/* The position of the oldest message that the thread may read. */
unsigned model_oldest(const struct model_thread *thread, const struct history *history);

/* Do the scopes of the message and of an access of the thread include each other's thread? */
bool model_morally_strong(const struct model_thread *thread, enum machine_scope scope,
                          const struct message *message);

/* Does the thread know the message of this history, in that world? */
bool model_knows_message(const struct model_thread *thread, enum what_if world, const struct history *history,
                         unsigned position);

/* The thread reads the message at this position, which is not before model_oldest's; an atomic's write follows
 * somewhere behind it, if it is to be overwritten. */
void model_read(struct model_thread *thread, struct history *history, unsigned position,
                struct strength strength, bool is_to_be_overwritten);

/*
 * May a message of the thread stand in front of the one that is there now? At the end (position ==
 * count) it always may; never before what the thread knows. For an atomic that read a message the
 * position is behind that one, with none between that is morally strong with the atomic.
 */
bool model_may_write(const struct model_thread *thread, const struct history *history, unsigned position,
                     enum machine_scope scope);

/* Writes; `read_from` is the position of what an atomic read, -1 for a store. */
void model_write(struct model_thread *thread, struct history *history, unsigned position, uint64_t value,
                 struct strength strength, int read_from, uint32_t site);

/* A fence of these lanes of one warp of the block, all at once. */
void model_fence(struct model_block *block, unsigned warp, uint64_t lanes, struct strength strength);

/* ---- barriers of threads ---- */

/* What those who have come to a barrier know together. */
struct gathering {
    struct view *view[MOST_VIEWS];
};
void model_gather(struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
/* The same, of lanes of a barrier that all of the block come to. */
void model_gather_whole(struct gathering *gathering, struct model_block *block, unsigned warp,
                        uint64_t lanes);
/* All of the block have come. */
void model_gathered_whole(struct gathering *gathering, struct model_block *block);
void model_learn(const struct gathering *gathering, struct model_block *block, unsigned warp, uint64_t lanes);
void model_gathering_end(struct gathering *gathering);

#endif
